import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Retention of telemetry") struct RetentionTests {
  /// Ten events, the last a second before now; the even ones were sent, the seventh was set aside.
  private func world() async throws -> World {
    let world = try World.temporary()
    try await Self.fill(world.inference, world.clock)
    return world
  }
  private static func fill(_ inference: InferenceStore, _ clock: TestClock) async throws {
    try await TelemetryTests.consent(inference)
    let events = (0..<10).map { number in
      TelemetryEvent(id: "\(number)", type: .custom, occurredAt: clock.now.addingTimeInterval(Double(number - 10)))
    }
    try await inference.record(events)
    try await inference.store.write { tx in
      try tx.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE id % 2 = 0")
      try tx.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = '7'")
    }
  }

  private func left(_ world: World) async throws -> String { try await world.inference.events().items.map(\.id).reversed().joined() }

  @Test("by age and by number, only what was sent goes, the oldest first")
  func unsent() async throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    func left(_ limits: RetentionLimits?) async throws -> (removed: Int?, left: String) {
      var options = StoreOptions.testing
      options.now = { clock.now }
      options.retention.limits["telemetry"] = limits
      let inference = try InferenceStore.open(at: folder.file("store.sqlite"), options: options)
      defer { try? inference.store.close() }
      if try await inference.telemetryCounts().total == 0 { try await Self.fill(inference, clock) }
      let report = try await inference.store.applyRetention()
      #expect(report.isClockTrusted)
      return (report.removed["telemetry"], try await inference.events().items.map(\.id).reversed().joined())
    }
    #expect(try await left(nil) == (nil, "0123456789"))
    #expect(try await left(RetentionLimits(maxCount: 9)) == (1, "123456789"))
    #expect(try await left(RetentionLimits(maxAgeSeconds: 5)) == (2, "1356789"), "one that is just as old stays")
    #expect(try await left(RetentionLimits(maxAgeSeconds: -1, maxCount: 0)) == (2, "13579"))
  }

  @Test("somebody who takes consent back has what waits deleted, and only that")
  func deletion() async throws {
    let world = try await world()
    #expect(try await world.inference.deletePendingTelemetry() == 5)
    #expect(try await left(world) == "02468")
    #expect(try await world.inference.telemetryCounts() == TelemetryCounts(total: 5))
    #expect(try await world.inference.deletePendingTelemetry() == 0)
    #expect(try world.isHealthy())
  }
}
