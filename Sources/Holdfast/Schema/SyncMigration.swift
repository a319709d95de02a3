internal import GRDB

/// The rows of a synced table before migrations. Capture is off while these run, so what they change is found by comparing.
///
/// A temporary table, in the transaction of the migrations: `stamp` removes it, and so does rolling back.
struct RowsBeforeMigration {
  private let table: SyncedTable
  private let columns: Set<String>
  private var copy: String { "temp.holdfast_sync_before_\(table.number)" }

  /// Keeps the rows that have a register, without those that the server's will replace. Nil in a store that is not connected, and for a table or
  /// a key that does not exist yet.
  init?(_ table: SyncedTable, _ db: Database, _ known: SchemaShape) throws {
    guard known.isConnected, let all = known.columns[table.name], all.isSuperset(of: table.key) else { return nil }
    // The trigger of the version before tells which of them it noted. A column that begins to sync is new, whatever it holds.
    let (synced, trigger) = (table.synced(of: all, known), known.objects["\(table.name)_sync_update"]?.sql ?? "")
    let noted = synced.filter { trigger.contains(AuditedTable.differs($0)) }
    (self.table, columns) = (table, noted.isEmpty ? synced : noted.union(table.key))
    try db.execute(
      sql: """
        CREATE TABLE \(copy) AS SELECT \(columns.sorted().map(quoted).joined(separator: ", ")) FROM main.\(quoted(table.name)) t
        WHERE EXISTS (SELECT 1 FROM main.holdfast_sync_row r
          WHERE r.tbl = \(table.number) AND r.key = \(AuditedTable.rowName(table.key, of: "t")) AND r.generation & 1
            AND NOT \(SyncedTable.isOfBefore))
        """)
  }

  /// Stamps each group of columns that the migrations have changed, just behind the stamp that it had, with a node made of the migration's
  /// name. So two devices that run one migration on equal rows make equal stamps, and every edit that is later than the replaced value wins.
  ///
  /// A column that is new counts as changed where its value is not that of a row that arrives without it.
  func stamp(_ db: Database, _ known: SchemaShape, by migration: String) throws {
    let now = try table.columns(known)
    for column in now where !columns.contains(column) { try add(column, db) }
    // A cell of none of these groups is that of a group that only the version before had, and may hold the value that was replaced.
    let groups = table.groups(of: now).map { "\(SyncedTable.number(of: SyncedTable.name(ofGroup: $0)))" }.joined(separator: ", ")
    let former = "SELECT max(c.hlc) FROM main.holdfast_sync_cell c WHERE c.tbl = r.tbl AND c.key = r.key AND c.grp NOT IN (\(groups))"
    let statements = try table.stampingDifferences(
      from: copy, known, time: "max(r.hlc, coalesce((\(former)), 0)) + 1", node: "\(SyncedTable.node(of: migration))", unless: isGiven)
    for sql in statements + ["DROP TABLE \(copy)"] { try db.execute(sql: sql) }
  }

  /// Adds a new column to the kept rows, as it is in a row that arrives without it: its default if it is NOT NULL, otherwise NULL.
  private func add(_ column: String, _ db: Database) throws {
    let declared = try Row.fetchOne(
      db, sql: "SELECT type, iif(\"notnull\", dflt_value, NULL) FROM pragma_table_xinfo(?) WHERE name = ?", arguments: [table.name, column])
    let type = declared.flatMap { String.fromDatabaseValue($0[0]) } ?? ""
    let sql = "ALTER TABLE \(copy) ADD COLUMN \(quoted(column)) \(type)"
    do {
      let fallback = declared.flatMap { String.fromDatabaseValue($0[1]) }
      try db.execute(sql: sql + (fallback.map { " DEFAULT \($0)" } ?? ""))
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // A default that is no constant is another one for each row.
      try db.execute(sql: sql)
    }
  }

  /// Whether a device with a newer version has given the row `r` a value for a new column of the group: it comes into the table when sync
  /// opens, and no migration replaces it. Nil for a group without a new column.
  private func isGiven(_ group: [String]) -> String? {
    let new = group.filter { !columns.contains($0) }
    guard !new.isEmpty else { return nil }
    let isNamed = new.map { "instr(',' || j.key || ',', \(literal(",\($0),")))" }.joined(separator: " OR ")
    return """
      EXISTS (SELECT 1 FROM main.holdfast_sync_extra x, json_tree(x.body) j
        WHERE x.tbl = \(literal(table.name)) AND x.key = r.key AND json_extract(x.body, '$.g') = r.generation
          AND j.path IN ('$.v', '$.x') AND (\(isNamed)))
      """
  }
}
