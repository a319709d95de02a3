import Foundation
import GRDBSQLite
import Synchronization

/// Makes SQLite fail to remove a file, as where the folder may not be written to for a moment.
enum FailingRemovals {
  /// How often each path still fails.
  private static let left = Mutex<[String: Int]>([:])

  /// For the whole process: the system's own call, but for the paths in `left`.
  private static let planted: Void = {
    let call: @convention(c) (UnsafePointer<CChar>) -> Int32 = { path in
      let fails = left.withLock { left in
        guard let count = left[String(cString: path)], count > 0 else { return false }
        left[String(cString: path)] = count - 1
        return true
      }
      guard fails else { return unlink(path) }
      errno = EACCES
      return -1
    }
    guard let files = sqlite3_vfs_find(nil) else { return }
    _ = files.pointee.xSetSystemCall?(files, "unlink", unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
  }()

  /// Runs `body` while the next `count` removals of `file` fail.
  static func within<T>(_ file: URL, next count: Int, _ body: () throws -> T) rethrows -> T {
    planted
    left.withLock { $0[file.path] = count }
    defer { left.withLock { $0[file.path] = nil } }
    return try body()
  }
}
