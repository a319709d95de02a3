package import Foundation

/// The locks of record that processes hold on a file, as Linux lists them.
package enum HeldLocks {
  /// Whether any process holds one: SQLite does as long as a connection has a database with a log open.
  ///
  /// - Throws: what reading the list can throw.
  package static func stand(on url: URL) throws -> Bool {
    var status = stat()
    stat(url.path, &status)
    // Locks that others let go of while the list is read push some of it out of sight.
    return try (0..<100).contains { _ in
      let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
      return locks.split(separator: "\n").contains { $0.contains("POSIX") && $0.contains(":\(status.st_ino) ") }
    }
  }
}
