import Foundation
internal import GRDB
internal import GRDBSQLite

/// What the kit keeps for one SQLite connection: its own prepared statements, and the memory they bind from.
///
/// Used only on the connection's own queue. Statements are checked out while values are bound and while they are stepped: the same SQL used
/// inside itself gets a second statement instead of resetting the first.
final class Connection {
  let handle: OpaquePointer
  let checkpoints: CheckpointDoor
  /// How many pieces of work want every commit flushed. Used by `Store.durably`.
  var durableWork = 0
  /// What `interrupting` asks.
  private var isCancelled: () -> Bool = { false }
  private var arena: BindArena? = BindArena()
  private var texts: [SQLText: Prepared] = [:]
  private var records: [ObjectIdentifier: RecordStatements] = [:]
  private let begin = Prepared("BEGIN DEFERRED")
  private let commit = Prepared("COMMIT")
  private let rollback = Prepared("ROLLBACK")
  /// SQLite's count of commits that this connection has seen, as it was at the last look.
  private var dataVersion: UInt32?
  private let look = Prepared("SELECT 1 FROM sqlite_schema LIMIT 0")
  let beginImmediate = Observed("BEGIN IMMEDIATE")
  let commitWriting = Observed("COMMIT")
  let rollbackWriting = Observed("ROLLBACK")
  let markNewLog = Prepared(LogLine.markNewLog)
  /// The last transaction began a log: the next one marks it, if nobody else has committed in between.
  var hasLogToMark = false
  private var executed: [SQLText: Observed] = [:]
  /// SQL texts made at run time must not pile up.
  static let keptTexts = 400

  init(_ handle: OpaquePointer) {
    self.handle = handle
    checkpoints = CheckpointDoor(handle)
  }

  deinit { finalize() }

  /// Lets go of every statement; a connection cannot close before.
  func finalize() {
    for prepared in texts.values { prepared.finalize() }
    texts.removeAll()
    for statements in records.values { statements.finalize() }
    records.removeAll()
    for prepared in [begin, commit, rollback, look, markNewLog] { prepared.finalize() }
    for observed in [beginImmediate, commitWriting, rollbackWriting] { observed.spare = Spare() }
    forgetExecuted()
  }

  /// The statements of one record type.
  func statements<Record: StoredRecord>(of type: Record.Type) -> RecordStatements {
    let key = ObjectIdentifier(type)
    if let statements = records[key] { return statements }
    let statements = RecordStatements(type)
    records[key] = statements
    return statements
  }

  /// The statement of this text.
  func prepared(_ sql: String) -> Prepared {
    let key = SQLText(text: sql)
    if let prepared = texts[key] { return prepared }
    if texts.count >= Self.keptTexts { texts.removeAll() }
    let prepared = Prepared(sql)
    texts[key] = prepared
    return prepared
  }

  /// Runs `body` with a prepared statement that nobody else uses meanwhile.
  @inline(__always)
  func with<T>(_ prepared: Prepared, _ body: (OpaquePointer) throws -> T) throws -> T {
    let statement = try prepared.spare.take() ?? prepare(prepared.sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      prepared.spare.give(statement)
    }
    return try body(statement)
  }

  /// Lends the memory for one statement's values; nil, and SQLite copies them, while another statement is bound from it.
  @inline(__always)
  func withArena<T>(_ body: (BindArena?) throws -> T) rethrows -> T {
    let lent = arena
    arena = nil
    defer { if let lent { arena = lent } }
    return try body(lent)
  }

  /// Runs `body`, and ends its statements with `SQLITE_INTERRUPT` once `isCancelled` says so. It is asked within each statement after
  /// every thousand steps of SQLite's machine: some ten microseconds, where no step is long.
  ///
  /// Not around BEGIN, COMMIT or ROLLBACK: these would be interrupted as well.
  func interrupting<T>(when isCancelled: @escaping () -> Bool, _ body: () throws -> T) rethrows -> T {
    self.isCancelled = isCancelled
    sqlite3_progress_handler(
      handle, 1_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().isCancelled() ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      self.isCancelled = { false }
    }
    return try body()
  }

  /// The same for a flag, which ends a long step, too: a count or a sort of a whole table is one.
  ///
  /// An interruption alone is not enough: SQLite forgets one that comes between the last look at the flag and the first step.
  func interrupting<T>(when cancellation: Flag?, _ body: () throws -> T) rethrows -> T {
    guard let cancellation else { return try body() }
    nonisolated(unsafe) let handle = handle
    let interruption = cancellation.whenRaised { sqlite3_interrupt(handle) }
    defer { cancellation.forget(interruption) }
    return try interrupting(when: { cancellation.isRaised }, body)
  }

  /// Rolls back a transaction that is still open because an earlier ROLLBACK failed.
  @inline(__always)
  func settle(_ db: Database) throws {
    guard sqlite3_get_autocommit(handle) == 0 else { return }
    try execute(rollbackWriting, db)
  }

  /// Compiles ROLLBACK before it is needed: where a transaction fails for want of memory, there is none to compile it.
  func prepareRollback(_ db: Database) throws {
    rollbackWriting.spare.give(try rollbackWriting.spare.take() ?? compile(rollbackWriting.sql, db))
  }

  func beginReading() throws { try step(begin) }
  func endReading() throws { try step(commit) }
  func abandonReading() throws { try step(rollback) }

  /// Another process may have restored or migrated the file since this connection's last transaction. SQLite notices when a
  /// statement begins to run, and then fails to prepare one with foreign keys again ("no such table"). A plain look reloads the
  /// schema before. Only where another connection has written: the version costs next to nothing, the look a microsecond.
  ///
  /// Returns whether another connection has committed since the last call.
  @discardableResult
  func noticeOthers() throws -> Bool {
    if let dataVersion, currentVersion == dataVersion { return false }
    try step(look)
    // The look itself may be what notices.
    dataVersion = currentVersion
    return true
  }

  /// Straight after a commit of this connection, which counts as well.
  func noteOwnCommit() { dataVersion = currentVersion }

  private var currentVersion: UInt32? {
    var version: UInt32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
  }

  /// Runs a statement without values or rows, unseen by observers.
  func step(_ prepared: Prepared) throws {
    let statement = try prepared.spare.take() ?? prepare(prepared.sql)
    let code = sqlite3_step(statement)
    // Made before the reset, which takes the message away.
    let error = code == SQLITE_DONE ? nil : failure(code)
    sqlite3_reset(statement)
    prepared.spare.give(statement)
    if let error { throw error }
  }

  /// SQLite empties a whole table without telling of its rows when nobody watched it as the DELETE was compiled: whoever begins to
  /// watch needs statements that are compiled anew.
  func forgetExecuted() {
    for observed in executed.values { observed.spare = Spare() }
    executed.removeAll()
  }

  /// A statement that GRDB executes, so that its observers see each row that it changes, cascades included.
  func observed(_ sql: String) -> Observed {
    let key = SQLText(text: sql)
    if let observed = executed[key] { return observed }
    if executed.count >= Self.keptTexts { forgetExecuted() }
    let observed = Observed(sql)
    executed[key] = observed
    return observed
  }

  /// Runs BEGIN, COMMIT or ROLLBACK.
  func execute(_ observed: Observed, _ db: Database) throws { try execute(observed, db) { _ in } }

  /// Binds values to a statement that nobody else uses meanwhile, and runs it under the eyes of the observers.
  @inline(__always)
  func execute(_ observed: Observed, _ db: Database, _ bind: (OpaquePointer) throws -> Void) throws {
    let statement = try observed.spare.take() ?? compile(observed.sql, db)
    let handle = statement.sqliteStatement
    // One that failed would say so again when it is reset before its next run.
    sqlite3_reset(handle)
    do {
      try bind(handle)
    } catch {
      // The caller's own error, or a value that cannot be bound.
      observed.spare.give(statement)
      throw error
    }
    do {
      try statement.execute()
    } catch {
      let failure = failure(error)
      sqlite3_reset(handle)
      observed.spare.give(statement)
      throw failure
    }
    sqlite3_reset(handle)
    guard sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) == 0 || observed.controlsTransaction else {
      // The schema has changed since the statement was compiled, and GRDB's account of the tables that it touches is of before: a trigger
      // that came since may have changed any of them. The next run gets a new statement.
      return try db.notifyChanges(in: .fullDatabase)
    }
    observed.spare.give(statement)
  }

  private func compile(_ sql: String, _ db: Database) throws -> GRDB.Statement {
    let statement: GRDB.Statement
    do {
      statement = try db.makeStatement(sql: sql)
    } catch {
      var failure = failure(error)
      failure.message += " in: \(sql)"
      throw failure
    }
    let count = Int(sqlite3_bind_parameter_count(statement.sqliteStatement))
    // Values are bound by the kit; GRDB only has to believe that they are there.
    statement.setUncheckedArguments(StatementArguments(Array(repeating: DatabaseValue.null, count: count)))
    return statement
  }

  func failure(_ code: Int32) -> StoreError { StoreError(sqlite: handle, code) }

  /// An error of GRDB's or ours, with the system's reason as SQLite kept it for this connection.
  func failure(_ error: any Error) -> StoreError { StoreError(error, systemCode: sqlite3_system_errno(handle)) }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    let code = sql.withCString { text in
      let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
      // A second statement behind the first would never run.
      if code == SQLITE_OK, let rest, String(cString: rest).contains(where: { !$0.isWhitespace && $0 != ";" }) {
        sqlite3_finalize(statement)
        statement = nil
        return SQLITE_MISUSE
      }
      return code
    }
    guard code == SQLITE_OK else {
      if code == SQLITE_MISUSE { throw StoreError(.misuse, "only one statement at a time can be prepared: \(sql)") }
      var error = failure(code)
      error.message += " in: \(sql)"
      throw error
    }
    guard let statement else { throw StoreError(.misuse, "there is no statement in: \(sql)") }
    return statement
  }
}

extension Database {
  /// The kit's state for a connection of no store, while `body` runs.
  func withConnection<T>(_ body: (Connection) throws -> T) throws -> T {
    guard let handle = sqliteConnection else { throw StoreError(.closed, "the connection is closed") }
    let connection = Connection(handle)
    defer {
      connection.checkpoints.stopListening()
      connection.finalize()
    }
    return try body(connection)
  }
}
