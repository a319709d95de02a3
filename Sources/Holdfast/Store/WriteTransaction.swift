import Foundation
internal import GRDB
internal import GRDBSQLite

/// One transaction on the writer's connection: begins it, guards every statement, commits it or rolls it back.
///
/// SQLite ends a transaction by itself after a full disk, some I/O errors and a trigger's RAISE(ROLLBACK). What runs then would commit
/// by itself, statement by statement. So each statement asks first whether the transaction still stands; where it does not, the error that
/// ended it is thrown again, and nothing is reached.
final class WriteTransaction {
  let connection: Connection
  private let database: Database
  private let work: CommitWork
  /// What ended the transaction before its time.
  private var ended: StoreError?
  private var hasMarkedLog = false

  init(_ database: Database, _ connection: Connection, _ work: CommitWork = CommitWork()) {
    self.database = database
    self.connection = connection
    self.work = work
  }

  /// Waits for the write lock, as long as the busy timeout says.
  func begin() throws {
    try connection.settle(database)
    try connection.prepareRollback(database)
    connection.checkpoints.listen()
    try connection.execute(connection.beginImmediate, database)
    do {
      let othersCommitted = try connection.noticeOthers()
      if othersCommitted { connection.checkpoints.forgetFrames() }
      let isSecond = connection.hasLogToMark && !othersCommitted
      connection.hasLogToMark = false
      guard connection.checkpoints.beginsLog() || isSecond else { return }
      hasMarkedLog = true
      // Who creates the store writes its first mark.
      if try LogLine.canBeMarked(database) { try connection.step(connection.markNewLog) }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Just before COMMIT, which would go into a file that no path leads to. One question to the file system, about a microsecond.
  private func checkPlace() throws {
    guard ConnectionFactory.hasMoved(connection.handle) else { return }
    throw StoreError(
      .inputOutput, "the store's file was replaced, moved or removed while it was open; nothing was written",
      suggestion: "Close the store, and open it again.")
  }

  /// - Throws: what ended the transaction, when SQLite has ended it.
  @inline(__always)
  func check() throws {
    guard sqlite3_get_autocommit(connection.handle) == 0 else { throw reason }
  }

  /// Remembers the first error after which the transaction is gone.
  func note(_ error: StoreError) {
    if ended == nil, sqlite3_get_autocommit(connection.handle) != 0 { ended = error }
  }

  private var reason: StoreError {
    ended
      ?? StoreError(
        .rolledBack, "the transaction ended inside its closure, and the kit did not end it; a COMMIT that the closure ran itself is stored",
        suggestion: "Return to commit, throw to roll back.")
  }

  /// Runs what belongs to every commit before and after it.
  ///
  /// - Throws: with nothing stored.
  func commit(_ writer: Writer) throws {
    do {
      try work.runBefore(writer)
      try check()
      try checkPlace()
      try connection.execute(connection.commitWriting, database)
    } catch {
      rollBack()
      throw error
    }
    connection.noteOwnCommit()
    // A log that starts again at its beginning is marked by its second transaction: only afterwards is it known that this was the first.
    connection.hasLogToMark = connection.checkpoints.lastCommitBeganLog && !hasMarkedLog
    work.runAfter()
    connection.checkpoints.afterCommit()
  }

  /// Nothing to do where SQLite has done it. Returns why it failed; SQLite rolls back when the connection closes, then.
  @discardableResult
  func rollBack() -> StoreError? {
    if hasMarkedLog {
      // The next transaction marks the log, also one in which pages of this one lie.
      connection.hasLogToMark = true
      hasMarkedLog = false
    }
    guard sqlite3_get_autocommit(connection.handle) == 0 else { return nil }
    do {
      try connection.execute(connection.rollbackWriting, database)
      return nil
    } catch {
      return StoreError(error)
    }
  }
}
