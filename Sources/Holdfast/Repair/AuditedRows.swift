/// What the audit in a damaged store tells of lost rows of one table: what they were in the end, and which of them were deleted.
///
/// Only for tables whose audit the app's schemas declare, and that have a unique key. Only the entries behind the last hole in the audit
/// count, and none if its end is gone: an entry that is lost may have deleted any row.
struct AuditedRows {
  private let table: SalvageTable
  private let audited: AuditedTable
  private let connection: RawConnection
  private var absent: [(key: [SQLValue], told: Told)] = []

  /// What became of the rows.
  struct Result {
    /// How many more rows are there than before, and how many came from the audit, or got values from it.
    var (filled, audited) = (0, 0)
    /// How many came without their rowid, which the audit does not tell, and got a new one.
    var renumbered = 0
    /// Rows that did not come in, with the reason.
    var setAside: [(values: [String: SQLValue], reason: String)] = []
  }

  private struct Told {
    var values: [String: SQLValue] = [:]
    /// Whether `values` are all audited columns: the audit has the row's insertion.
    var isWhole = false
    var isGone = false
    /// Whether a row with this key was deleted before: a copy may have that one.
    var wasGone = false
  }

  /// Reads the audit. Nil where it says nothing that can be trusted.
  ///
  /// `connection` is to the new store, with the rows that could be read, and nothing of a backup. `sequence` is the last number that the
  /// audit gave to an entry; nil where it is lost.
  init?(_ audited: AuditedTable, of table: SalvageTable, in connection: RawConnection, sequence: Int64?, check: () throws -> Void) throws {
    (self.table, self.audited, self.connection) = (table, audited, connection)
    guard hasUniqueKey, var first = try firstEntry(sequence) else { return nil }
    // An entry that cannot be decoded is a hole, too.
    while let unreadable = try read(from: first, check) {
      guard unreadable < .max else { return nil }
      first = unreadable + 1
      absent = []
    }
  }

  private var hasUniqueKey: Bool {
    let key = Set(audited.key.map { $0.lowercased() })
    if let place = table.rowidColumn, key.contains(table.stored[place].name.lowercased()) { return true }
    return table.uniqueKeys.contains { $0.allSatisfy { $0.map { key.contains($0.lowercased()) } ?? false } }
  }

  /// The first entry that counts. Ids have no gaps: a rollback takes back the number, too.
  private func firstEntry(_ sequence: Int64?) throws -> Int64? {
    func id(_ sql: BoundSQL) throws -> Int64? { try connection.values(sql) { try $0.int64OrNil() }.first ?? nil }
    guard let sequence, try id("SELECT max(id) FROM holdfast_audit") == sequence else { return nil }
    let gap = try id(
      "SELECT max(id) FROM holdfast_audit AS a WHERE NOT EXISTS (SELECT 1 FROM holdfast_audit AS b WHERE b.id = a.id - 1)")
    // Before a base, a migration may have changed rows without an entry.
    let cut = try id(
      """
      SELECT max(id) + 1 FROM holdfast_audit
      WHERE operation = 'purged' OR operation = 'base' AND kind = \(table.name)
      """)
    return max(gap ?? 0, cut ?? 0)
  }

  /// Fills `absent`. Returns the last entry that cannot be decoded.
  private mutating func read(from first: Int64, _ check: () throws -> Void) throws -> Int64? {
    var (name, rows): (String, [[ExactValue]: Told]) = ("", [:])
    var found: [(key: [SQLValue], told: Told)] = []
    var keys: [[ExactValue]: [SQLValue]] = [:]
    func finish() throws {
      for (exact, told) in rows { if let key = keys[exact], try !isThere(key) { found.append((key, told)) } }
      (rows, keys) = ([:], [:])
    }
    var unreadable: Int64?
    try connection.rows(
      """
      SELECT id, \(sql: AuditEntry.columns) FROM holdfast_audit
      WHERE kind = \(table.name) AND id >= \(first) AND operation IN ('insert', 'update', 'delete') ORDER BY row, id
      """
    ) { row in
      let id = try row.int64()
      guard let entry = try? AuditEntry(row: &row) else {
        unreadable = max(unreadable ?? id, id)
        return
      }
      if !entry.row.utf8.elementsEqual(name.utf8) {
        try check()
        try finish()
        name = entry.row
      }
      let values = entry.operation == .delete ? entry.before : entry.after
      let key = audited.key.compactMap { values[$0] }
      // NULL is in no unique key.
      guard key.count == audited.key.count, !key.contains(.null) else { return }
      let exact = key.map(ExactValue.init)
      keys[exact] = key
      var told = rows[exact] ?? Told()
      switch entry.operation {
      case .insert: told = Told(values: values, isWhole: true, wasGone: told.isGone || told.wasGone)
      case .update: told.values.merge(values) { $1 }
      default: told = Told(isGone: true, wasGone: true)
      }
      rows[exact] = told
    }
    try finish()
    absent = found
    return unreadable
  }

  /// Brings the rows in, over what a backup has filled. `lost` are the rowids whose rows may be lost, and `referenced` the columns that
  /// other tables point at, in lower case.
  func run(_ lost: [ClosedRange<Int64>], referenced: Set<String>, hasBackup: Bool, check: () throws -> Void) throws -> Result {
    var result = Result()
    var rows: [[String: SQLValue]] = []
    let columns = hasBackup ? try SalvageFill(table: table, connection: connection).columns() : []
    // All are taken out first: rows may have exchanged a unique value.
    for (key, told) in absent {
      try check()
      let copy = told.wasGone || columns.isEmpty ? nil : try inBackup(key, columns)
      result.filled -= try changes("DELETE FROM main.\(sql: .names([table.name])) WHERE \(sql: condition(key))")
      guard !told.isGone, told.isWhole || copy != nil else { continue }
      let values = (copy ?? [:]).merging(told.values) { $1 }
      // The page of a row that is not in a lost range was read: something that is not audited removed the row.
      if let place = table.rowidColumn, case .integer(let rowid)? = values[table.stored[place].name],
        !lost.contains(where: { $0.contains(rowid) })
      {
        continue
      }
      rows.append(values)
    }
    let optional = optionalColumns(referenced)
    for values in rows { try insert(values, optional, &result) }
    return result
  }

  private func insert(_ values: [String: SQLValue], _ optional: Set<String>, _ result: inout Result) throws {
    let columns = table.stored.map(\.name).filter { !table.generated.contains($0) }
    let told = columns.filter { values[$0] != nil }
    let missing = columns.filter { values[$0] == nil && !optional.contains($0) }
    guard missing.isEmpty else {
      return result.setAside.append((values, "only the audit tells it, and not its \(missing.joined(separator: ", "))"))
    }
    let marks = told.compactMap { values[$0] }.map { "\($0)" as BoundSQL }
    let count = try changes(
      "INSERT OR IGNORE INTO main.\(sql: .names([table.name])) (\(sql: .names(told))) VALUES (\(sql: .joined(marks, separator: ", ")))")
    guard count > 0 else { return result.setAside.append((values, "it breaks a rule of the table, or another row has its key")) }
    result.filled += 1
    result.audited += 1
    if table.hasRowid, table.rowidColumn.map({ values[table.stored[$0].name] == nil }) ?? true { result.renumbered += 1 }
  }

  /// The columns without which a row may come in: those with a default, and a rowid that nothing points at.
  private func optionalColumns(_ referenced: Set<String>) -> Set<String> {
    var columns = Set(table.stored.filter(\.hasDefault).map(\.name))
    if let place = table.rowidColumn, referenced.isDisjoint(with: [table.stored[place].name.lowercased(), "rowid"]) {
      columns.insert(table.stored[place].name)
    }
    return columns
  }

  private func inBackup(_ key: [SQLValue], _ columns: [String]) throws -> [String: SQLValue]? {
    guard Set(audited.key).isSubset(of: columns) else { return nil }
    let query: BoundSQL = "SELECT \(sql: .names(columns)) FROM backup.\(sql: .names([table.name])) WHERE \(sql: condition(key))"
    return try connection.values(query) { try $0.values(of: columns) }.last
  }

  private func isThere(_ key: [SQLValue]) throws -> Bool {
    try !connection.values("SELECT 1 FROM main.\(sql: .names([table.name])) WHERE \(sql: condition(key))") { _ in true }.isEmpty
  }

  /// The first comparison uses the index; the second one tells apart what the column's collation does not.
  private func condition(_ key: [SQLValue]) -> BoundSQL {
    "\(sql: .match(audited.key, key)) AND \(sql: .match(audited.key, key, exactly: true))"
  }

  /// What the damaged file tells may break a rule of the table; then nothing changes.
  private func changes(_ statement: BoundSQL) throws -> Int {
    do { return try connection.changes(statement) } catch let error as StoreError where error.code == .constraint { return 0 }
  }
}
