package import Holdfast

/// What follows from a table: a list of its rows, a kind of thing, and what a search finds in it. Values are shown as the file describes them.
package struct ShownTable: Sendable {
  private typealias Row = [ShownValue]

  package let name: String
  let columns: [String]
  private let key: [String]
  /// The column with a number that only this file gives: for programs only. Nil: none.
  private let number: String?
  /// At most so many rows of a table are shown with the row that they belong to.
  private static let most = 100

  package init(_ name: String, _ columns: [String], key: [String], number: String? = nil) {
    (self.name, self.columns, self.key, self.number) = (name, columns, key, number)
  }

  init(_ record: any StoredRecord.Type) { self.init(record.table, record.columns, key: record.key) }

  private var fields: [ShownField<Row>] {
    columns.enumerated().map { place, name in
      ShownField<Row>(name, name == number ? nil : name.uppercased(), shrinks: !key.contains(name)) { row in
        row.indices.contains(place) ? row[place] : .text(nil)
      }
    }
  }

  private var source: BoundSQL { .names([name]) }
  /// Qualified, because an index may have columns of these names.
  private var selected: BoundSQL { .joined(columns.map { "\(sql: source).\(sql: .names([$0]))" }, separator: ", ") }

  /// The rows as they are stored.
  package var list: ListDescription {
    ListDescription(name, "as they are stored", fields) {
      try $0.count("SELECT count(*) FROM \(sql: source)")
    } rows: { reader, offset, limit, body in
      let description = try reader.description()
      let order = try reader.tables(named: name).first?.storedOrder ?? key
      // SQLite reads a negative limit as none.
      let window: BoundSQL = "LIMIT \(limit ?? -1) OFFSET \(offset)"
      try reader.rows("SELECT \(sql: .names(columns)) FROM \(sql: source) ORDER BY \(sql: .names(order)) \(sql: window)") { row in
        try body(shown(&row, description))
      }
    }
  }

  private func shown(_ row: inout StoredRow, _ description: StoreDescription) throws -> Row {
    try columns.map { description.shown(try row.value(), in: name, $0) }
  }

  /// A row with what it contains: the rows that are deleted with it. Nil unless one column identifies the rows.
  package var kind: ShownKind? {
    guard key.count == 1 else { return nil }
    let id = BoundSQL.names(key)
    let label = columns.first { ["title", "name"].contains($0.lowercased()) }.map { BoundSQL.names([$0]) } ?? id
    return ShownKind(name) { wanted, reader in
      let condition: BoundSQL
      switch wanted {
      case .id(let text): condition = "\(sql: id) IN (\(text), \(text.lowercased()), \(text.uppercased()))"
      case .beginning(let text): condition = "\(sql: ShownKind.begins(id, text)) AND typeof(\(sql: id)) = 'text'"
      case .name(let text): condition = "\(sql: label) = \(text) COLLATE NOCASE"
      }
      let description = try reader.description()
      return try reader.values(
        """
        SELECT CAST(\(sql: id) AS TEXT), coalesce(CAST(\(sql: label) AS TEXT), ''), \(sql: id), \(sql: .names(columns))
        FROM \(sql: source) WHERE \(sql: condition) LIMIT 6
        """
      ) { row in
        let (id, label, value) = (try row.text(), try row.text(), try row.value())
        let shown = try shown(&row, description)
        return ShownKind.Found(id, label) { try answer(shown, value, $0) }
      }
    }
  }

  private func answer(_ row: Row, _ id: SQLValue, _ reader: Reader) throws -> Shown {
    var contents: [String: JSONValue] = [:]
    var blocks = [fields.facts(of: row)]
    for (table, column) in try parts(in: reader) {
      let part = try table.rows(where: column, is: id, in: reader)
      contents[table.name] = part.object
      blocks.append(part.block)
    }
    return Shown(members(of: row, beside: contents.isEmpty ? [:] : ["contents": .object(contents)]), blocks)
  }

  /// A row's members and other ones of the document, whose names a column may have.
  private func members(of row: Row, beside others: [String: JSONValue]) -> [String: JSONValue] {
    let taken = Set(["kind", "ok", "schema", "store"]).union(others.keys)
    let own = fields.members(of: row).map { taken.contains($0) ? ("column_\($0)", $1) : ($0, $1) }
    return Dictionary(own) { first, _ in first }.merging(others) { _, other in other }
  }

  /// The tables whose rows are deleted with a row of this one, each with the column that names that row.
  private func parts(in reader: Reader) throws -> [(table: ShownTable, column: String)] {
    let description = try reader.description()
    return try reader.tables().filter { !$0.isOfKit && !description.isNeverExported($0.name) }.compactMap { table in
      let reference = table.references.first { reference in
        reference.parent.lowercased() == name.lowercased() && reference.action == "CASCADE" && reference.from.count == 1
          && (reference.to.isEmpty || reference.to.map { $0.lowercased() } == key.map { $0.lowercased() })
      }
      // A number that only this file gives says nothing beside another key.
      let columns = table.given.filter { $0 != table.rowIDColumn || table.uniqueKey == nil }
      return reference.map { (ShownTable(table.name, columns, key: table.storedOrder), $0.from[0]) }
    }
  }

  private func rows(where column: String, is value: SQLValue, in reader: Reader) throws -> (object: JSONValue, block: ShownBlock) {
    let description = try reader.description()
    let condition: BoundSQL = "FROM \(sql: source) WHERE \(sql: .names([column])) = \(value)"
    let total = try reader.count("SELECT count(*) \(sql: condition)")
    let rows = try reader.values(
      "SELECT \(sql: .names(columns)) \(sql: condition) ORDER BY \(sql: .names(key)) LIMIT \(Self.most)"
    ) { row in try shown(&row, description) }
    let title = total > rows.count ? "\(name), the first \(rows.count) of \(total)" : name
    return (
      .object(["total": .integer(Int64(total)), "rows": .array(rows.map(fields.object))]), fields.table(of: rows, title: title)
    )
  }

  /// What a full-text index of this table finds, as hits and as a table for people.
  package func found(
    _ text: String, in index: String, ranked: Bool, limit: Int, _ reader: Reader
  ) throws -> (hits: [JSONValue], table: ShownBlock) {
    guard let query = SearchText.query(text) else { return ([], .facts([])) }
    let (description, index) = (try reader.description(), BoundSQL.names([index]))
    // CROSS JOIN keeps SQLite from beginning with the table.
    let rows = try reader.values(
      """
      SELECT \(sql: selected) FROM \(sql: index) CROSS JOIN \(sql: source) ON \(sql: source).rowid = \(sql: index).rowid
      WHERE \(sql: index) MATCH \(query) ORDER BY \(sql: index).\(raw: ranked ? "rank" : "rowid") LIMIT \(max(1, limit))
      """
    ) { row in try shown(&row, description) }
    return (rows.map { .object(members(of: $0, beside: ["kind": .string(name)])) }, fields.table(of: rows, title: name))
  }
}
