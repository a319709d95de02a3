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
  private var idle: [String: [OpaquePointer]] = [:]
  private var records: [ObjectIdentifier: RecordSQL] = [:]
  private var executed: [String: GRDB.Statement] = [:]
  /// SQL texts made at run time must not pile up.
  private static let keptTexts = 400

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { finalize() }

  /// Lets go of every statement; a connection cannot close before.
  func finalize() {
    forget()
    executed.removeAll()
  }

  @inline(never)
  private func forget() {
    for statement in idle.values.joined() { sqlite3_finalize(statement) }
    idle.removeAll()
  }

  func sql<Record: StoredRecord>(_ type: Record.Type) -> RecordSQL {
    let key = ObjectIdentifier(type)
    if let sql = records[key] { return sql }
    let sql = RecordSQL(type)
    records[key] = sql
    return sql
  }

  /// Runs `body` with a prepared statement that nobody else uses meanwhile.
  @inline(__always)
  func with<T>(_ sql: String, _ body: (OpaquePointer) throws -> T) throws -> T {
    let statement = try idle[sql]?.popLast() ?? prepare(sql)
    defer {
      if idle.count > Self.keptTexts { forget() }
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      idle[sql, default: []].append(statement)
    }
    return try body(statement)
  }

  /// A statement that GRDB executes, so that its observers see each row that it changes, cascades included.
  func observed(_ sql: String, _ db: Database) throws -> GRDB.Statement {
    if let statement = executed[sql] { return statement }
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
    if executed.count > Self.keptTexts { executed.removeAll() }
    executed[sql] = statement
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
