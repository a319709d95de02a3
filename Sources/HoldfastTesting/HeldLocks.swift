package import Foundation

/// The locks that this process holds on a file for all its descriptors, which closing any of them drops.
package enum HeldLocks {
  /// Whether there is one: SQLite holds one as long as a connection has a database with a log open.
  ///
  /// As Linux lists them. True elsewhere, where nothing lists them.
  /// - Throws: what reading the list can throw.
  package static func stand(on url: URL) throws -> Bool {
    #if os(Linux)
      var status = stat()
      stat(url.path, &status)
      // Locks that others let go of while the list is read push some of it out of sight.
      return try (0..<100).contains { _ in
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return locks.split(separator: "\n").contains {
          $0.contains("POSIX") && $0.contains(" \(getpid()) ") && $0.contains(":\(status.st_ino) ")
        }
      }
    #else
      return true
    #endif
  }
}
