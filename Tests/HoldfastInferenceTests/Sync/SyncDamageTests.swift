import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("Sync of a store with damaged rows", .timeLimit(.minutes(10))) struct SyncDamageTests {
  static let pages = [
    "/v1/configuration": #"{"id":"other","data":{"routing":{"policy":"automatic"}},"lastModified":900000000}"#,
    "/v1/models?page=1&pageSize=100":
      #"{"models":[{"id":"broken","name":"m","framework":"MLX","updatedAt":900000000},{"id":"new","name":"n","framework":"MLX","updatedAt":900000000}]}"#,
  ]

  @Test("a row that cannot be read stays as it is when the server has another, and everything else is taken and sent")
  func pulled() async throws {
    let world = try await SentRows.telemetry.world(3)
    try await world.inference.save(InferenceConfiguration(id: "other", createdAt: Sample.date))
    try await world.inference.save(ModelMetadata(id: "broken", name: "m", framework: .mlx, createdAt: Sample.date))
    try await world.store.write { tx in
      try tx.execute("UPDATE model_metadata SET tags = 'no list'")
      try tx.execute("UPDATE configuration SET stop_sequences = 'no list' WHERE id = 'other'")
    }
    let report = try await TablesAPI(pages: Self.pages).sync(world)
    #expect(report.acknowledged["telemetry"] == 3 && report.pulled["model_metadata"] == 1)
    #expect(try await world.inference.model("new")?.name == "n")
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM model_metadata WHERE tags = 'no list'") } == 1)
  }

  @Test("a configuration of which only another part is damaged lets events go, in its batches")
  func damagedDefault() async throws {
    let world = try await SentRows.telemetry.world(3)
    try await world.store.write { _ = try $0.execute("UPDATE configuration SET framework_preferences = 'no list'") }
    try await world.store.write { _ = try $0.execute("UPDATE analytics_config SET batch_size = 2") }
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let report = try await SentRows.telemetry.service(world, server, batch: nil).sync()
    #expect(report.acknowledged["telemetry"] == 3 && server.requests.count == 2)
  }
}
