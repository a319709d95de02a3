import Foundation
internal import GRDB
internal import GRDBSQLite

/// What the kit keeps for one SQLite connection: its own prepared statements, and the memory they bind from.
///
/// Used only on the connection's own queue. Statements are checked out while they are stepped: the same SQL used inside
/// itself gets a second statement instead of resetting the first.
final class Connection {
  let handle: OpaquePointer
  let arena = BindArena()
  private var texts: [SQLText: Prepared] = [:]
  private var records: [ObjectIdentifier: RecordStatements] = [:]
  private let begin = Prepared("BEGIN DEFERRED")
  private let commit = Prepared("COMMIT")
  private let rollback = Prepared("ROLLBACK")
  /// SQLite's count of other connections' commits, as it was at the last look.
  private var dataVersion: UInt32?
  private let look = Prepared("SELECT 1 FROM sqlite_schema LIMIT 0")
  let beginImmediate = Observed("BEGIN IMMEDIATE")
  let commitWriting = Observed("COMMIT")
  let rollbackWriting = Observed("ROLLBACK")
  private var executed: [SQLText: Observed] = [:]
  /// SQL texts made at run time must not pile up.
  static let keptTexts = 400

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { finalize() }

  /// Lets go of every statement; a connection cannot close before.
  func finalize() {
    for prepared in texts.values { prepared.finalize() }
    texts.removeAll()
    for statements in records.values { statements.finalize() }
    records.removeAll()
    for prepared in [begin, commit, rollback, look] { prepared.finalize() }
    for observed in [beginImmediate, commitWriting, rollbackWriting] { observed.statement = nil }
    executed.removeAll()
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
    let statement = try prepared.take() ?? prepare(prepared.sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      prepared.give(statement)
    }
    return try body(statement)
  }

  func beginReading() throws { try step(begin) }
  func endReading() throws { try step(commit) }
  func abandonReading() throws { try step(rollback) }

  /// Another process may have restored or migrated the file since this connection's last transaction. SQLite notices when a
  /// statement begins to run, and then fails to prepare one with foreign keys again ("no such table"). A plain look reloads the
  /// schema before. Only where another connection has written: the version costs next to nothing, the look a microsecond.
  func noticeOthers() throws {
    var version: UInt32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    guard code != SQLITE_OK || version != dataVersion else { return }
    try step(look)
    if code == SQLITE_OK { dataVersion = version }
  }

  /// Runs a statement without values or rows, unseen by observers.
  private func step(_ prepared: Prepared) throws {
    let statement = try prepared.take() ?? prepare(prepared.sql)
    let code = sqlite3_step(statement)
    // Made before the reset, which takes the message away.
    let error = code == SQLITE_DONE ? nil : failure(code)
    sqlite3_reset(statement)
    prepared.give(statement)
    if let error { throw error }
  }

  /// SQLite empties a whole table without telling of its rows when nobody watched it as the DELETE was compiled: whoever begins to
  /// watch needs statements that are compiled anew.
  func forgetExecuted() { executed.removeAll() }

  /// A statement that GRDB executes, so that its observers see each row that it changes, cascades included.
  func observed(_ sql: String, _ db: Database) throws -> GRDB.Statement {
    let key = SQLText(text: sql)
    if let observed = executed[key] { return try statement(of: observed, db) }
    if executed.count >= Self.keptTexts { executed.removeAll() }
    let observed = Observed(sql)
    let statement = try statement(of: observed, db)
    executed[key] = observed
    return statement
  }

  /// Runs BEGIN, COMMIT or ROLLBACK. One that failed would say so again when GRDB resets it before its next run.
  func execute(_ observed: Observed, _ db: Database) throws {
    let statement = try statement(of: observed, db)
    sqlite3_reset(statement.sqliteStatement)
    try statement.execute()
  }

  func statement(of observed: Observed, _ db: Database) throws -> GRDB.Statement {
    if let statement = observed.statement { return statement }
    let sql = observed.sql
    let statement: GRDB.Statement
    do {
      statement = try db.makeStatement(sql: sql)
    } catch {
      var failure = StoreError(error)
      failure.message += " in: \(sql)"
      throw failure
    }
    let count = Int(sqlite3_bind_parameter_count(statement.sqliteStatement))
    // Values are bound by the kit; GRDB only has to believe that they are there.
    statement.setUncheckedArguments(StatementArguments(Array(repeating: DatabaseValue.null, count: count)))
    observed.statement = statement
    return statement
  }

  func failure(_ code: Int32) -> StoreError {
    StoreError(sqliteCode: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }

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
