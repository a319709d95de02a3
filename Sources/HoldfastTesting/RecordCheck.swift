public import Holdfast

/// Checks what the compiler cannot check: that a record's columns, `init(row:)` and `encode(into:)` agree with each other and with the
/// table.
public enum RecordCheck {
  private struct Done: Error {}

  /// Writes each record into its table, reads it, writes the read record, and compares the two rows value by value.
  ///
  /// Finds a column that does not exist, a column that is not read or bound, two columns that are swapped in one direction, and a value
  /// that changes on the way. Pass records with a different value in every column, and one with nil wherever nil is allowed. Everything
  /// runs in one transaction with deferred foreign keys, and is rolled back, so no parent rows are needed.
  /// - Throws: `.verificationFailed` with the record type, the difference and its place; `.misuse`, `.constraint` and `.decoding` of
  ///   writing and reading.
  public static func verify<Record: StoredRecord>(_ records: [Record], in store: Store) throws {
    do {
      try store.write { tx in
        try tx.execute("PRAGMA defer_foreign_keys = ON")
        for record in records { try verify(record, tx) }
        throw Done()
      }
    } catch is Done {}
  }

  static func verify(_ record: some StoredRecord, in store: Store) throws { try verify([record], in: store) }

  /// The tables of a schema that none of its `records` reads, without full-text indexes. The integrity check does not read their rows.
  ///
  /// - Throws: the errors of making a store in memory.
  public static func tablesWithoutRecord(in schema: StoreSchema) throws -> Set<String> {
    let names = try tables(in: Store.inMemory(schemas: [schema]))
    return Set(names).subtracting(schema.records.map { $0.table })
  }

  /// The tables of a store, without the kit's own tables and those of full-text indexes.
  static func tables(in store: Store) throws -> [String] {
    try store.read { reader in
      try reader.values(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'holdfast_*' AND name NOT GLOB 'sqlite_*'"
      ) { try $0.text() }
    }
  }

  private static func verify<Record: StoredRecord>(_ record: Record, _ tx: Writer) throws {
    let first = try stored(record, tx)
    guard let decoded = try tx.all(Record.self).first else { throw failed(Record.self, "was written and is not in its table") }
    var read = 0
    try tx.rows("SELECT \(columns: Record.self) FROM \(raw: Record.table)", of: Record.table) { row in
      _ = try Record(row: &row)
      read = row.columnsRead
    }
    guard read == Record.columns.count else {
      throw failed(Record.self, "has \(Record.columns.count) columns, and init(row:) reads \(read)")
    }
    let second = try stored(decoded, tx)
    for (column, (written, again)) in zip(Record.columns, zip(first, second)) where written != again {
      throw failed(Record.self, "\(column) was written as \(written), and is \(again) after reading and writing it")
    }
  }

  /// Inserts the record alone into its table, and returns the row.
  private static func stored<Record: StoredRecord>(_ record: Record, _ tx: Writer) throws -> [SQLValue] {
    try tx.execute("DELETE FROM \(raw: Record.table)")
    try tx.insert(record)
    return try tx.value("SELECT \(columns: Record.self) FROM \(raw: Record.table)") { row in
      var values: [SQLValue] = []
      for _ in Record.columns { values.append(try row.value()) }
      return values
    } ?? []
  }

  private static func failed<Record: StoredRecord>(_: Record.Type, _ message: String) -> StoreError {
    var error = StoreError(.verificationFailed, "\(Record.self): \(message)")
    error.table = Record.table
    return error
  }
}
