internal import GRDBSQLite

/// Copies all pages of one connection's database into another's with SQLite's backup.
///
/// From its start to its end it holds the target's write lock, so no other connection commits there. All pages arrive in one transaction.
final class PageCopy {
  private var backup: OpaquePointer?
  private let target: OpaquePointer
  // Must stay open while the copy reads from it.
  private let source: RawConnection

  /// - Throws: `.busy` when the target's write lock is not free within its busy timeout.
  init(from source: RawConnection, to target: OpaquePointer) throws {
    self.source = source
    self.target = target
    backup = sqlite3_backup_init(target, "main", source.handle, "main")
    guard backup != nil else { throw StoreError(sqlite: target, sqlite3_extended_errcode(target)) }
    // Copies no page; takes the locks.
    let code = sqlite3_backup_step(backup, 0)
    guard code == SQLITE_OK || code == SQLITE_DONE else {
      sqlite3_backup_finish(backup)
      backup = nil
      throw StoreError(sqlite: target, code)
    }
  }

  deinit { if let backup { sqlite3_backup_finish(backup) } }

  /// Copies all pages and commits.
  func finish() throws {
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    backup = nil
    guard code == SQLITE_DONE, end == SQLITE_OK else { throw StoreError(sqlite: target, code == SQLITE_DONE ? end : code) }
  }
}
