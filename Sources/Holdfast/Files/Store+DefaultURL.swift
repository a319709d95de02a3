public import Foundation

extension Store {
  /// The usual place of a program's store: `<name>.sqlite` in the program's folder among the system's application data. Makes the folder,
  /// which only the user may enter (0700), and not the file.
  ///
  /// Application data are in `Application Support` on Apple's systems. Elsewhere they are in `$XDG_DATA_HOME`, or in `~/.local/share` if that
  /// variable is not an absolute path. The program's folder has the name of its bundle identifier, or of its executable file.
  ///
  /// - Parameter name: the file's name without its extension. A library gives the name of its schema.
  /// - Throws: `.misuse` for an empty name and for one with a slash; `.cannotCreate`, `.permissionDenied`, `.diskFull`, `.inputOutput`.
  public static func defaultURL(named name: String) throws -> URL {
    // Platform: each system has its folder for application data.
    #if canImport(Darwin)
      let found = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      let data = found ?? URL(fileURLWithPath: NSHomeDirectory())
    #else
      let data = dataFolder(ProcessInfo.processInfo.environment)
    #endif
    return try defaultURL(named: name, of: Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName, in: data)
  }

  static func defaultURL(named name: String, of program: String, in data: URL) throws -> URL {
    guard !name.isEmpty, !name.contains("/") else { throw StoreError(.misuse, "a store cannot have the name \"\(name)\"") }
    let folder = data.appendingPathComponent(program)
    try DurableFile.naming(folder) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    return folder.appendingPathComponent("\(name).sqlite")
  }

  /// The user's application data by the XDG Base Directory Specification.
  static func dataFolder(_ environment: [String: String]) -> URL {
    func folder(_ variable: String) -> URL? {
      environment[variable].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
    }
    let home = folder("HOME") ?? URL(fileURLWithPath: NSHomeDirectory())
    return folder("XDG_DATA_HOME") ?? home.appendingPathComponent(".local/share")
  }
}
