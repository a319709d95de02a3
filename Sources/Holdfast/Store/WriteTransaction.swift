import Foundation
internal import GRDB
internal import GRDBSQLite

/// One transaction on the writer's connection: begins, guards every statement, and commits or rolls back.
///
/// SQLite ends a transaction by itself after a full disk, some I/O errors and a trigger's RAISE(ROLLBACK). Later statements would then
/// commit one by one. So each statement first checks that the transaction is still open. If it is not, the error that ended it is thrown
/// again, and the statement does not run.
final class WriteTransaction {
  let connection: Connection
  private let database: Database
  private let work: CommitWork
  /// The error that ended the transaction early.
  private var ended: StoreError?
  /// This transaction is the first of a log, or the second one where the first has not marked it.
  private var marksLog = false
  /// Nil when there is no mark to write, or none any more. Else `sqlite3_total_changes` at the beginning.
  private var changesBeforeMark: Int32?

  init(_ database: Database, _ connection: Connection, _ work: CommitWork = CommitWork()) {
    self.database = database
    self.connection = connection
    self.work = work
  }

  /// Waits for the write lock, up to the busy timeout.
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
      marksLog = true
      // The process that creates the store writes the first mark.
      if try LogLine.canBeMarked(database) { changesBeforeMark = sqlite3_total_changes(connection.handle) }
    } catch {
      rollBack()
      throw error
    }
  }

  /// Runs just before COMMIT, which could write into a file that no path leads to. Asks the file system once, in about a microsecond.
  private func checkPlace() throws {
    guard ConnectionFactory.hasMoved(connection.handle) else { return }
    throw StoreError(
      .inputOutput, "the store's file was replaced, moved or removed while it was open; nothing was written",
      suggestion: "Close the store, and open it again.")
  }

  /// - Throws: the error that ended the transaction, when SQLite has ended it.
  @inline(__always)
  func check() throws {
    guard sqlite3_get_autocommit(connection.handle) == 0 else { throw reason }
  }

  /// Remembers the first error after which the transaction is no longer open.
  func note(_ error: StoreError) {
    if ended == nil, sqlite3_get_autocommit(connection.handle) != 0 { ended = error }
  }

  private var reason: StoreError {
    ended
      ?? StoreError(
        .rolledBack, "the transaction ended inside its closure; if the closure ran COMMIT itself, its changes are stored",
        suggestion: "Return to commit, throw to roll back.")
  }

  /// Marks the log, if this transaction should and has changed a row. A transaction that changes no row, also one of DDL alone, leaves the
  /// mark to the next.
  private func markLog() throws {
    guard let changes = changesBeforeMark, sqlite3_total_changes(connection.handle) != changes else { return }
    try connection.step(connection.markNewLog)
    connection.checkpoints.leaveOutRows()
    changesBeforeMark = nil
  }

  /// Commits, and runs the work that belongs to every commit before and after it.
  ///
  /// - Parameter movesLog: false: the caller moves the log's pages into the file, when `CheckpointDoor.wantsToMove` says so.
  /// - Throws: with nothing stored.
  func commit(_ writer: Writer, movesLog: Bool = true) throws {
    do {
      try work.runBefore(writer)
      try writer.chainAudit()
      try check()
      try checkPlace()
      if let refusal = connection.checkpoints.archiver?.refusal() { throw refusal }
      try markLog()
      try connection.execute(connection.commitWriting, database)
    } catch {
      rollBack()
      throw error
    }
    connection.noteOwnCommit()
    // Only after its first transaction is it known that a log has started again at its beginning. So the second transaction marks that log.
    connection.hasLogToMark = changesBeforeMark != nil || connection.checkpoints.lastCommitBeganLog && !marksLog
    work.runAfter()
    if movesLog { connection.checkpoints.afterCommit() }
  }

  /// Rolls back, unless SQLite has done so. Returns the error when that fails; SQLite then rolls back when the connection closes.
  @discardableResult
  func rollBack() -> StoreError? {
    if marksLog {
      // The next transaction marks the log, even if the log holds pages of this one.
      connection.hasLogToMark = true
      marksLog = false
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
