import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("Schema") struct SchemaTests {
  private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")

  @Test("the schema of every shipped version is what shipped")
  func frozen() throws {
    #expect(InferenceStore.schema.version == 1)
    try FrozenSchema.check(InferenceStore.schema, in: fixtures)
  }

  @Test("a store of every shipped version, with rows in every table, opens as the newest and loses none")
  func walk() throws {
    let plans = try FrozenSchema.walk(InferenceStore.schema) { _, tx in
      // The verbs write the newest schema: an older version needs SQL of its own.
      try MiniStore.save(in: tx)
    }
    #expect(plans.keys.sorted() == Array(1...InferenceStore.schema.version))
  }

  /// What the integrity check finds in a copy of a healthy store that was damaged by this statement.
  private static func findings(of part: IntegrityReport.Part, after damage: String) throws -> [IntegrityReport.Finding] {
    let world = try World.temporary()
    try world.store.write { try MiniStore.save(in: $0) }
    #expect(try world.isHealthy())
    let copy = try world.store.copy()
    try RawDatabase.with(copy) { try $0.execute(damage) }
    return try InferenceStore.open(at: copy, options: .testing).store.integrityCheck().findings.filter { $0.part == part }
  }

  @Test(
    "each invariant finds what breaks it",
    arguments: [
      ("DELETE FROM storage_config", "breaks: every configuration has its analytics, its storage and a routing in force"),
      ("DELETE FROM routing_policies", "breaks: every configuration has its analytics, its storage and a routing in force"),
      ("UPDATE configuration SET stop_sequences = '[1]'", "breaks: lists in configuration are JSON lists of texts"),
      ("UPDATE model_metadata SET tags = '{}'", "breaks: lists in model_metadata are JSON lists of texts"),
      ("UPDATE model_metadata SET requirements = '{'", "breaks: objects in model_metadata are JSON objects"),
      ("UPDATE generation_sessions SET context = '[]'", "breaks: objects in generation_sessions are JSON objects"),
      ("UPDATE generations SET response = '1'", "breaks: objects in generations are JSON objects"),
      ("UPDATE telemetry SET properties = ''", "breaks: objects in telemetry are JSON objects"),
      ("UPDATE user_preferences SET value = 'dark'", "breaks: values in user_preferences are JSON"),
    ])
  func invariants(damage: String, message: String) throws {
    let broken = try Self.findings(of: .invariants, after: damage)
    #expect(Set(broken.map(\.message)) == [message])
    #expect(broken.allSatisfy { $0.row != nil })
  }

  @Test("the tests break every invariant that the schema declares")
  func allInvariants() {
    #expect(InferenceStore.schema.invariants.count == 8)
  }

  @Test(
    "a row that nobody can read is found",
    arguments: [
      ("UPDATE configuration SET created_at = \(Int64.max)", "created_at should hold a date"),
      ("UPDATE generation_sessions SET id = 'x'", "id should hold an id"),
      ("UPDATE model_metadata SET name = CAST(x'41FF' AS TEXT)", "name should hold UTF-8 text"),
      ("UPDATE telemetry SET occurred_at = \(Int64.min)", "occurred_at should hold a date"),
    ])
  func unreadable(damage: String, message: String) throws {
    let found = try Self.findings(of: .records, after: damage)
    #expect(found.map { String($0.message.prefix { $0 != "," }) } == ["cannot be read: \(message)"])
    #expect(found.allSatisfy { $0.row != nil })
  }

  @Test("the integrity check reads every table as a record")
  func allRecords() throws {
    #expect(try RecordCheck.tablesWithoutRecord(in: InferenceStore.schema) == ["secrets", "sync_state", "sync_tries", "sync_conflicts"])
  }
}

/// A row in every table.
enum MiniStore {
  static func save(in tx: Writer) throws {
    try InferenceStore.save(Sample.configuration, in: tx)
    try tx.insert(Sample.model)
    try tx.insert(Sample.usage)
    try tx.insert(Sample.session)
    try tx.insert(Sample.generation)
    try tx.insert(Sample.event)
    try tx.insert(Sample.preference)
    let sealed = try SealedSecret("sk-1", named: "token", with: World.secretKey.key())
    try InferenceStore.setSecret(sealed, named: "token", in: tx)
    try tx.execute("INSERT INTO sync_state (slot, last_error) VALUES (1, 'too late')")
    try tx.execute(
      """
      INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at) VALUES ('telemetry', \(Sample.event.id), 1, 1, 'no', 0)
      """)
    try tx.execute(
      "INSERT INTO sync_conflicts (kind, row_id, field, kept, noticed_at) VALUES ('model_metadata', \(Sample.model.id), 'name', 'ours', 0)")
  }
}
