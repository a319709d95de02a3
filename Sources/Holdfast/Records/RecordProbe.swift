internal import GRDBSQLite

/// Binds and reads a record type without its table, by a statement that gives back the values that it was given.
struct RecordProbe<Record: StoredRecord> {
  private let columns: [String]
  private let sql: String

  init(_: Record.Type) {
    columns = Record.columns
    sql = "SELECT " + columns.enumerated().map { "?\($0 + 1) AS \(quoted($1))" }.joined(separator: ", ")
  }

  /// Binds the record, reads it, binds what was read, and compares the values.
  ///
  /// - Throws: `.misuse` with the first column that differs; the errors of reading and binding.
  func compare(_ record: Record, _ connection: Connection) throws {
    var (read, bound): (Record?, [SQLValue]) = (nil, [])
    guard try row(connection, { try record.encode(into: &$0) }, { bound = try values(&$0) }) else { return }
    // The number that SQLite chooses is NULL before, and no stored row has NULL there.
    if let place = columns.firstIndex(where: Record.key.contains), Record.key.count == 1, bound[place] == .null {
      bound[place] = .integer(1)
    }
    let isDerived = DerivedColumns.found(of: Record.self)?.names == columns
    try row(
      connection, { for value in bound { try $0.value(value) } },
      { row in
        read = try Record(row: &row)
        // Columns that follow from the properties are in their order, which a reading by hand need not have.
        guard !isDerived || row.isDerived else { throw RowDecoder.onlyPart(Record.self) }
      })
    guard let read else { return }
    var again: [SQLValue] = []
    try row(connection, { try read.encode(into: &$0) }, { again = try values(&$0) })
    for (column, (first, second)) in zip(columns, zip(bound, again)) where first != second {
      throw StoreError(
        .misuse, "\(Record.self) binds \(column) as \(first), and reads a record from it that binds \(second)",
        suggestion: "Bring columns, init(row:) and encode(into:) into one order.")
    }
  }

  /// Gives a row of the values that `bind` binds to `read`. False when `bind` bound another number of values.
  @discardableResult
  private func row(_ connection: Connection, _ bind: (inout Values) throws -> Void, _ read: (inout StoredRow) throws -> Void) throws -> Bool
  {
    try connection.with(connection.prepared(sql)) { statement in
      var values = Values(copyingInto: statement)
      try bind(&values)
      guard values.count == columns.count else { return false }
      // Stepped by hand: it reads bound values back, and no table.
      guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure(sqlite3_errcode(connection.handle)) }
      var row = StoredRow(statement)
      try read(&row)
      return true
    }
  }

  private func values(_ row: inout StoredRow) throws -> [SQLValue] {
    var values: [SQLValue] = []
    for _ in columns { values.append(try row.value()) }
    return values
  }
}
