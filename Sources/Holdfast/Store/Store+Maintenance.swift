import Foundation
internal import GRDB
internal import GRDBSQLite

/// What a store takes up, at one commit.
public struct StoreStatistics: Sendable, Equatable, Codable {
  /// Sizes on disk; 0 in memory.
  public var fileBytes: Int64
  /// Of the log beside the file: what is committed and not in the file yet.
  public var logBytes: Int64
  /// Of one page.
  public var pageBytes: Int
  /// Those of the file that hold something and those that do not.
  public var pages: Int
  /// Pages that hold nothing; `vacuum()` gives them back.
  public var freePages: Int
  /// By ordinary table, the kit's own included.
  public var rows: [String: Int]
}

/// How much of the log a checkpoint moves into the file.
public enum Checkpoint: Sendable {
  /// What can be moved without waiting for anybody.
  case passive
  /// Everything, and the log starts again at its beginning. Waits for readers up to the busy timeout.
  case restart
  /// Everything, and the log is cut to nothing. Waits for readers up to the busy timeout.
  case truncate
}

extension Store {
  /// Measures the store at one commit: counts every row of every table.
  ///
  /// - Throws: `.closed`, `.damaged`, `.inputOutput`.
  public func statistics() throws -> StoreStatistics {
    do {
      return try inspect { db in
        StoreStatistics(
          fileBytes: files.map { DurableFile.size($0.path) } ?? 0, logBytes: files.map { DurableFile.size($0.log.path) } ?? 0,
          pageBytes: try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0, pages: try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0,
          freePages: try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0, rows: try rowCounts(db.texts))
      }
    } catch {
      throw failure(error)
    }
  }

  /// Rewrites the file without its free pages. Blocks writers; needs about twice the file's size in free space.
  ///
  /// - Throws: `.diskFull`, `.busy`, `.readOnly`; the store is then as before.
  public func vacuum() throws {
    try OpenDoor.check(self)
    try checkWritable()
    do {
      try files?.checkFreeSpace(for: "vacuuming")
      try alone { db in
        connections.finalize()
        try db.execute(sql: "VACUUM")
      }
      // It is done, and in the log: whoever still reads there keeps the log as it is until the next checkpoint.
      _ = try? checkpoint(.truncate)
    } catch {
      throw failure(error)
    }
  }

  /// Moves the log into the file. The kit does so by itself after commits, when the log has 1,000 pages, and at closing. Returns how many frames of the log are in the file now.
  /// In memory there is no log: 0.
  ///
  /// - Throws: `.busy` when a reader or another process holds the log for longer than the busy timeout and the mode needs
  ///   it free; what could be moved was moved.
  @discardableResult
  public func checkpoint(_ mode: Checkpoint = .passive) throws -> Int {
    try OpenDoor.check(self)
    guard url != nil, access == .readWrite else { return 0 }
    do {
      return try onWriter { db in
        let connection = try connections.connection(of: db)
        let sqliteMode =
          switch mode {
          case .passive: SQLITE_CHECKPOINT_PASSIVE
          case .restart: SQLITE_CHECKPOINT_RESTART
          case .truncate: SQLITE_CHECKPOINT_TRUNCATE
          }
        let (code, moved) = connection.checkpoints.move(sqliteMode)
        guard code == SQLITE_OK else { throw connection.failure(code) }
        return moved
      }
    } catch {
      throw failure(error)
    }
  }
}
