internal import Foundation

/// The programs of the system that a run starts.
enum Programs {
  /// - Throws: where it is not in PATH, nor where systems have it.
  static func path(of name: String) throws -> String {
    guard let path = find(name) else { throw ServerProgram.Failure("\(name) is not installed: make system-cluster") }
    return path
  }

  /// The folder of PostgreSQL's programs: the newest of Debian's, or that of PATH.
  ///
  /// - Throws: where there is none.
  static func postgres() throws -> String {
    let folder = "/usr/lib/postgresql"
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let newest = all.max { $0.compare($1, options: .numeric) == .orderedAscending }
    return try newest.map { "\(folder)/\($0)/bin/" } ?? String(path(of: "initdb").dropLast("initdb".count))
  }

  private static func find(_ name: String) -> String? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin", "/usr/sbin", "/usr/local/bin"]
    return folders.map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
  }
}
