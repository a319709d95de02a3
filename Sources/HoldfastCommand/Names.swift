import ArgumentParser
import Foundation

/// The names that the system gave the process.
enum Names {
  /// On Linux a name may be any bytes, and Swift's texts are Unicode: other bytes become a sign of their own in them, and the name perhaps
  /// that of another file. Such a name is refused before anything looks for it, and so is the folder in which relative paths begin.
  ///
  /// - Throws: `ValidationError`.
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

  /// A path to a folder that has such a name is none: no argument could hold it, and nobody would say why.
  private static func checkPath(_ argument: String) throws {
    let value = argument.hasPrefix("-") ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
    guard !value.isEmpty, FilePath(argument: String(value)) == nil else { return }
    throw ValidationError(
      "the argument \(argument) leads to a folder whose name is not UTF-8, and could be taken for another: rename it, and run the same command again."
    )
  }

  private static func check(_ name: UnsafePointer<CChar>, _ what: String) throws {
    guard String(validatingCString: name) == nil else { return }
    throw ValidationError(
      "\(what) \(String(cString: name)) is not UTF-8, and could be taken for another: rename it, and run the same command again.")
  }
}
