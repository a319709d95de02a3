/// Fills what a damaged table has lost: from the store's audit, which is newer than any backup, and from a backup.
struct SalvageFill {
  private let table: SalvageTable
  private let connection: RawConnection
  /// What the audit tells last of each row.
  private let told: [Told]

  private struct Told {
    var values: [String: SQLValue] = [:]
    /// Whether `values` are all audited columns: the audit has the row's insertion.
    var isWhole = false
    var isGone = false
  }

  /// - Parameter connection: to the new store, with the rows that could be read; the backup is attached as `backup`.
  init(_ table: SalvageTable, in connection: RawConnection) throws {
    (self.table, self.connection) = (table, connection)
    told = try Self.told(of: table.name, in: connection)
  }

  /// - Parameters:
  ///   - lost: the rowids whose rows may be lost.
  ///   - hasBackup: whether there is a backup.
  /// - Returns: how many rows came in, and for how many of them the audit told something.
  func run(_ lost: [ClosedRange<Int64>], hasBackup: Bool) throws -> (filled: Int, audited: Int) {
    let columns = table.stored.map(\.name).filter { !table.generated.contains($0) }
    let absent = hasBackup ? try told.filter { try !isThere($0) } : []
    var audited = 0
    for row in told where row.isWhole && !row.isGone { audited += try insert(row, columns) }
    guard hasBackup else { return (audited, audited) }
    var filled = try audited + fromBackup(lost, columns)
    for row in absent where row.isGone { filled -= try change("DELETE FROM main.\(raw: quoted(table.name))", row) }
    for row in absent where !row.isGone {
      let set = columns.compactMap { column in row.values[column].map { "\(raw: quoted(column)) = \($0)" as BoundSQL } }
      audited += try change("UPDATE OR IGNORE main.\(raw: quoted(table.name)) SET \(sql: .joined(set, separator: ", "))", row)
    }
    return (filled, audited)
  }

  /// Since the audit of the table last began: before that, a migration may have changed rows without an entry.
  private static func told(of table: String, in connection: RawConnection) throws -> [Told] {
    guard try !connection.texts("SELECT 1 FROM sqlite_schema WHERE name = 'holdfast_audit'").isEmpty else { return [] }
    var rows: [String: Told] = [:]
    let begun: BoundSQL = "SELECT max(id) FROM holdfast_audit WHERE kind = \(table) AND operation = 'base'"
    let entries: BoundSQL = """
      SELECT \(sql: AuditEntry.columns) FROM holdfast_audit WHERE kind = \(table) AND id > coalesce((\(sql: begun)), 0) ORDER BY id
      """
    try connection.rows(entries) { row in
      guard let entry = try? AuditEntry(row: &row) else { return }
      switch entry.operation {
      case .insert: rows[entry.row] = Told(values: entry.after, isWhole: true)
      case .update: rows[entry.row, default: Told()].values.merge(entry.after) { $1 }
      case .delete: rows[entry.row] = Told(values: entry.before, isGone: true)
      case .read, .base, .purged: break
      }
    }
    return rows.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The rows of lost pages whose keys are not there.
  private func fromBackup(_ lost: [ClosedRange<Int64>], _ columns: [String]) throws -> Int {
    let name = table.name.replacing("'", with: "''")
    let known = try Set(connection.texts("SELECT name FROM pragma_table_info('\(name)', 'backup')").compactMap { $0[0]?.lowercased() })
    let columns = columns.filter { known.contains($0.lowercased()) }
    guard !columns.isEmpty else { return 0 }
    let list = columns.map(quoted).joined(separator: ", ")
    // The rowid of a table without a column for it may have been given to another row since: then the row gets a new one.
    let lists = table.hasRowid && table.rowidColumn == nil ? ["rowid, " + list] + (table.key.isEmpty ? [] : [list]) : [list]
    var filled = 0
    for range in lost {
      let within = table.hasRowid ? " WHERE rowid BETWEEN \(range.lowerBound) AND \(range.upperBound)" : ""
      for list in lists {
        filled += try counted(
          BoundSQL(
            raw: "INSERT OR IGNORE INTO main.\(quoted(table.name)) (\(list)) SELECT \(list) FROM backup.\(quoted(table.name))\(within)"))
      }
    }
    return filled
  }

  /// Only a row of which the audit tells every column.
  private func insert(_ row: Told, _ columns: [String]) throws -> Int {
    let values = columns.compactMap { row.values[$0] }
    guard values.count == columns.count else { return 0 }
    let marks = values.map { "\($0)" as BoundSQL }
    return try counted(
      "INSERT OR IGNORE INTO main.\(sql: .names([table.name])) (\(sql: .names(columns))) VALUES (\(sql: .joined(marks, separator: ", ")))")
  }

  /// Changes the row by its primary key; nothing where the audit does not tell that.
  private func change(_ statement: BoundSQL, _ row: Told) throws -> Int {
    try condition(row).map { try counted("\(sql: statement) WHERE \(sql: $0)") } ?? 0
  }

  private func isThere(_ row: Told) throws -> Bool {
    guard let condition = condition(row) else { return true }
    var isThere = false
    try connection.rows("SELECT 1 FROM main.\(raw: quoted(table.name)) WHERE \(sql: condition)") { _ in isThere = true }
    return isThere
  }

  private func condition(_ row: Told) -> BoundSQL? {
    let key = table.key.compactMap { column in row.values[column].map { "\(raw: quoted(column)) IS \($0)" as BoundSQL } }
    return key.isEmpty || key.count < table.key.count ? nil : .joined(key, separator: " AND ")
  }

  /// How many rows a statement changes. What the damaged file tells may break a rule of the table; then the row stays as it is.
  private func counted(_ statement: BoundSQL) throws -> Int {
    func changes() throws -> Int { try connection.texts("SELECT total_changes()").first?[0].flatMap { Int($0) } ?? 0 }
    let before = try changes()
    do { try connection.rows(statement) { _ in } } catch let error as StoreError where error.code == .constraint {}
    return try changes() - before
  }
}
