import Foundation
import Holdfast

extension LibraryConformance {
  func checkMigration() throws {
    let (world, _) = try filled(inMemory: false)
    let rows = try world.store.statistics().rows.filter { !$0.key.hasPrefix("holdfast_") }
    if let empty = rows.first(where: { $0.value == 0 }) { throw StoreError(.verificationFailed, "filling leaves \(empty.key) empty") }
    let copy = try world.store.copy()
    let plan = try Store.plan(at: copy, schemas: [schema], options: .testing)
    try expect(plan.pending, [], "migrations of a store of this version")
    let again = try Store.open(at: copy, schemas: [schema], options: .testing)
    defer { try? again.close() }
    try expect(try again.statistics().rows.filter { !$0.key.hasPrefix("holdfast_") }, rows, "the rows after opening")
    try expect(try again.integrityCheck().findings.map(\.message), [], "the integrity check")
  }

  func checkDamage() throws {
    let (world, _) = try filled(inMemory: false)
    try expect(try world.store.integrityCheck().findings.map(\.message), [], "the integrity check before any damage")
    for damage in damages {
      let found = try findings(in: world, after: damage.sql)
      guard let part = found.first(where: { $0.message.hasPrefix(damage.finding) })?.part else {
        throw StoreError(.verificationFailed, "“\(damage.finding)” is not found after \(damage.sql): \(found.map(\.message))")
      }
      let same = found.filter { $0.part == part }
      try expect(same.map(\.message).filter { !$0.hasPrefix(damage.finding) }, [], "what else is found after \(damage.sql)")
      try expect(same.filter { $0.row == nil }.map(\.message), [], "findings without a row after \(damage.sql)")
    }
    for index in try world.store.rows(
      "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5 (%' OR sql LIKE 'CREATE VIRTUAL TABLE%USING fts5(%'")
    {
      let found = try findings(in: world, after: "DELETE FROM \"\(index)_data\" WHERE id > 10")
      try expect(found.map(\.part), [.fullText], "what is found after \(index) lost its words")
    }
    let broken = Set(damages.map(\.finding))
    for invariant in schema.invariants where !broken.contains("breaks: \(invariant.name)") {
      throw StoreError(.verificationFailed, "no damage breaks the invariant “\(invariant.name)”")
    }
  }

  private func findings(in world: World, after damage: String) throws -> [IntegrityReport.Finding] {
    let copy = try world.store.copy(named: "\(UUID().uuidString).sqlite")
    try RawDatabase.with(copy) { try $0.execute(damage) }
    let store = try Store.open(at: copy, schemas: [schema], options: .testing)
    defer { try? store.close() }
    return try store.integrityCheck().findings
  }
}
