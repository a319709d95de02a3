internal import Holdfast
internal import HoldfastSync

/// The rows of a table that syncs, with the columns that the store has.
struct SyncedRows {
  typealias Row = [String: SQLValue]

  let synced: SyncedTable
  /// Those that can be written: without generated columns, and without a rowid that is no key.
  private let columns: [String]
  private let travelling: [String]
  let texts: [String]
  /// What an edit changes together, without the key.
  let groups: [[String]]
  /// Of columns that refer to another row: the parent's table and column.
  let parents: [String: (table: String, column: String)]
  private let record: RowRecord?
  /// The columns that the record writes only into a new row.
  private let insertOnly: Set<String>
  /// The rows when sync began.
  private(set) var first: [Row] = []

  /// - Throws: `.verificationFailed` for a table without rows.
  static func all(of schema: StoreSchema, in store: Store) throws -> [SyncedRows] {
    let declared = schema.declarations.compactMap(\.synced)
    guard !declared.isEmpty else { throw SyncRun.failed("\(schema.name) declares no table that syncs") }
    return try store.read { reader in try declared.map { synced in try SyncedRows(synced, schema, in: reader) } }
  }

  private init(_ synced: SyncedTable, _ schema: StoreSchema, in reader: Reader) throws {
    guard let table = try reader.tables(named: synced.name).first else { throw SyncRun.failed("there is no table \(synced.name)") }
    let columns = table.columns.filter { !$0.isGenerated }.map(\.name)
      .filter { $0 != table.rowIDColumn || synced.key.contains($0) }
    let travelling = columns.filter { synced.here[$0] == nil && !synced.derived.contains($0) }
    let single = travelling.filter { !synced.key.contains($0) && !synced.together.joined().contains($0) }
    (self.synced, self.columns, self.travelling) = (synced, columns, travelling)
    texts = table.columns.filter { $0.type == "TEXT" && travelling.contains($0.name) }.map(\.name)
    groups = synced.together + single.map { [$0] }
    var parents: [String: (table: String, column: String)] = [:]
    for reference in table.references where reference.from.count == 1 && reference.to.count == 1 {
      parents[reference.from[0]] = (reference.parent, reference.to[0])
    }
    self.parents = parents
    let type = schema.records.first { $0.table == synced.name && synced.derived.isSubset(of: $0.columns) }
    record = try type.map { try RowRecord($0) }
    insertOnly = Set(type?.insertOnly ?? [])
    first = try rows(in: reader)
    guard !first.isEmpty else { throw SyncRun.failed("`fill` leaves \(synced.name) empty") }
  }

  // MARK: Reading

  func rows(in reader: Reader, _ condition: BoundSQL = "") throws -> [Row] {
    try reader.values(
      """
      SELECT \(sql: .names(columns)) FROM \(sql: .names([synced.name])) \(sql: condition) ORDER BY \(sql: .names(synced.key))
      """
    ) { row in
      try columns.reduce(into: [:]) { $0[$1] = try row.value() }
    }
  }

  func randomRow(in reader: Reader, _ random: inout SeededGenerator) throws -> Row? {
    try rows(in: reader).randomElement(using: &random)
  }

  /// The values that must be equal on all devices, in the order of the key.
  func travelling(in reader: Reader) throws -> [[SQLValue]] {
    try rows(in: reader).map { row in travelling.map { row[$0] ?? .null } }
  }

  /// A row whose derived columns are not what its record computes; nil when there is none.
  func rowNotDerived(in reader: Reader) throws -> Row? {
    guard !synced.derived.isEmpty else { return nil }
    return try rows(in: reader).first { row in
      let written = try written(row)
      return synced.derived.contains { row[$0] != written[$0] }
    }
  }

  // MARK: Writing

  private func written(_ row: Row) throws -> Row {
    guard let record else { return row }
    let values = try record.rebound(record.columns.map { row[$0] ?? .null })
    return row.merging(zip(record.columns, values)) { $1 }
  }

  func update(_ old: Row, to row: Row, _ tx: Writer) throws {
    let row = try written(row).merging(row.filter { insertOnly.contains($0.key) }) { $1 }
    let changes = columns.filter { row[$0] != old[$0] }.map { column -> BoundSQL in "\(sql: .names([column])) = \(row[column] ?? .null)" }
    guard !changes.isEmpty else { return }
    try tx.execute("UPDATE \(sql: .names([synced.name])) SET \(sql: .joined(changes, separator: ", ")) WHERE \(sql: matches(old))")
  }

  func insert(_ row: Row, _ tx: Writer) throws { try insertAsIs(written(row), tx) }

  /// Not as the record writes it.
  func insertAsIs(_ row: Row, _ tx: Writer) throws {
    let values = columns.map { column -> BoundSQL in "\(row[column] ?? .null)" }
    try tx.execute(
      """
      INSERT INTO \(sql: .names([synced.name])) (\(sql: .names(columns))) VALUES (\(sql: .joined(values, separator: ", ")))
      """)
  }

  func matches(_ row: Row) -> BoundSQL {
    .joined(synced.key.map { "\(sql: .names([$0])) = \(row[$0] ?? .null)" }, separator: " AND ")
  }
}
