import Foundation
import Holdfast

extension LibraryConformance {
  func checkFrozenSchemas() throws {
    let folder = tests.appendingPathComponent("Fixtures")
    if ProcessInfo.processInfo.environment["HOLDFAST_FREEZE"] != nil { try FrozenSchema.write(schema, to: folder) }
    try FrozenSchema.check(schema, in: folder)
  }

  func checkMigration() async throws {
    try FrozenSchema.walk(schema, upTo: schema.version - 1) { version, tx in
      guard let statements = olderRows[version] else {
        throw StoreError(.verificationFailed, "`olderRows` has no statements that fill version \(version) of \(schema.name)")
      }
      for sql in statements { try tx.execute(BoundSQL(raw: sql)) }
    }
    let (world, _) = try await filled(inMemory: false)
    let rows = try await world.store.statistics().rows.filter { !$0.key.hasPrefix("holdfast_") }
    if let empty = rows.first(where: { $0.value == 0 }) { throw StoreError(.verificationFailed, "filling leaves \(empty.key) empty") }
    let copy = try world.store.copy()
    let plan = try Store.plan(at: copy, schemas: [schema], options: .testing)
    try expect(plan.pending, [], "migrations of a store of this version")
    let again = try Store.open(at: copy, schemas: [schema], options: .testing)
    defer { try? again.close() }
    try await expect(try again.statistics().rows.filter { !$0.key.hasPrefix("holdfast_") }, rows, "the rows after opening")
    try await expect(try again.integrityCheck().findings.map(\.message), [], "the integrity check")
  }

  func checkDamage() async throws {
    let (world, _) = try await filled(inMemory: false)
    try await expect(try world.store.integrityCheck().findings.map(\.message), [], "the integrity check before any damage")
    for damage in damages {
      let store = try copy(of: world, after: damage.sql)
      defer { try? store.close() }
      let found = try await store.integrityCheck().findings
      guard let part = found.first(where: { $0.message.hasPrefix(damage.finding) })?.part else {
        throw StoreError(.verificationFailed, "“\(damage.finding)” is not found after \(damage.sql): \(found.map(\.message))")
      }
      let same = found.filter { $0.part == part }
      try expect(same.map(\.message).filter { !$0.hasPrefix(damage.finding) }, [], "what else is found after \(damage.sql)")
      try expect(try same.filter { try !stands($0, in: store) }.map(\.message), [], "findings after \(damage.sql) whose row is nowhere")
    }
    for index in try world.store.rows(
      "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5 (%' OR sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'")
    {
      let store = try copy(of: world, after: "DELETE FROM \"\(index)_data\" WHERE id > 10")
      defer { try? store.close() }
      try await expect(try store.integrityCheck().findings.map(\.part), [.fullText], "what is found after \(index) lost its words")
    }
    let broken = Set(damages.map(\.finding))
    for invariant in schema.invariants {
      try expect(broken.contains("breaks: \(invariant.name)"), "no damage breaks the invariant “\(invariant.name)”")
    }
  }

  func checkRecords() throws {
    try expect(RecordCheck.tablesWithoutRecord(in: schema), tablesWithoutRecord, "the tables that no record reads")
    let types = Set(schema.records.map { "\($0)" })
    try expect(Set(records.map { "\(type(of: $0))" }), types, "the types of `records`")
    let store = try Store.inMemory(schemas: [schema])
    for record in records { try RecordCheck.verify(record, in: store) }
  }

  /// Whether a finding names an existing row of its table.
  private func stands(_ finding: IntegrityReport.Finding, in store: Store) throws -> Bool {
    guard let table = finding.table, let row = finding.row else { return false }
    return try store.read { reader in
      let columns = try reader.values("SELECT name FROM pragma_table_info(\(table))") { "\"\(try $0.text())\"" }
      return try reader.count("SELECT count(*) FROM \(raw: table) WHERE \(row) IN (\(raw: columns.joined(separator: ", ")))") > 0
    }
  }

  private func copy(of world: World, after damage: String) throws -> Store {
    let copy = try world.store.copy(named: "\(UUID().uuidString).sqlite")
    try RawDatabase.with(copy) { try $0.execute(damage) }
    return try Store.open(at: copy, schemas: [schema], options: .testing)
  }
}
