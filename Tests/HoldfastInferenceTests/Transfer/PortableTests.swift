import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The documented export of an inference store") struct PortableTests {
  private let folder: TemporaryFolder
  private let world: World
  private var file: URL { folder.file("export.holdfast") }

  init() async throws {
    folder = try TemporaryFolder()
    world = try World.inMemory()
    let inference = world.inference
    try await inference.save(Sample.configuration)
    try await inference.setAPIKey("sk-never-exported", for: Sample.configuration.id)
    try await inference.save([Sample.model, Sample.bareModel])
    try await inference.save(Sample.session)
    try await inference.save(Sample.generation)
    try await inference.setPreference("1", named: "theme")
    try await world.store.write { tx in
      try tx.insert(Sample.event)
      try tx.insert(Sample.bareEvent)
      try tx.insert(Sample.usage)
      try tx.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE id = \(Sample.event.id)")
      try tx.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = \(Sample.bareEvent.id)")
    }
  }

  private func imported(into other: World) throws -> ImportReport {
    let source = try ImportSource(file)
    let format = try InferenceStore.importer(for: source)
    return try other.store.importing(format, from: source)
  }

  private func waiting(_ world: World) throws -> [String] {
    try world.store.read { reader in
      try reader.values(
        "SELECT id FROM telemetry WHERE revision > acknowledged_revision AND revision > set_aside_revision ORDER BY id"
      ) { row in try row.text() }
    }
  }

  @Test("what the server has is not sent again from another store, and what was set aside is tried again")
  func empty() throws {
    _ = try world.store.export(to: file)
    let other = try World.inMemory()
    let report = try imported(into: other)
    #expect(report.isClean && report.verified, "\(report.text)")
    #expect(try waiting(other) == [Sample.bareEvent.id])
  }

  @Test("a configuration that comes in has the key of the API that it has here, or none")
  func keyStays() async throws {
    let other = try World.inMemory()
    try await other.inference.save(Sample.configuration)
    try await other.inference.setAPIKey("sk-of-here", for: Sample.configuration.id)
    var newer = Sample.configuration
    newer.generation.temperature = 0.125
    newer.updatedAt = Sample.configuration.updatedAt.addingTimeInterval(365 * 86_400)
    try await world.inference.setAPIKey(nil, for: Sample.configuration.id)
    try await world.inference.save(newer)
    _ = try world.store.export(to: file)
    let report = try imported(into: other)
    #expect(report.isClean && report.verified && report.counts["configuration"]?.merged == 1, "\(report.text)")
    #expect(try await other.inference.configuration(newer.id)?.generation.temperature == 0.125)
    #expect(try await other.inference.apiKey(for: newer.id) == "sk-of-here")
    #expect(try await other.inference.syncStatus().pending["configuration"] == 1)
    #expect(try imported(into: other).counts["configuration"]?.skipped == 1)
  }

  @Test("what nobody has agreed to send does not wait in another store either")
  func neverSent() throws {
    let legacy = try LegacyWorld()
    try legacy.database([SDKDatabase.first, SDKDatabase.event("e")])
    _ = try legacy.report()
    try legacy.withLibrary { _ = try $0.store.export(to: file) }
    let other = try World.inMemory()
    #expect(try imported(into: other).counts["telemetry"]?.imported == 1)
    #expect(try waiting(other) == [])
    #expect(try other.inference.store.read { try InferenceStore.telemetryCounts(in: $0) } == TelemetryCounts(total: 1, setAside: 1))
  }

  @Test("a newer row changes one that is here, and waits to be sent from here, whatever the other server had")
  func merging() throws {
    let other = try World.inMemory()
    try other.store.write { tx in
      var older = Sample.event
      older.name = "older"
      older.updatedAt = Sample.event.updatedAt.addingTimeInterval(-1)
      try tx.insert(older)
      try tx.execute("UPDATE telemetry SET acknowledged_revision = revision")
      var newer = Sample.model
      newer.name = "newer"
      newer.updatedAt = Sample.model.updatedAt.addingTimeInterval(1)
      try tx.insert(newer)
    }
    _ = try world.store.export(to: file)
    let report = try imported(into: other)
    #expect(report.verified && report.counts["telemetry"]?.merged == 1, "\(report.text)")
    #expect(try other.inference.store.read { try InferenceStore.event(Sample.event.id, in: $0) } == Sample.event)
    #expect(try other.inference.store.read { try InferenceStore.model(Sample.model.id, in: $0) }?.name == "newer")
    #expect(try waiting(other).contains(Sample.event.id))
    try other.store.write { tx in
      _ = try tx.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE id = \(Sample.event.id)")
      _ = try tx.execute("UPDATE telemetry SET name = 'edited' WHERE id = \(Sample.event.id)")
    }
    #expect(try waiting(other).contains(Sample.event.id), "an edit after that waits, too")
  }

  @Test("whichever configuration is newer has its own further policies and no others", arguments: [0, 1, 3])
  func furtherRoutings(count: Int) async throws {
    let other = try World.inMemory()
    var newer = Sample.configuration
    newer.otherRoutings = (0..<count).map { Routing(policy: RoutingPolicy(rawValue: "policy \($0)")) }
    // A verb writes the time of its clock.
    func save(_ world: World) throws {
      try world.inference.store.write { try InferenceStore.save(newer, in: $0) }
      try world.store.write { _ = try $0.execute("UPDATE configuration SET updated_at = 4000000000000") }
    }
    try save(other)
    _ = try world.store.export(to: file)
    let left = try imported(into: other)
    #expect(try await other.inference.configuration(newer.id)?.otherRoutings == newer.otherRoutings && left.notes == nil, "\(left.text)")
    try save(world)
    _ = try world.store.export(to: file)
    let third = try World.inMemory()
    try await third.inference.save(Sample.configuration)
    let report = try imported(into: third)
    #expect(report.isClean && report.verified && report.notes?.values.map { $0 } == [1], "\(report.text)")
    #expect(try await third.inference.configuration(newer.id)?.otherRoutings == newer.otherRoutings)
    #expect(try await third.inference.syncStatus().pending["configuration"] == 1)
    let again = try imported(into: third)
    #expect(again.isClean && again.notes == nil && again.counts.values.allSatisfy { $0.skipped == $0.source }, "\(again.text)")
  }

  @Test("a row that nobody could read again is in quarantine with its reason, and all others come in")
  func unreadable() throws {
    try world.store.write { _ = try $0.execute("UPDATE telemetry SET occurred_at = \(Int64.max) WHERE id = \(Sample.event.id)") }
    _ = try world.store.export(to: file)
    let other = try World.inMemory()
    let report = try imported(into: other)
    #expect(report.problems.map { $0.reason.suffix(50) } == ["occurred_at should hold a date, and holds an integer".suffix(50)])
    #expect(try other.inference.store.read { try InferenceStore.events(in: $0) }.items.map(\.id) == [Sample.bareEvent.id])
    #expect(
      try other.inference.store.read { try InferenceStore.models(in: $0) }
        == (try world.inference.store.read { try InferenceStore.models(in: $0) }))
  }
}
