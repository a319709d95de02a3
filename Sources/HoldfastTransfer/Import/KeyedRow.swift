import Holdfast

/// A row for a table of a store, found again by its key. No code of the store's app is needed for it.
struct KeyedRow {
  let table: String
  let columns: [String]
  /// In the order of `columns`.
  let values: [SQLValue]
  /// The columns of the key, as places in `columns`.
  let key: [Int]

  /// SQL that is true for the stored row with this row's key, to the byte: a column that ignores case finds it by its index all the same.
  var condition: BoundSQL {
    let same = key.map { place -> BoundSQL in
      let name = BoundSQL.names([columns[place]])
      return "\(sql: name) = \(values[place]) AND \(sql: name) = \(values[place]) COLLATE BINARY"
    }
    return .joined(same, separator: " AND ")
  }

  /// Changes the row with this key, or else inserts it. Never replaces a row with another key.
  func write(in tx: Writer) throws {
    let name = BoundSQL.names([table])
    let changes = zip(columns, values).enumerated().filter { !key.contains($0.offset) }.map { _, one -> BoundSQL in
      "\(sql: .names([one.0])) = \(one.1)"
    }
    var isThere = false
    if !changes.isEmpty {
      let set = BoundSQL.joined(changes, separator: ", ")
      // Whatever the table says of conflicts: a row of the store is never replaced by one with another key.
      isThere = try tx.execute("UPDATE OR ABORT \(sql: name) SET \(sql: set) WHERE \(sql: condition)") > 0
    }
    if !isThere {
      let marks = BoundSQL.joined(values.map { "\($0)" }, separator: ", ")
      try tx.execute("INSERT OR ABORT INTO \(sql: name) (\(sql: .names(columns))) VALUES (\(sql: marks))")
    }
  }

  /// Refuses a row that is not stored as the source has it: a column's type, or a trigger, may have changed a value.
  static func check(_ stored: StoredShape?, is wanted: [SourceField]) throws {
    let stored = stored?.fields ?? []
    guard stored != wanted else { return }
    let changed = zip(wanted, stored).first { $0 != $1 }?.0.name
    throw StoreError(.invalidValue, "the store would keep \(changed.map { "another value of \($0)" } ?? "no such row")")
  }
}
