internal import GRDBSQLite

/// Puts the rows of one table into its new table, as SQLite itself would: with every rule of the table.
final class SalvageInserts {
  private let table: SalvageTable
  private let target: String
  private let connection: RawConnection
  /// By the number of values in a row: columns that were added later get their default.
  private var statements: [Int: SalvageInsert] = [:]
  private lazy var rowid = table.stored.contains { $0.name.lowercased() == "rowid" } ? "_rowid_" : "rowid"

  /// - Parameter target: another table than `table` where a full-text index keeps its content in `table`.
  init(_ table: SalvageTable, into target: String, in connection: RawConnection) {
    (self.table, self.target, self.connection) = (table, target, connection)
  }

  /// Returns whether the row came in: not where it breaks a constraint, or a value has a wrong type.
  func insert(_ row: RawPage.Row) throws -> Bool {
    let statement = try statements[row.values.count] ?? prepare(row)
    statements[row.values.count] = statement
    return try statement.insert(named(row).map(\.value))
  }

  /// Whether the same row came in already.
  func isThere(_ row: RawPage.Row) throws -> Bool {
    let named = named(row)
    let condition = named.map { "\(quoted($0.name)) IS ?" }.joined(separator: " AND ")
    let sql = "SELECT 1 FROM \(quoted(table.name)) WHERE \(condition) LIMIT 1"
    return try !connection.values(BoundSQL(raw: sql, named.map(\.value))) { _ in true }.isEmpty
  }

  private func prepare(_ row: RawPage.Row) throws -> SalvageInsert {
    var names = named(row).map(\.name)
    if target != table.name {
      names = try ["rowid"] + connection.values("SELECT name FROM pragma_table_info(\(target))") { try $0.text() }
    }
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    return try SalvageInsert(
      "INSERT INTO \(quoted(target)) (\(names.map(quoted).joined(separator: ", "))) VALUES (\(marks))", in: connection)
  }

  private func named(_ row: RawPage.Row) -> [(name: String, value: SQLValue)] {
    var named: [(name: String, value: SQLValue)] = []
    for (place, value) in row.values.enumerated() where place < table.stored.count && !table.generated.contains(table.stored[place].name) {
      named.append((table.stored[place].name, place == table.rowidColumn ? .integer(row.rowid ?? 0) : value))
    }
    if table.hasRowid, table.rowidColumn == nil { named.append((rowid, .integer(row.rowid ?? 0))) }
    return named
  }
}

/// One statement that inserts a row.
final class SalvageInsert {
  private let connection: RawConnection
  private let statement: OpaquePointer

  init(_ sql: String, in connection: RawConnection) throws {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.failure(code) }
    (self.connection, statement) = (connection, prepared)
  }

  deinit { sqlite3_finalize(statement) }

  func insert(_ values: [SQLValue]) throws -> Bool {
    defer { sqlite3_reset(statement) }
    var bound = Values(copyingInto: statement)
    for value in values { try bound.value(value) }
    // Stepped by hand: a new file that nobody has open.
    let code = sqlite3_step(statement)
    if code == SQLITE_DONE { return true }
    if code & 0xFF == SQLITE_CONSTRAINT { return false }
    throw connection.failure(code)
  }
}
