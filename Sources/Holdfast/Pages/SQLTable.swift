/// A table of any database as SQLite tells it: what its rows hold, what tells them apart, and what they point at.
/// Source: https://www.sqlite.org/pragma.html#pragma_table_list
package struct SQLTable: Equatable, Sendable {
  package struct Column: Equatable, Sendable {
    package let name: String
    /// As declared, in upper case.
    package let type: String
    package let isNotNull: Bool
    /// Its place in the primary key, from 1; 0: it is not in it.
    let keyPlace: Int
    /// The SQL of its default.
    package let fallback: String?
    package let isGenerated: Bool
    /// Whether rows hold it: not a column that is computed when it is read.
    let isStored: Bool
  }

  package struct Index: Equatable, Sendable {
    /// A value of an entry: a column by its number, -1 for the rowid, -2 for an expression, which has no name.
    package struct Part: Equatable, Sendable {
      let column: Int
      package let name: String?
    }

    package let name: String
    package let isUnique: Bool
    package let isPartial: Bool
    /// `c` for CREATE INDEX, `u` for UNIQUE, `pk` for PRIMARY KEY.
    let origin: String
    /// What it is sorted by.
    package fileprivate(set) var key: [Part] = []
    /// What else an entry has, behind the key: the rowid, or the rest of the primary key.
    fileprivate(set) var rest: [Part] = []
  }

  package struct Reference: Equatable, Sendable {
    package let parent: String
    package private(set) var from: [String] = []
    /// The parent's columns; empty: its primary key.
    package private(set) var to: [String] = []
    /// What deleting the parent does: `NO ACTION`, `RESTRICT`, `CASCADE`, `SET NULL` or `SET DEFAULT`.
    package let action: String
    /// What changing the parent's columns does: one of the same.
    package let onUpdate: String
    var cascades: Bool { action == "CASCADE" }

    fileprivate mutating func add(_ child: String, _ column: String?) {
      from.append(child)
      if let column { to.append(column) }
    }
  }

  package let name: String
  let hasRowID: Bool
  let isStrict: Bool
  package private(set) var columns: [Column] = []
  /// In the order of making.
  package private(set) var indexes: [Index] = []
  package private(set) var references: [Reference] = []

  package var isOfKit: Bool { name.lowercased().hasPrefix("holdfast_") }

  /// The names of the columns that an INSERT can give.
  package var given: [String] { columns.filter { !$0.isGenerated }.map(\.name) }

  /// The columns for which an INSERT must give a value.
  package var needed: [String] {
    columns.filter { $0.isNotNull && $0.fallback == nil && !$0.isGenerated && $0.name != rowIDColumn }.map(\.name)
  }

  package var primaryKey: [String] { columns.filter { $0.keyPlace > 0 }.sorted { $0.keyPlace < $1.keyPlace }.map(\.name) }

  /// The column that is the rowid. One with an index of its own is not, whatever its type: INTEGER PRIMARY KEY DESC.
  package var rowIDColumn: String? {
    let key = columns.filter { $0.keyPlace > 0 }
    guard hasRowID, key.count == 1, key[0].type == "INTEGER", !indexes.contains(where: { $0.origin == "pk" }) else { return nil }
    return key[0].name
  }

  /// A name by which the rowid is reached; nil where columns have all its names, or there is none.
  package var rowID: String? {
    let taken = Set(columns.map { $0.name.lowercased() })
    return !hasRowID ? nil : rowIDColumn ?? ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }
  }

  /// The first unique key beside the primary one whose columns cannot be NULL: of the table itself, or else of an index.
  package var uniqueKey: [String]? {
    let solid = Set(columns.filter { $0.isNotNull && !$0.isGenerated }.map(\.name))
    let keys = ["u", "c"].flatMap { origin in indexes.filter { $0.isUnique && !$0.isPartial && $0.origin == origin } }.map(\.key)
    return keys.first { $0.allSatisfy { $0.name.map(solid.contains) ?? false } }?.compactMap(\.name)
  }

  /// The columns in whose order the table keeps its rows.
  package var storedOrder: [String] { hasRowID ? rowID.map { [$0] } ?? given : primaryKey }

  /// The tables of a database, by name: without views and virtual tables, and unless `inner` without SQLite's own and those in which virtual
  /// tables keep their content. `named`: only this one.
  static func all(_ query: TextQuery, in schema: String = "main", named: String? = nil, inner: Bool = false) throws -> [SQLTable] {
    let types = inner ? "('table', 'shadow') AND t.name <> 'sqlite_schema'" : "('table') AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    let name = named.map { " AND t.name = \(literal($0)) COLLATE NOCASE" } ?? ""
    /// Rows without NULL in the first `count` columns, by the table's name.
    func rows(_ columns: String, _ pragma: String, _ order: String) throws -> [ExactText: [[String?]]] {
      let sql = "SELECT t.name, \(columns) FROM pragma_table_list AS t \(pragma) WHERE t.schema = '\(schema)' AND t.type IN \(types)\(name)"
      return try Dictionary(grouping: query("\(sql) ORDER BY t.name\(order)")) { ExactText($0[0] ?? "") }
    }
    func joined(_ pragma: String) -> String { "CROSS JOIN pragma_\(pragma)(t.name, t.schema) AS p" }
    let columns = try rows("p.name, p.type, p.\"notnull\", p.pk, p.hidden, p.dflt_value", joined("table_xinfo"), ", p.cid")
    let indexes = try rows(
      "l.name, l.\"unique\", l.partial, l.origin, p.key, p.cid, p.name",
      "CROSS JOIN pragma_index_list(t.name, t.schema) AS l CROSS JOIN pragma_index_xinfo(l.name, t.schema) AS p", ", l.seq DESC, p.seqno")
    let references = try rows(
      "p.seq, p.\"table\", p.\"from\", p.\"to\", p.on_delete, p.on_update", joined("foreign_key_list"), ", p.id, p.seq")
    return try rows("t.wr, t.strict", "", "").sorted { $0.key < $1.key }.map { name, found in
      var table = SQLTable(name: name.text, hasRowID: found[0][1] == "0", isStrict: found[0][2] == "1")
      table.columns = (columns[name] ?? []).map { row in
        Column(
          name: row[1] ?? "", type: row[2]?.uppercased() ?? "", isNotNull: row[3] == "1", keyPlace: row[4].flatMap { Int($0) } ?? 0,
          fallback: row[6], isGenerated: row[5] == "2" || row[5] == "3", isStored: row[5] != "2")
      }
      for row in indexes[name] ?? [] {
        if table.indexes.last?.name != row[1] {
          table.indexes.append(Index(name: row[1] ?? "", isUnique: row[2] == "1", isPartial: row[3] == "1", origin: row[4] ?? ""))
        }
        let part = Index.Part(column: row[6].flatMap { Int($0) } ?? -2, name: row[7])
        let last = table.indexes.count - 1
        if row[5] == "1" { table.indexes[last].key.append(part) } else { table.indexes[last].rest.append(part) }
      }
      for row in references[name] ?? [] {
        if row[1] == "0" {
          let (action, onUpdate) = (row[5] ?? "NO ACTION", row[6] ?? "NO ACTION")
          table.references.append(Reference(parent: row[2] ?? "", action: action, onUpdate: onUpdate))
        }
        if let child = row[3], !table.references.isEmpty { table.references[table.references.count - 1].add(child, row[4]) }
      }
      return table
    }
  }
}

extension Reader {
  /// The ordinary tables of the store, by name, those of the kit included; with `named`, only that one.
  package func tables(named: String? = nil) throws -> [SQLTable] {
    try checkOpen()
    return try SQLTable.all(database.texts, named: named)
  }
}
