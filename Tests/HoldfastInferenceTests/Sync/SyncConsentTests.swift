import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("Consent when sending", .timeLimit(.minutes(10))) struct SyncConsentTests {
  private static let full = InferenceConfiguration.Analytics(
    isEnabled: true, level: .verbose, telemetryConsent: .granted, includesDeviceInfo: true)

  private static func save(_ world: World, _ change: (inout InferenceConfiguration.Analytics) -> Void = { _ in }) async throws {
    var analytics = full
    change(&analytics)
    try await world.inference.save(InferenceConfiguration(analytics: analytics, createdAt: Sample.date))
  }

  /// Recorded with full consent: an event of performance with something in every field, and one of another type.
  private static func world() async throws -> World {
    let world = try World.temporary()
    try await save(world)
    var event = Sample.event
    event.properties = StoredJSON(text: #"{"ms":"12","userName":"A","session-id":"1","deviceModel":"X"}"#)
    #expect(try await world.inference.record([event, Sample.bareEvent]) == 2)
    try await world.inference.setPreference("1", named: "theme")
    return world
  }

  /// What came to the server in one attempt, and the requests.
  private static func sent(_ world: World) async throws -> (events: [[String: JSONValue]], bodies: [String], paths: [String]) {
    let api = TablesAPI()
    try await api.sync(world)
    return (api.came(to: "telemetry"), api.posts.map { String(decoding: $0.body, as: UTF8.self) }, api.posts.map(\.path))
  }

  private static func properties(_ event: [String: JSONValue]) -> String? {
    event.string("data").flatMap { Data(base64Encoded: $0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout InferenceConfiguration.Analytics) -> Void
  }

  static let refusals = [
    Refusal(testDescription: "denied") { $0.telemetryConsent = .denied },
    Refusal(testDescription: "a word of tomorrow") { $0.telemetryConsent = TelemetryConsent(rawValue: "anonymous") },
    Refusal(testDescription: "not enabled") { $0.isEnabled = false },
    Refusal(testDescription: "no level") { $0.level = .none },
    Refusal(testDescription: "limited, and not enabled") {
      $0.telemetryConsent = .limited
      $0.isEnabled = false
    },
  ]

  @Test("where nothing would be recorded nothing of what waits is sent, of no table; it goes when it may again", arguments: refusals)
  func refused(refusal: Refusal) async throws {
    let world = try await Self.world()
    try await Self.save(world, refusal.change)
    #expect(try await Self.sent(world).paths == [])
    #expect(try await world.inference.syncStatus().pending == ["telemetry": 2, "configuration": 1, "user_preferences": 1])
    try await Self.save(world)
    #expect(try await Self.sent(world).events.count == 2)
    #expect(try await world.inference.syncStatus().pending == [:])
  }

  @Test("without a configuration nothing is sent")
  func noConfiguration() async throws {
    let world = try await Self.world()
    try await world.inference.deleteConfiguration(InferenceConfiguration.defaultID)
    #expect(try await Self.sent(world).paths == [])
  }

  @Test("what was recorded with full consent loses under limited consent whose it is, and its request does not say it either")
  func limited() async throws {
    let world = try await Self.world()
    try await Self.save(world) { $0.telemetryConsent = .limited }
    let (events, bodies, paths) = try await Self.sent(world)
    #expect(paths == ["/v1/sync/telemetry"])
    let event = try #require(events.first)
    #expect(events.count == 1 && Set(event.keys) == ["id", "type", "name", "data", "timestamp", "createdAt", "updatedAt", "sdkVersion"])
    #expect(Self.properties(event) == #"{"ms":"12"}"#)
    let request = try #require([String: JSONValue](json: bodies[0]))
    #expect(request["deviceId"] == .string("") && request["sessionId"] == .string(""))
    #expect(try await world.inference.syncStatus().pending["telemetry"] == 1)
    #expect(try await world.inference.event(Sample.event.id)?.userID == "u", "here it stays whole")
  }

  @Test("types that are not wanted any more, and the device, are left out of what waits")
  func settings() async throws {
    let world = try await Self.world()
    try await Self.save(world) {
      $0.isPerformanceTrackingEnabled = false
      $0.includesDeviceInfo = false
    }
    #expect(try await Self.sent(world).events.map { $0.string("id") } == ["x"])
    try await Self.save(world) { $0.includesDeviceInfo = false }
    let event = try #require(try await Self.sent(world).events.first)
    #expect(event.string("userId") == "u" && event["deviceInfo"] == nil)
  }

  @Test("a property that an app has come to call secret goes without its value")
  func secrets() async throws {
    var strict = try await Self.world()
    strict.library = InferenceStore(strict.store, secretKey: World.secretKey, secretProperties: SecretProperties(adding: ["ms"]))
    let event = try #require(try await Self.sent(strict).events.first { $0.string("id") == Sample.event.id })
    #expect(Self.properties(event)?.contains(#""ms":"(secret)""#) == true)
  }

  @Test("every field of an event is sent, and nothing where there is nothing")
  func everyField() async throws {
    let world = try World.temporary()
    try await Self.save(world)
    #expect(try await world.inference.record([Sample.event, Sample.bareEvent]) == 2)
    let (events, bodies, _) = try await Self.sent(world)
    let event = try #require(events.first { $0.string("id") == Sample.event.id })
    #expect(event.count == TelemetryEvent.columns.count)
    #expect(
      event == [
        "id": .string(Sample.event.id), "type": .string("performance"), "name": .string("load"), "data": .string("eyJtcyI6IjEyIn0="),
        "timestamp": .double(776_092_800.123), "userId": .string("u"), "sessionId": .string("s"),
        "deviceInfo": .object(["model": .string("iPhone")]), "sdkVersion": .string("0.15"), "createdAt": .double(776_092_801.123),
        "updatedAt": .double(776_092_802.123),
      ])
    let bare = try #require(events.first { $0.string("id") == "x" })
    #expect(Set(bare.keys) == ["id", "type", "data", "timestamp", "createdAt", "updatedAt"] && bare["data"] == .string("e30="))
    #expect([String: JSONValue](json: bodies[0])?.string("deviceId") == "device")
  }
}
