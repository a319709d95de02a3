/// A table as two states of a store are compared: its columns, the key by which a row of one state is found in the other, and its foreign
/// keys.
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
    var from: [String] = []
    var to: [String] = []
    /// Whether deleting the parent deletes the row.
    var cascades = false
  }

  /// The columns that tell rows of one file apart.
  var identity: [String] { rowID.map { [$0] } ?? key }

  /// The ordinary tables of a database by their names in lower case, without SQLite's own, and without the kit's mark of the log and its
  /// figures by day, which no app changes.
  static func all(_ query: TextQuery, in schema: String = "main") throws -> [String: TableShape] {
    let tables = """
      t.schema = '\(schema)' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT IN ('holdfast_store', 'holdfast_insight')
      """
    var shapes: [String: TableShape] = [:]
    var primary: [String: [(place: Int, column: String, type: String)]] = [:]
    var withoutRowID: Set<String> = []
    let columns = try query(
      """
      SELECT t.name, t.wr, c.name, c.type, c.pk FROM pragma_table_list AS t CROSS JOIN pragma_table_info(t.name, t.schema) AS c
      WHERE \(tables) ORDER BY t.name, c.cid
      """)
    for row in columns {
      guard row.count == 5, let name = row[0], let column = row[2], let place = row[4].flatMap({ Int($0) }) else { continue }
      let table = name.lowercased()
      shapes[table, default: TableShape(name: name)].columns.append(column)
      if place > 0 { primary[table, default: []].append((place, column, row[3]?.uppercased() ?? "")) }
      if row[1] == "1" { withoutRowID.insert(table) }
    }
    for (table, columns) in primary { shapes[table]?.key = columns.sorted { $0.place < $1.place }.map(\.column) }
    try readReferences(query, tables, into: &shapes)
    let unique = try uniqueKeys(query, tables)
    let referenced = Set(shapes.values.flatMap(\.references).map { [$0.table] + $0.to.map { $0.lowercased() } })
    for (table, var shape) in shapes where !withoutRowID.contains(table) {
      let taken = Set(shape.columns.map { $0.lowercased() })
      shape.rowID = ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
      if let alias = primary[table], alias.count == 1, let column = alias.first, column.type == "INTEGER" {
        shape.rowID = column.column
        if let key = unique[table], !referenced.contains([table, column.column.lowercased()]) {
          shape.key = key
          shape.columns.removeAll { $0 == column.column }
        }
      } else if shape.key.isEmpty, let key = unique[table] {
        shape.key = key
      }
      shapes[table] = shape
    }
    return shapes
  }

  private static func readReferences(_ query: TextQuery, _ tables: String, into shapes: inout [String: TableShape]) throws {
    let rows = try query(
      """
      SELECT t.name, f.seq, f."table", f."from", f."to", f.on_delete
      FROM pragma_table_list AS t CROSS JOIN pragma_foreign_key_list(t.name, t.schema) AS f
      WHERE \(tables) ORDER BY t.name, f.id, f.seq
      """)
    for row in rows {
      guard row.count == 6, let table = row[0]?.lowercased(), let parent = row[2]?.lowercased(), let from = row[3] else { continue }
      if row[1] == "0" { shapes[table]?.references.append(Reference(table: parent, cascades: row[5] == "CASCADE")) }
      guard let last = shapes[table]?.references.indices.last else { continue }
      shapes[table]?.references[last].from.append(from)
      if let to = row[4] { shapes[table]?.references[last].to.append(to) }
    }
    // A foreign key that names no columns points at the primary key.
    for (table, shape) in shapes {
      for (place, reference) in shape.references.enumerated() where reference.to.isEmpty {
        let key = shapes[reference.table]?.key ?? []
        shapes[table]?.references[place].to = key
      }
    }
  }

  /// The first unique key of each table whose columns cannot be NULL. An index over an expression has a column without a name.
  private static func uniqueKeys(_ query: TextQuery, _ tables: String) throws -> [String: [String]] {
    let rows = try query(
      """
      SELECT t.name, l.name, p.name, (SELECT c."notnull" FROM pragma_table_info(t.name, t.schema) AS c WHERE c.name = p.name)
      FROM pragma_table_list AS t CROSS JOIN pragma_index_list(t.name, t.schema) AS l CROSS JOIN pragma_index_info(l.name, t.schema) AS p
      WHERE l."unique" = 1 AND l.partial = 0 AND l.origin <> 'pk' AND \(tables) ORDER BY t.name, l.origin DESC, l.seq DESC, p.seqno
      """)
    var (columns, withNull): ([String: [String]], Set<String>) = ([:], [])
    var order: [(table: String, index: String)] = []
    for row in rows {
      guard row.count == 4, let table = row[0]?.lowercased(), let index = row[1] else { continue }
      if columns[index] == nil { order.append((table, index)) }
      columns[index, default: []].append(row[2] ?? "")
      if row[3] != "1" { withNull.insert(index) }
    }
    let keys = order.filter { !withNull.contains($0.index) }.map { ($0.table, columns[$0.index] ?? []) }
    return Dictionary(keys, uniquingKeysWith: { first, _ in first })
  }
}
