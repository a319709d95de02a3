internal import GRDBSQLite

/// Binds and reads records of one type without their table, to look at their values. Not `Sendable`: one task at a time.
package final class RecordBench<Record: StoredRecord> {
  private let connection: RawConnection
  private let statement: OpaquePointer

  /// - Throws: `.misuse` when the columns of the type cannot be derived.
  package init() throws {
    try Record.checkColumns()
    connection = try ConnectionFactory.probe()
    let sql = "SELECT " + Record.columns.enumerated().map { "?\($0 + 1) AS \(quoted($1))" }.joined(separator: ", ")
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(connection.handle, sql, -1, &prepared, nil) == SQLITE_OK, let prepared else { throw connection.failure() }
    statement = prepared
  }

  deinit { sqlite3_finalize(statement) }

  /// The values that the record binds, in the order of its columns.
  ///
  /// - Throws: `.invalidValue` for a value that cannot be stored; `.misuse` when it binds another number of values.
  package func values(of record: Record) throws -> [SQLValue] {
    try row {
      try record.encode(into: &$0)
    } read: { row in
      try Record.columns.map { _ in try row.value() }
    }
  }

  /// The record with these values. Throws the errors of reading it.
  package func record(of values: [SQLValue]) throws -> Record {
    try row(of: values) { row in try Record(row: &row) }
  }

  /// Binds the record, reads it, binds what was read, and compares the values.
  ///
  /// - Throws: `.misuse` with the first column that differs; the errors of reading and binding.
  func compare(_ record: Record) throws {
    let columns = Record.columns
    var bound = try values(of: record)
    // The number that SQLite chooses is NULL before, and no stored row has NULL there.
    if let place = columns.firstIndex(where: Record.key.contains), Record.key.count == 1, bound[place] == .null {
      bound[place] = .integer(1)
    }
    let isDerived = DerivedColumns.found(of: Record.self)?.names == columns
    let read = try row(of: bound) { row in
      let read = try Record(row: &row)
      // Columns that follow from the properties are in their order, which a reading by hand need not have.
      guard !isDerived || row.isDerived else { throw RowDecoder.onlyPart(Record.self) }
      return read
    }
    for (column, (first, second)) in zip(columns, zip(bound, try values(of: read))) where first != second {
      throw StoreError(
        .misuse, "\(Record.self) binds \(column) as \(first), and reads a record from it that binds \(second)",
        suggestion: "Bring columns, init(row:) and encode(into:) into one order.")
    }
  }

  /// The column at which the type refuses to read these values, and the kind for which it takes that column. Nil: it reads them all.
  func refusal(of values: [SQLValue]) throws -> (column: Int, kind: ColumnKind?)? {
    try row(of: values) { (row: inout StoredRow) -> (column: Int, kind: ColumnKind?)? in
      do { _ = try Record(row: &row) } catch { return (row.columnsRead - 1, (error as? StoreError)?.columnKind) }
      return nil
    }
  }

  private func row<T>(of values: [SQLValue], read: (inout StoredRow) throws -> T) throws -> T {
    try row({ bound in for value in values { try bound.value(value) } }, read: read)
  }

  private func row<T>(_ bind: (inout Values) throws -> Void, read: (inout StoredRow) throws -> T) throws -> T {
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    var values = Values(copyingInto: statement)
    try bind(&values)
    guard values.count == Record.columns.count else {
      throw StoreError(.misuse, "\(Record.self) binds \(values.count) values for \(Record.columns.count) columns")
    }
    // Stepped by hand: it reads bound values back, and no table.
    guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure() }
    var row = StoredRow(statement)
    return try read(&row)
  }
}

extension StoredRecord where Self: Codable {
  /// A record made from nothing, as the one from which the columns are derived.
  package static func blank() throws -> Self {
    _ = try DerivedColumns.of(Self.self)
    return try Self(from: BlankRecord())
  }
}

extension Reader {
  /// The record whose key columns have these values, in the order of `StoredRecord.key`; nil when there is none.
  package func find<Record: StoredRecord>(_ type: Record.Type, key: [SQLValue]) throws -> Record? {
    try find(type) { values in for value in key { try values.value(value) } }
  }
}
