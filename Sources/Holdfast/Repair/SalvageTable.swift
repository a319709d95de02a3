import Foundation

/// What a row of a table, or an entry of an index, looks like in the file.
struct SalvageTable {
  struct Column: Hashable {
    var name: String
    var type: String
    var mayBeNull: Bool
    /// Whether rows from before the column was added lack it: SQLite adds none that is NOT NULL without a default.
    var mayBeMissing = false
  }

  let name: String
  /// As they stand in a record: without columns that are computed when they are read; the key first where there is no rowid.
  private(set) var stored: [Column] = []
  /// Whether a value must have its column's type.
  let isStrict: Bool
  let hasRowid: Bool
  /// The column that is the rowid; a record has no value there.
  private(set) var rowidColumn: Int?
  /// The columns that the table fills by itself.
  private(set) var generated: Set<String> = []
  /// The names of the primary key's columns.
  private(set) var key: [String] = []
  /// Of an index: the table of which it has every row; nil for other indexes.
  private(set) var indexed: String?
  /// What each foreign key points at. Without columns of the parent: its primary key.
  private(set) var parents: [(table: String, columns: [(child: String, parent: String?)])] = []

  /// - Parameter connection: a database with the table.
  init?(_ name: String, in connection: RawConnection) throws {
    let text = name.replacing("'", with: "''")
    guard let kind = try connection.texts("SELECT wr, strict FROM pragma_table_list('\(text)') WHERE schema = 'main'").first else {
      return nil
    }
    (self.name, hasRowid, isStrict) = (name, kind[0] == "0", kind[1] == "1")
    let foreign = try connection.texts("SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list('\(text)') ORDER BY id, seq")
    for (_, columns) in Dictionary(grouping: foreign, by: { $0[0] ?? "" }).sorted(by: { $0.key < $1.key }) {
      guard let parent = columns[0][1] else { continue }
      parents.append((parent, columns.compactMap { row in row[2].map { ($0, row[3]) } }))
    }
    let rows = try connection.texts(
      "SELECT name, type, \"notnull\", pk, hidden, cid, dflt_value IS NOT NULL FROM pragma_table_xinfo('\(text)') ORDER BY cid")
    let keys = rows.filter { $0[3] != "0" }
    // A key with an index of its own is not the rowid, whatever its type: INTEGER PRIMARY KEY DESC.
    let keyIndex = try connection.texts("SELECT name FROM pragma_index_list('\(text)') WHERE origin = 'pk'").first?.first ?? nil
    var columns: [String: Column] = [:]
    for row in rows {
      guard let name = row[0], let type = row[1], let cid = row[5] else { continue }
      if row[4] == "2" || row[4] == "3" { generated.insert(name) }
      if row[4] == "2" { continue }
      let isRowid = hasRowid && keyIndex == nil && keys.count == 1 && row[3] == "1" && type.uppercased() == "INTEGER"
      let mayBeNull = row[2] == "0" && !isRowid
      let column = Column(name: name, type: type.uppercased(), mayBeNull: mayBeNull, mayBeMissing: mayBeNull || row[6] == "1")
      columns[cid] = column
      if isRowid { rowidColumn = stored.count }
      stored.append(column)
    }
    key = keys.sorted { (Int($0[3] ?? "") ?? 0) < (Int($1[3] ?? "") ?? 0) }.compactMap { $0[0] }
    guard !hasRowid else { return }
    guard let index = keyIndex else { return nil }
    stored = try connection.texts("SELECT cid FROM pragma_index_xinfo('\(index.replacing("'", with: "''"))') ORDER BY seqno").compactMap {
      $0[0].flatMap { columns[$0] }
    }
  }

  /// An index of `table`: its columns, then the rowid or the rest of the key.
  init(index: String, of table: SalvageTable, in connection: RawConnection) throws {
    (name, hasRowid, isStrict) = (index, false, table.isStrict)
    let text = index.replacing("'", with: "''")
    let list = "pragma_index_list('\(table.name.replacing("'", with: "''"))')"
    indexed = try connection.texts("SELECT 1 FROM \(list) WHERE name = '\(text)' AND NOT partial").isEmpty ? nil : table.name
    stored = try connection.texts("SELECT cid, name FROM pragma_index_xinfo('\(text)') ORDER BY seqno").map { row in
      if row[0] == "-1" { return Column(name: "", type: "ROWID", mayBeNull: false) }
      return table.stored.first { $0.name == row[1] } ?? Column(name: "", type: "ANY", mayBeNull: true)
    }
  }

  /// How well a row fits, from 0 to 1; nil where it cannot be one of this table.
  func fit(_ row: RawPage.Row) -> Double? {
    guard hasRowid == (row.rowid != nil), !row.values.isEmpty, row.values.count <= stored.count else { return nil }
    // The kit's tables of one row: an app's rows have their columns, too.
    if ["holdfast_store", "holdfast_audit_anchor"].contains(name), row.rowid != 1 { return nil }
    // A column that was added later is missing in older rows.
    guard stored[row.values.count...].allSatisfy(\.mayBeMissing) else { return nil }
    var typical = 0
    for (place, value) in row.values.enumerated() {
      if place == rowidColumn {
        guard value == .null else { return nil }
        typical += 1
        continue
      }
      guard let isTypical = fits(value, stored[place]) else { return nil }
      if isTypical { typical += 1 }
    }
    return Double(typical) / Double(stored.count)
  }

  /// Whether a value is of the column's own type; nil where the column cannot hold it.
  private func fits(_ value: SQLValue, _ column: Column) -> Bool? {
    let type = column.type
    if value == .null { return column.mayBeNull ? false : nil }
    if type == "ROWID" { if case .integer = value { return true } else { return nil } }
    switch value {
    case .null: return nil
    case .integer:
      if type.contains("INT") { return true }
      if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return nil }
      return isStrict && !["REAL", "ANY"].contains(type) ? nil : !["", "BLOB"].contains(type)
    case .real:
      if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") { return nil }
      if isStrict { return ["REAL", "ANY"].contains(type) ? true : nil }
      return type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB")
    case .text:
      if isStrict { return ["TEXT", "ANY"].contains(type) ? true : nil }
      // Times are often kept as text in columns of a type that SQLite does not know.
      return ["CHAR", "CLOB", "TEXT", "DATE", "TIME"].contains { type.contains($0) }
    case .blob:
      if isStrict { return ["BLOB", "ANY"].contains(type) ? true : nil }
      return type.contains("BLOB")
    }
  }
}
