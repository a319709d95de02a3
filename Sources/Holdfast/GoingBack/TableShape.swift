/// A table as two states of a store are compared: its columns, its foreign keys, and the key by which a row is found in the other state.
struct TableShape: Equatable {
  let name: String
  /// The columns that hold data, in their order: without generated columns, and without a rowid beside another key.
  var columns: [String] = []
  /// The columns that identify a row: the primary key. Where that is only a rowid to which no foreign key points, the first unique key
  /// without NULL. Empty: the table has neither.
  var key: [String] = []
  /// The name by which the table's rowid is reached. Nil for a table without rowids.
  var rowID: String?
  var references: [Reference] = []

  /// A foreign key.
  struct Reference: Equatable {
    /// The parent's name in lower case.
    let table: String
    let from: [String]
    let to: [String]
    /// Whether deleting the parent deletes the row.
    let cascades: Bool
  }

  /// The columns that tell rows of one file apart.
  var identity: [String] { rowID.map { [$0] } ?? key }

  /// The ordinary tables of a database by their names in lower case, without SQLite's own, and without two of the kit that no app changes.
  static func all(_ query: TextQuery, in schema: String = "main") throws -> [String: TableShape] {
    let tables = try SQLTable.all(query, in: schema).filter { !["holdfast_store", "holdfast_insight"].contains($0.name) }
    let keys = Dictionary(tables.map { ($0.name.lowercased(), $0.primaryKey) }) { first, _ in first }
    var shapes: [String: TableShape] = [:]
    for table in tables {
      let references = table.references.map { reference in
        let parent = reference.parent.lowercased()
        // A foreign key that names no columns points at the primary key.
        let to = reference.to.isEmpty ? keys[parent] ?? [] : reference.to
        return Reference(table: parent, from: reference.from, to: to, cascades: reference.cascades)
      }
      shapes[table.name.lowercased()] = TableShape(
        name: table.name, columns: table.given, key: table.primaryKey, rowID: table.rowID, references: references)
    }
    let referenced = Set(shapes.values.flatMap(\.references).map { [$0.table] + $0.to.map { $0.lowercased() } })
    for table in tables where table.hasRowID {
      let name = table.name.lowercased()
      guard let key = table.uniqueKey else { continue }
      if let column = table.rowIDColumn {
        if referenced.contains([name, column.lowercased()]) { continue }
        shapes[name]?.columns.removeAll { $0 == column }
      } else if !table.primaryKey.isEmpty {
        continue
      }
      shapes[name]?.key = key
    }
    return shapes
  }
}

extension BoundSQL {
  /// The condition that columns have these values, NULL included.
  ///
  /// - Parameter exactly: compares texts byte for byte, whatever the column's collation.
  static func match(_ columns: [String], _ values: [SQLValue], exactly: Bool = false) -> BoundSQL {
    let terms = zip(columns, values).map { column, value -> BoundSQL in
      "\(raw: quoted(column)) IS \(value)\(raw: exactly ? " COLLATE BINARY" : "")"
    }
    return .joined(terms, separator: " AND ")
  }
}

extension StoredRow {
  /// The next values, by the names of their columns.
  mutating func values(of columns: [String]) throws -> [String: SQLValue] {
    var values: [String: SQLValue] = [:]
    for column in columns { values[column] = try value() }
    return values
  }
}

extension Writer {
  /// Inserts a row of an earlier time, with its old rowid where that is free: lists may be in the order of rowids. Returns whether it came in.
  func insertAgain(
    _ row: [(column: String, value: SQLValue)], rowID: SQLValue?, into shape: TableShape, onConflict conflict: BoundSQL = ""
  ) throws -> Bool {
    var (columns, values) = (row.map(\.column), row.map { "\($0.value)" as BoundSQL })
    let table = BoundSQL.names([shape.name])
    if let name = shape.rowID, !columns.contains(name), let rowID {
      columns.append(name)
      let isTaken: BoundSQL = "EXISTS (SELECT 1 FROM \(sql: table) WHERE \(sql: .match([name], [rowID])))"
      values.append("CASE WHEN \(sql: isTaken) THEN NULL ELSE \(rowID) END")
    }
    let list: BoundSQL = "(\(sql: .names(columns))) VALUES (\(sql: .joined(values, separator: ", ")))"
    return try execute("INSERT INTO \(sql: table) \(sql: list) \(sql: conflict)") > 0
  }
}
