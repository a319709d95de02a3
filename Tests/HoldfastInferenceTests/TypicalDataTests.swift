import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("The typical data set") struct TypicalDataTests {
  @Test("its file is smaller than 50 MB, and healthy")
  func size() async throws {
    let world = try World.temporary()
    try await TypicalData.fill(world)
    try await world.store.checkpoint(.truncate)
    let url = try #require(world.store.url)
    let bytes = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber).intValue
    let counts = try ["model_metadata", "generation_sessions", "generations", "model_usage_stats", "telemetry", "user_preferences"].map {
      "\($0) \(try world.store.rows("SELECT count(*) FROM \(raw: $0)").joined())"
    }
    print("typical data set: \((Double(bytes) / 104_857.6).rounded() / 10) MB in the file: \(counts.joined(separator: ", "))")
    #expect(bytes < 5_000_000 * TypicalData.tenths)
    // All of it is there.
    #expect(bytes > 500_000 * TypicalData.tenths)
    #expect(try world.store.rows("SELECT count(*) FROM generations") == ["\(TypicalData.sessions * TypicalData.generationsInSession)"])
    #expect(try world.store.rows("SELECT count(*) FROM telemetry") == ["\(TypicalData.eventsInDay * TypicalData.daysOfEvents)"])
    #expect(try world.store.rows("SELECT sum(generation_count) FROM model_usage_stats") == ["\(2_000 * TypicalData.tenths)"])
    #expect(try await world.inference.pendingEventCount() == TypicalData.eventsInDay)
    #expect(try world.isHealthy())
  }
}
