import Foundation

/// What a row of a table, or an entry of an index, looks like in the file.
struct SalvageTable {
  struct Column: Hashable {
    var name: String
    var type: String
    var mayBeNull: Bool
    /// Whether rows from before the column was added lack it: SQLite adds none that is NOT NULL without a default.
    var mayBeMissing = false
    /// Whether a row may come in without it, and gets another value than NULL.
    var hasDefault = false
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
  /// For an index that covers every row of a table: that table. Otherwise nil.
  private(set) var indexed: String?
  /// The columns of each unique key; nil for an expression.
  private(set) var uniqueKeys: [[String?]] = []
  private(set) var references: [SQLTable.Reference] = []

  init(_ table: SQLTable, named name: String) {
    (self.name, hasRowid, isStrict, key) = (name, table.hasRowID, table.isStrict, table.primaryKey)
    (references, generated) = (table.references, Set(table.columns.filter(\.isGenerated).map(\.name)))
    uniqueKeys = table.indexes.filter { $0.isUnique && !$0.isPartial }.map { $0.key.map(\.name) }
    let rowid = table.rowIDColumn
    func stored(_ column: SQLTable.Column) -> Column {
      let mayBeNull = !column.isNotNull && column.name != rowid
      let fallback = column.fallback.map { $0.uppercased() != "NULL" }
      return Column(
        name: column.name, type: column.type, mayBeNull: mayBeNull, mayBeMissing: mayBeNull || fallback != nil,
        hasDefault: fallback == true && !column.isGenerated)
    }
    var columns = table.columns
    if !hasRowid, let index = table.indexes.first(where: { $0.origin == "pk" }) {
      columns = (index.key + index.rest).compactMap { table.columns.indices.contains($0.column) ? table.columns[$0.column] : nil }
    }
    self.stored = columns.filter(\.isStored).map(stored)
    rowidColumn = self.stored.firstIndex { $0.name == rowid }
  }

  /// An index of `table`: its columns, then the rowid or the rest of the key.
  init(_ index: SQLTable.Index, named name: String, of table: SalvageTable) {
    (self.name, hasRowid, isStrict) = (name, false, table.isStrict)
    indexed = index.isPartial ? nil : table.name
    stored = (index.key + index.rest).map { part in
      if part.column == -1 { return Column(name: "", type: "ROWID", mayBeNull: false) }
      return table.stored.first { $0.name == part.name } ?? Column(name: "", type: "ANY", mayBeNull: true)
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
