import Foundation
internal import GRDBSQLite

/// How the rows of a table differ between two moments.
public struct TableDifference: Sendable, Codable, Equatable {
  /// The table's name.
  public var table: String
  /// Rows that only the later moment has.
  public var added: Int
  /// Rows that only the earlier moment has.
  public var removed: Int
  /// Rows that both have, with different values.
  public var changed: Int
}

/// Compares two database files.
struct StoreDifference {
  private let connection: RawConnection

  /// The tables with a difference, by name. Rows are matched by their key: the primary key, or, where that is only the row's number, the first
  /// other unique key that cannot be NULL. Leaves out indexes, and the kit's mark of the log.
  ///
  /// - Parameters:
  ///   - old: may be a store in use.
  ///   - new: a file that nothing else has open.
  static func between(_ old: URL, _ new: URL, _ options: StoreOptions) throws -> [TableDifference] {
    guard options.key == nil else { throw StoreError(.misuse, "two moments of an encrypted store cannot be compared yet") }
    let connection = try ConnectionFactory(old.path, options).copySource()
    try connection.run("ATTACH '\(new.path.replacing("'", with: "''"))' AS newer")
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    return try StoreDifference(connection: connection).tables()
  }

  private func tables() throws -> [TableDifference] {
    let old = try Set(ordinary("main"))
    let new = try Set(ordinary("newer"))
    return try old.union(new).subtracting(["holdfast_store"]).sorted().compactMap { table in
      let name = quoted(table)
      guard old.contains(table) else { return try different(table, added: count("SELECT count(*) FROM newer.\(name)")) }
      guard new.contains(table) else { return try different(table, removed: count("SELECT count(*) FROM main.\(name)")) }
      let outline = try TableKey(table, connection.texts)
      let newColumns = try Set(TableKey(table, connection.texts, schema: "newer").columns)
      let matches = outline.key.map { "o.\(quoted($0)) = n.\(quoted($0))" }.joined(separator: " AND ")
      let equal = outline.columns.filter(newColumns.contains).map { column in
        "o.\(quoted(column)) IS n.\(quoted(column)) COLLATE BINARY AND typeof(o.\(quoted(column))) = typeof(n.\(quoted(column)))"
      }
      return try different(
        table,
        added: count("SELECT count(*) FROM newer.\(name) AS n WHERE NOT EXISTS (SELECT 1 FROM main.\(name) AS o WHERE \(matches))"),
        removed: count("SELECT count(*) FROM main.\(name) AS o WHERE NOT EXISTS (SELECT 1 FROM newer.\(name) AS n WHERE \(matches))"),
        changed: equal.isEmpty
          ? 0
          : count(
            "SELECT count(*) FROM newer.\(name) AS n CROSS JOIN main.\(name) AS o ON \(matches) WHERE NOT (\(equal.joined(separator: " AND ")))"))
    }
  }

  private func different(_ table: String, added: Int = 0, removed: Int = 0, changed: Int = 0) -> TableDifference? {
    added + removed + changed == 0 ? nil : TableDifference(table: table, added: added, removed: removed, changed: changed)
  }

  private func count(_ sql: String) throws -> Int { try connection.texts(sql).first?.first?.flatMap { Int($0) } ?? 0 }

  private func ordinary(_ schema: String) throws -> [String] {
    try connection.texts(
      "SELECT name FROM pragma_table_list WHERE schema = '\(schema)' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).compactMap { $0[0] }
  }
}

/// How a table's rows are found again in another file.
struct TableKey {
  /// Never empty: at worst the row's number.
  let key: [String]
  /// The columns whose values are the table's content. Without the row's number, unless that is the key.
  let columns: [String]

  init(_ table: String, _ query: TextQuery, schema: String = "main") throws {
    let name = "'\(table.replacing("'", with: "''"))'"
    let rows = try query("SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(\(name), '\(schema)') WHERE hidden IN (0, 2, 3) ORDER BY cid")
    let columns = rows.compactMap { $0[0] }
    let primary = rows.filter { $0[3] != "0" }
    // The row's number means nothing in another file.
    let number = primary.count == 1 && primary[0][1]?.uppercased() == "INTEGER" ? primary[0][0] : nil
    let required = Set(rows.filter { $0[2] == "1" }.compactMap { $0[0] })
    var key = number == nil ? primary.sorted { ($0[3] ?? "") < ($1[3] ?? "") }.compactMap { $0[0] } : []
    if key.isEmpty {
      let indexes = try query(
        "SELECT name FROM pragma_index_list(\(name), '\(schema)') WHERE \"unique\" = 1 AND partial = 0 ORDER BY seq DESC")
      for index in indexes.compactMap({ $0[0] }) where key.isEmpty {
        let parts = try query("SELECT name FROM pragma_index_info('\(index.replacing("'", with: "''"))', '\(schema)') ORDER BY seqno").map { $0[0] }
        if parts.allSatisfy({ $0.map(required.contains) ?? false }) { key = parts.compactMap { $0 } }
      }
    }
    self.key = key.isEmpty ? [number ?? "rowid"] : key
    self.columns = key.isEmpty ? columns : columns.filter { $0 != number }
  }
}
