import Foundation
internal import GRDB
internal import GRDBSQLite

extension Store {
  /// Measures the store at one commit, and counts every row of every table.
  ///
  /// - Throws: `.closed`, `.damaged`, `.inputOutput`.
  public func statistics() throws -> StoreStatistics {
    try telling {
      try inspect { db in
        StoreStatistics(
          fileBytes: files.map { DurableFile.size($0.path) } ?? 0, logBytes: files.map { DurableFile.size($0.log.path) } ?? 0,
          pageBytes: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0, pages: try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
          freePages: try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0, rows: try rowCounts(db.texts),
          retries: retries.count)
      }
    }
  }

  /// The same without blocking the caller.
  public func statistics() async throws -> StoreStatistics { try await offTask { _ in try self.statistics() } }

  /// Rewrites the file without its free pages. Blocks writers; needs about twice the file's size in free space.
  ///
  /// - Throws: `.diskFull`, `.busy`, `.readOnly`; the store is then unchanged.
  public func vacuum() throws {
    try OpenDoor.check(self)
    try checkWritable()
    try telling {
      try files?.checkFreeSpace(for: "vacuuming")
      try alone { db in
        connections.finalize()
        try db.execute(sql: "VACUUM")
      }
      // VACUUM is done, but its pages are in the log. A reader may keep the log as it is until the next checkpoint.
      _ = try? checkpoint(.truncate)
    }
  }

  /// The same without blocking the caller. It runs to its end, even when the task is cancelled.
  public func vacuum() async throws { try await offTask { _ in try self.vacuum() } }

  /// Moves the log into the file; returns how many frames of the log are in the file now. 0 for a store that is read-only or in memory. The
  /// kit does this itself when the log has 1,000 pages or more after a commit, and at closing.
  ///
  /// - Throws: `.busy` when the mode needs the log free, and a reader or another process holds it for longer than the busy timeout, or when
  ///   another connection's checkpoint runs during all three tries. The pages that could be moved were moved.
  @discardableResult
  public func checkpoint(_ mode: Checkpoint = .passive) throws -> Int {
    try OpenDoor.check(self)
    guard url != nil, access == .readWrite else { return 0 }
    return try telling {
      try onWriter { db in
        let connection = try connections.connection(of: db)
        let sqliteMode =
          switch mode {
          case .passive: SQLITE_CHECKPOINT_PASSIVE
          case .restart: SQLITE_CHECKPOINT_RESTART
          case .truncate: SQLITE_CHECKPOINT_TRUNCATE
          }
        return try retries.run("a checkpoint") {
          let (code, moved) = connection.checkpoints.move(sqliteMode)
          guard code == SQLITE_OK else { throw archiver?.problem ?? connection.failure(code) }
          return moved
        }
      }
    }
  }

  /// The same without blocking the caller.
  @discardableResult
  public func checkpoint(_ mode: Checkpoint = .passive) async throws -> Int { try await offTask { _ in try self.checkpoint(mode) } }
}
