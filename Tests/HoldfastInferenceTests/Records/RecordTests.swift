import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("Records") struct RecordTests {
  @Test("an edit raises the row's revision by one, also one of a part, and saving it again unchanged does not")
  func revisions() async throws {
    let world = try World.inMemory()
    func revision(_ table: String) throws -> Int { try world.store.read { try $0.count("SELECT max(revision) FROM \(raw: table)") } }
    try await world.store.write { tx in
      try tx.upsert(Sample.model)
      try tx.upsert(Sample.model)
    }
    #expect(try revision("model_metadata") == 1)
    var model = Sample.model
    model.tags = []
    try await world.store.write { [model] in try $0.upsert(model) }
    #expect(try revision("model_metadata") == 2)

    try await world.inference.save(Sample.configuration)
    let saved = try revision("configuration")
    try await world.inference.save(Sample.configuration)
    #expect(try revision("configuration") == saved)
    var configuration = Sample.configuration
    configuration.analytics.telemetryConsent = .denied
    try await world.inference.save(configuration)
    #expect(try revision("configuration") == saved + 1)
  }
}
