import Foundation
internal import GRDB
internal import GRDBSQLite

/// The kit's state for one SQLite connection: its own prepared statements, and the memory from which they bind values.
///
/// Used only on the connection's own queue. A statement is checked out while it is bound and stepped. SQL that runs inside the same SQL
/// gets a second statement, and the first is not reset.
final class Connection {
  let handle: OpaquePointer
  let checkpoints: CheckpointDoor
  let watch: StatementWatch
  /// How many calls are under way whose commits SQLite flushes itself: `Store.durably`, and `Store.onWriter` of a durable store.
  var durableWork = 0
  /// The closure given to `interrupting`.
  private var isCancelled: () -> Bool = { false }
  private var arena: BindArena? = BindArena()
  private var texts: [SQLText: Prepared] = [:]
  private var records: [ObjectIdentifier: RecordStatements] = [:]
  let begin = Prepared("BEGIN DEFERRED")
  let commit = Prepared("COMMIT")
  let rollback = Prepared("ROLLBACK")
  /// `currentVersion` at the last look: a number that changes when another connection commits.
  private var dataVersion: UInt32?
  private let look = Prepared("SELECT 1 FROM sqlite_schema LIMIT 0")
  let beginImmediate = Observed("BEGIN IMMEDIATE")
  let commitWriting = Observed("COMMIT")
  let rollbackWriting = Observed("ROLLBACK")
  let markNewLog = Prepared(LogLine.markNewLog)
  /// The last transaction began a log. The next one marks it, unless another connection has committed in between.
  var hasLogToMark = false
  private var executed: [SQLText: Observed] = [:]
  /// At most this many statements are kept, because an app may make SQL texts without end at run time.
  static let keptTexts = 400

  init(_ handle: OpaquePointer, _ watch: StatementWatch = StatementWatch()) {
    self.handle = handle
    self.watch = watch
    checkpoints = CheckpointDoor(handle)
  }

  deinit { finalize() }

  /// Finalizes every statement. SQLite does not close a connection that still has statements.
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
  func statements<Record: StoredRecord>(of type: Record.Type) throws -> RecordStatements {
    let key = ObjectIdentifier(type)
    if let statements = records[key] { return statements }
    try type.checkColumns()
    let statements = RecordStatements(type)
    records[key] = statements
    return statements
  }

  /// The prepared statements of one SQL text.
  func prepared(_ sql: String) -> Prepared {
    let key = SQLText(text: sql)
    if let prepared = texts[key] { return prepared }
    if texts.count >= Self.keptTexts { texts.removeAll() }
    let prepared = Prepared(sql)
    texts[key] = prepared
    return prepared
  }

  /// Runs `body` with a prepared statement that no other code uses meanwhile.
  @inline(__always)
  func with<T>(_ prepared: Prepared, _ body: (OpaquePointer) throws -> T) throws -> T {
    let statement = try prepared.spare.take() ?? compile(prepared)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      prepared.spare.give(statement)
    }
    return try body(statement)
  }

  private func compile(_ prepared: Prepared) throws -> OpaquePointer {
    // The schema may be another than when its last statement was compiled.
    prepared.tables = nil
    return try prepare(prepared.sql)
  }

  /// Lends the memory for one statement's values. Nil while another statement uses it: SQLite then copies the values.
  @inline(__always)
  func withArena<T>(_ body: (BindArena?) throws -> T) rethrows -> T {
    let lent = arena
    arena = nil
    defer { if let lent { arena = lent } }
    return try body(lent)
  }

  /// Runs `body`. As soon as `isCancelled` returns true, the statements of `body` fail with `SQLITE_INTERRUPT`. SQLite calls `isCancelled`
  /// after every 1,000 steps of its virtual machine: about every ten microseconds, unless a step is long.
  ///
  /// Do not run BEGIN, COMMIT or ROLLBACK in `body`: they would be interrupted as well.
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

  /// Runs `body` until `cancellation` is raised. A raised flag ends a long step, too, such as a count or a sort of a whole table.
  ///
  /// `sqlite3_interrupt` alone is not enough: SQLite forgets an interrupt that comes between the last look at the flag and the first step.
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

  /// Compiles ROLLBACK before it is needed. When a transaction fails for lack of memory, there is no memory to compile ROLLBACK then.
  func prepareRollback(_ db: Database) throws {
    rollbackWriting.spare.give(try rollbackWriting.spare.take() ?? compile(rollbackWriting.sql, db))
  }

  /// Reloads the schema when another connection has written since this connection's last transaction, for example a restore or a migration.
  /// Without this, SQLite notices the new schema only when a statement runs, and then cannot prepare a statement with foreign keys again
  /// ("no such table"). Reading the version costs almost nothing; reloading costs a microsecond.
  ///
  /// Returns whether another connection has committed since the last call.
  @discardableResult
  func noticeOthers() throws -> Bool {
    if let dataVersion, currentVersion == dataVersion { return false }
    try step(look)
    // Reading the schema may itself change the version.
    dataVersion = currentVersion
    return true
  }

  /// Call directly after a commit of this connection, because that commit changes the version, too.
  func noteOwnCommit() { dataVersion = currentVersion }

  private var currentVersion: UInt32? {
    var version: UInt32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version) == SQLITE_OK ? version : nil
  }

  /// Runs a statement without values or rows. Observers do not see it.
  func step(_ prepared: Prepared) throws {
    try with(prepared) { statement in
      // Stepped by hand: BEGIN, COMMIT and ROLLBACK change no table.
      let code = sqlite3_step(statement)
      guard code == SQLITE_DONE else { throw failure(code) }
    }
  }

  /// Drops the statements that GRDB executes. A DELETE of a whole table that was compiled without an observer reports no rows. So a new
  /// observer needs newly compiled statements.
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

  /// Binds values to a statement that no other code uses meanwhile, and runs it. Observers see the changes.
  @inline(__always)
  func execute(_ observed: Observed, _ db: Database, _ bind: (OpaquePointer) throws -> Void) throws {
    let statement = try observed.spare.take() ?? compile(observed.sql, db)
    let handle = statement.sqliteStatement
    // A statement that failed reports its error again at its next reset, which must not be the next run.
    sqlite3_reset(handle)
    do {
      try bind(handle)
    } catch {
      // The error of the caller's `bind`, or a value that cannot be bound.
      observed.spare.give(statement)
      throw error
    }
    // BEGIN waits for the write lock, which is counted for each verb.
    let run = observed.controlsTransaction ? nil : watch.begin(handle)
    do {
      defer { watch.end(run, handle, observed.sql) }
      try statement.execute()
    } catch {
      let failure = failure(error)
      sqlite3_reset(handle)
      observed.spare.give(statement)
      throw failure
    }
    sqlite3_reset(handle)
    guard sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0) == 0 || observed.controlsTransaction else {
      // The schema has changed since the statement was compiled. GRDB's list of the tables that the statement changes is older: a new
      // trigger may have changed any table. The next run compiles a new statement.
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
    // The kit binds the values itself. These values only keep GRDB from refusing the statement.
    statement.setUncheckedArguments(StatementArguments(Array(repeating: DatabaseValue.null, count: count)))
    return statement
  }

  func failure(_ code: Int32) -> StoreError { StoreError(sqlite: handle, code) }

  /// An error of GRDB or of the kit, with the system's error number that SQLite kept for this connection.
  func failure(_ error: any Error) -> StoreError { StoreError(error, path: nil, systemCode: sqlite3_system_errno(handle)) }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    var rest: UnsafePointer<CChar>?
    let code = sql.withCString { text in
      let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
      // SQLite would never run a second statement behind the first.
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
  /// Runs `body` with the kit's state for a connection that belongs to no store.
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
