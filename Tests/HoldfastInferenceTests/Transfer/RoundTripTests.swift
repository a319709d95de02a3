import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The round trip of an inference store") struct RoundTripTests {
  private let folder: TemporaryFolder
  private var file: URL { folder.file("export.holdfast") }

  init() throws { folder = try TemporaryFolder() }

  /// Whose rows are about one file, and in no export.
  private static let own: Set = ["secrets", "sync_state", "sync_tries", "sync_cursors", "sync_conflicts"]
  /// What each store has of its own: how often a row was changed here, and where its secrets are.
  private static let ownColumns: Set = ["revision", "acknowledged_revision", "set_aside_revision", "api_key_reference"]

  /// Every value of every row of every table, but for the kit's own, as text.
  private func content(of world: World, without: Set<String>) throws -> [String: [String]] {
    try world.store.read { reader in
      let tables = try reader.values("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.text() }
        .filter { !$0.hasPrefix("holdfast_") && !$0.hasPrefix("sqlite_") && !Self.own.contains($0) }
      var content: [String: [String]] = [:]
      for table in tables {
        let columns = try reader.values("SELECT name FROM pragma_table_info(\(table)) ORDER BY cid") { try $0.text() }
          .filter { $0 != "rowid" && !without.contains($0) }
        content[table] = try reader.values("SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: table)") { row in
          try columns.map { "\($0) \(try row.value())" }.joined(separator: ", ")
        }.sorted()
      }
      return content
    }
  }

  private func importing(into world: World) throws -> ImportReport {
    let source = try ImportSource(file)
    return try world.store.importing(InferenceStore.importer(for: source), from: source)
  }

  /// Exports, imports into a new store, compares, imports again.
  private func check(_ world: World) throws -> World {
    _ = try world.store.export(to: file)
    let other = try World.temporary()
    let report = try importing(into: other)
    #expect(report.isClean && report.verified, "\(report.text)")
    let (before, after) = (try content(of: world, without: Self.ownColumns), try content(of: other, without: Self.ownColumns))
    #expect(before.keys.sorted() == after.keys.sorted())
    for (table, rows) in before {
      #expect(!rows.isEmpty, "\(table) has no rows: nothing is compared")
      #expect(after[table] == rows, "\(table)")
      #expect(report.counts[table].map { $0.source == rows.count && $0.imported == rows.count } == true, "\(table)")
    }
    #expect(Set(report.counts.keys) == Set(before.keys))
    let complete = try content(of: other, without: [])
    let again = try importing(into: other)
    #expect(again.isClean && again.verified && again.counts.values.allSatisfy { $0.skipped == $0.source }, "\(again.text)")
    #expect(try content(of: other, without: []) == complete)
    #expect(try other.isHealthy())
    return other
  }

  @Test("every record of every kind comes back equal in every field, and a second import changes nothing")
  func samples() async throws {
    let world = try World.temporary()
    let inference = world.inference
    try await inference.save(Sample.configuration)
    try await inference.save(InferenceConfiguration(createdAt: Sample.date))
    try await inference.setAPIKey("sk-never-exported-0123456789", for: Sample.configuration.id)
    try await inference.setSecret("another secret of the app", named: "mine")
    // Secrets are in no export, and neither are their names.
    let saved = try await inference.configurations().map { configuration in
      var saved = configuration
      saved.apiKeyReference = nil
      return saved
    }
    try await inference.save([Sample.model, Sample.bareModel])
    for session in [Sample.session, Sample.bareSession] { try await inference.save(session) }
    for generation in [Sample.generation, Sample.bareGeneration] { try await inference.save(generation) }
    try await world.store.write { tx in
      for event in [Sample.event, Sample.bareEvent] { try tx.insert(event) }
      try tx.insert(Sample.preference)
      try tx.insert(Sample.usage)
    }
    let other = try check(world)
    // As values, too, and not only as columns.
    #expect(try await other.inference.configurations() == saved && saved.count == 2)
    #expect(try await other.inference.models() == inference.models())
    #expect(try await other.inference.sessions().items == inference.sessions().items)
    #expect(try await other.inference.generations(of: Sample.session.id).items == [Sample.generation, Sample.bareGeneration])
    #expect(try await other.inference.events().items == inference.events().items)
    #expect(try await other.inference.preferences() == [Sample.preference])
    #expect(try await other.inference.usage().items == [Sample.usage])
    // But for the secrets: their names are known where a configuration has them, and nothing else.
    #expect(try await other.inference.secretNames() == [])
    #expect(try await other.inference.apiKey(for: Sample.configuration.id) == nil)
    let text = try String(contentsOf: file, encoding: .utf8)
    for word in ["another secret", "secrets", "sealed", "sync_"] { #expect(!text.contains(word), "\(word)") }
    #expect(try Traces.files(of: "sk-never-exported-0123456789", in: folder.url) == [])
  }

  @Test("whatever the fields hold comes back equal")
  func anything() throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("round trip of an inference store: seed \(seed)")
    var records = RandomRecords(seed: seed)
    let world = try World.temporary()
    for number in 0..<40 { try records.write(number, into: world.store) }
    let other = try check(world)
    #expect(
      try other.inference.store.read { try InferenceStore.configurations(in: $0) }
        == world.inference.store.read { try InferenceStore.configurations(in: $0) }, "seed \(seed)")
    #expect(
      try other.inference.store.read { try InferenceStore.models(in: $0) }
        == world.inference.store.read { try InferenceStore.models(in: $0) }, "seed \(seed)")
    #expect(
      try other.inference.store.read { try InferenceStore.events(in: $0) }.items
        == world.inference.store.read { try InferenceStore.events(in: $0) }.items, "seed \(seed)")
  }
}
