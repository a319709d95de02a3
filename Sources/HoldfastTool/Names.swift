import ArgumentParser
import Foundation

/// The names that the system gave the process.
enum Names {
  /// Refuses an argument or a current folder whose name is not UTF-8, before anything looks for a file.
  ///
  /// On Linux a name may be any bytes. Swift replaces bytes that are not UTF-8, and the result may be the name of another file.
  static func check() throws {
    for place in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[place] else { continue }
      try check(argument, "the argument")
      if place > 0 { try checkPath(String(cString: argument)) }
    }
    guard let folder = getcwd(nil, 0) else { return }
    defer { free(folder) }
    try check(folder, "the current folder")
  }

  /// Refuses a path that leads to a folder with such a name. `FilePath` would only say that the path is invalid.
  private static func checkPath(_ argument: String) throws {
    let value = argument.hasPrefix("-") ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
    guard !value.isEmpty, FilePath(argument: String(value)) == nil else { return }
    throw ValidationError(
      "the argument \(argument) leads to a folder whose name is not UTF-8, so it may look like another: rename the folder, and run the command again."
    )
  }

  private static func check(_ name: UnsafePointer<CChar>, _ what: String) throws {
    guard String(validatingCString: name) == nil else { return }
    throw ValidationError(
      "\(what) \(String(cString: name)) is not UTF-8, so it may look like another name: rename the file or folder, and run the command again."
    )
  }
}
