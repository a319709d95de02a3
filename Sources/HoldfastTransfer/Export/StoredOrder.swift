package import Holdfast

extension Reader {
  /// The order in which a table stores its rows: by the rowid, or by the primary key of a table that has none.
  package func storedOrder(of table: String) throws -> BoundSQL {
    let columns = try values("SELECT name, pk FROM pragma_table_xinfo(\(table))") { row in (name: try row.text(), key: try row.int()) }
    guard try hasRowID(table) else { return .names(columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }.map(\.name)) }
    // A column may have one of these names. It then hides the rowid, or is the rowid.
    let taken = Set(columns.map { $0.name.lowercased() })
    return ["_rowid_", "rowid", "oid"].first { !taken.contains($0) }.map { BoundSQL(raw: $0) } ?? .names(columns.map(\.name))
  }

  /// Whether the table has rowids.
  func hasRowID(_ table: String) throws -> Bool {
    try count("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name = \(table) AND wr = 0") > 0
  }
}
