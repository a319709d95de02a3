import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Retention of telemetry") struct RetentionTests {
  /// Ten events, the last a second before now; the even ones were sent, the seventh was set aside.
  private func world() throws -> World {
    let world = try World.temporary()
    try TelemetryTests.consent(world.inference)
    let events = (0..<10).map { number in
      TelemetryEvent(id: "\(number)", type: .custom, occurredAt: world.clock.now.addingTimeInterval(Double(number - 10)))
    }
    try world.inference.record(events)
    try TelemetryTests.acknowledge(world, "id % 2 = 0")
    try world.store.write { _ = try $0.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = '7'") }
    return world
  }

  private func left(_ world: World) throws -> String { try world.inference.events().items.map(\.id).reversed().joined() }

  @Test("what was not sent stays, however old it is and however many there are")
  func unsent() throws {
    let world = try world()
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: 5)) == 3)
    #expect(try left(world) == "1356789", "one that is just as old stays")
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: 0, maxCount: 0)) == 2)
    #expect(try left(world) == "13579")
    #expect(try world.inference.telemetryCounts().setAside == 1)
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: -1, maxCount: -1)) == 0)
  }

  @Test("of too many the oldest that were sent go, and no more than there are too many")
  func count() throws {
    let world = try world()
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxCount: 10)) == 0)
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxCount: 8)) == 2)
    #expect(try left(world) == "13456789")
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxCount: 1)) == 3)
    #expect(try left(world) == "13579")
  }

  @Test("what was not sent goes only when that is asked for")
  func everything() throws {
    let world = try world()
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxCount: 8, removesUnsent: true)) == 2)
    #expect(try left(world) == "23456789")
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: 5, removesUnsent: true)) == 3)
    #expect(try left(world) == "56789")
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxCount: 0, removesUnsent: true)) == 5)
    #expect(try left(world) == "")
    #expect(try world.isHealthy())
  }

  @Test("limits that are none keep everything", arguments: [nil, .infinity, .nan, 1e300] as [Double?])
  func none(age: Double?) throws {
    let world = try world()
    #expect(try world.inference.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: age, removesUnsent: true)) == 0)
    #expect(try left(world) == "0123456789")
  }

  @Test("somebody who takes consent back has what waits deleted, and only that")
  func deletion() throws {
    let world = try world()
    #expect(try world.inference.deletePendingTelemetry() == 5)
    #expect(try left(world) == "02468")
    #expect(try world.inference.telemetryCounts() == TelemetryCounts(total: 5))
    #expect(try world.inference.deletePendingTelemetry() == 0)
    #expect(try world.isHealthy())
  }
}
