package import Foundation

/// The locks of this process on a file. Closing any descriptor of the file drops them all.
package enum HeldLocks {
  /// Whether this process holds a lock. SQLite holds one as long as a connection has a database with a log open.
  ///
  /// Reads the list of locks on Linux. Always true on other systems, which have no such list.
  /// - Throws: the errors of reading the list.
  package static func stand(on url: URL) throws -> Bool {
    #if os(Linux)
      var status = stat()
      stat(url.path, &status)
      // Locks that end while the list is read may hide other locks in it. So it is read up to 2,000 times.
      return try (0..<2_000).contains { _ in
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
