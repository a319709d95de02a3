import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Telemetry") struct TelemetryTests {
  static let granted = InferenceConfiguration.Analytics(
    isEnabled: true, level: .verbose, telemetryConsent: .granted, includesDeviceInfo: true, includesModelInfo: true)

  static let consenting = InferenceConfiguration(analytics: granted, createdAt: Sample.date)

  static func consent(_ inference: InferenceStore, _ change: (inout InferenceConfiguration.Analytics) -> Void = { _ in }) async throws {
    var analytics = granted
    change(&analytics)
    try await inference.save(InferenceConfiguration(analytics: analytics, createdAt: Sample.date))
  }

  static func event(_ number: Int, _ type: TelemetryEventType = .custom, _ properties: String = "{}") -> TelemetryEvent {
    TelemetryEvent(
      id: "event \(number)", type: type, properties: StoredJSON(text: properties),
      occurredAt: Sample.date.addingTimeInterval(Double(number)))
  }

  /// The server's word that it has these.
  static func acknowledge(_ world: World, _ condition: BoundSQL) throws {
    try world.store.write { _ = try $0.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE \(sql: condition)") }
  }

  /// What is there of events that are recorded one by one.
  private func recorded(_ events: [TelemetryEvent], secretProperties: SecretProperties = .standard) async throws -> [TelemetryEvent] {
    let world = try World.inMemory()
    let inference = InferenceStore(world.store, secretKey: nil, secretProperties: secretProperties)
    try await Self.consent(inference)
    for event in events { #expect(try await inference.record([event]) == 1) }
    #expect(try world.isHealthy())
    return try await events.asyncMap { try #require(try await inference.event($0.id)) }
  }

  private func recorded(_ event: TelemetryEvent, secretProperties: SecretProperties = .standard) async throws -> TelemetryEvent? {
    try await recorded([event], secretProperties: secretProperties).first
  }

  @Test("with consent an event comes back word for word, and waits to be sent")
  func wordForWord() async throws {
    #expect(try await recorded(Sample.event) == Sample.event)
    var spaced = Sample.event
    spaced.properties = StoredJSON(text: #" { "b" : "\u0041\"", "a":"\\" }"#)
    #expect(try await recorded(spaced) == spaced)
    #expect(try await recorded(Sample.bareEvent) == Sample.bareEvent)
  }

  @Test("nothing is searched in values: a text stays as it is, whatever it says")
  func texts() async throws {
    var event = Self.event(1, .custom, #"{"body":"{\"api_key\":\"sk-1\"}","url":"https://u:p@models.example/?key=1"}"#)
    event.deviceInfo = ["body": .string(#"{"api_key":"sk-1"}"#)]
    #expect(try await recorded(event) == event)
  }

  private static let types: [TelemetryEventType] = [
    .modelLoaded, .generationStarted, .generationCompleted, .error, .performance, .memory, TelemetryEventType(rawValue: "of tomorrow"),
  ]

  private static func all(but others: TelemetryEventType...) -> [TelemetryEventType] { types.filter { !others.contains($0) } }

  /// What is recorded of one event of each type.
  private static let consents: [(recorded: [TelemetryEventType], change: @Sendable (inout InferenceConfiguration.Analytics) -> Void)] = [
    (types, { _ in }), ([], { $0.telemetryConsent = .denied }),
    ([], { $0.telemetryConsent = TelemetryConsent(rawValue: "anonymous") }),
    ([], { $0.telemetryConsent = TelemetryConsent(rawValue: "Granted") }),
    ([.error, .performance], { $0.telemetryConsent = .limited }), ([], { $0.isEnabled = false }), ([], { $0.level = .none }),
    (all(but: .error), { $0.isErrorReportingEnabled = false }),
    (all(but: .performance), { $0.isPerformanceTrackingEnabled = false }),
    ([.error, .performance], { $0.areMetricsEnabled = false }),
    ([.performance], { ($0.areMetricsEnabled, $0.isErrorReportingEnabled) = (false, false) }),
    (all(but: .memory), { $0.level = .detailed }), (all(but: .performance, .memory), { $0.level = .basic }),
    (all(but: .performance, .memory), { $0.level = AnalyticsLevel(rawValue: "full") }),
    (all(but: .memory), { ($0.level, $0.isPerformanceTrackingEnabled) = (.basic, true) }),
    ([.error], { ($0.telemetryConsent, $0.level) = (.limited, .basic) }),
    ([.performance], { ($0.telemetryConsent, $0.isErrorReportingEnabled) = (.limited, false) }),
  ]

  @Test("only what the consent, the level and the settings allow is recorded")
  func consent() async throws {
    let world = try World.inMemory()
    let events = Self.types.enumerated().map { Self.event($0, $1) }
    for (recorded, change) in Self.consents {
      var analytics = Self.granted
      change(&analytics)
      try await Self.consent(world.inference, change)
      #expect(try await world.inference.record(events) == recorded.count, "\(analytics)")
      #expect(try await world.inference.pendingEventCount() == recorded.count, "\(analytics)")
      #expect(try await world.inference.events().items.reversed().map(\.type) == recorded, "\(analytics)")
      try await world.store.write { _ = try $0.execute("DELETE FROM telemetry") }
    }
  }

  @Test("without a configuration nothing is recorded, and each configuration consents for itself")
  func configurations() async throws {
    let world = try World.inMemory()
    #expect(try await world.inference.record([Sample.event]) == 0)
    try await world.inference.save(InferenceConfiguration(createdAt: Sample.date))
    try await world.inference.save(InferenceConfiguration(id: "work", analytics: Self.granted, createdAt: Sample.date))
    #expect(try await world.inference.record([Sample.event]) == 0)
    #expect(try await world.inference.record([Sample.event], by: "nobody") == 0)
    #expect(try await world.inference.record([Sample.event], by: "work") == 1)
  }

  @Test("limited consent leaves out who, where and on what")
  func limited() async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference) { $0.telemetryConsent = .limited }
    var event = Sample.event
    event.properties = StoredJSON(text: #"{"deviceModel":"X","ms":"12","SESSION-ID":"1","user_name":"A","api_key":"sk-1"}"#)
    #expect(try await world.inference.record([event]) == 1)
    let found = try #require(try await world.inference.event(event.id))
    #expect(found.userID == nil && found.sessionID == nil && found.deviceInfo == nil)
    #expect(try found.properties.decoded() == ["ms": "12", "api_key": "(secret)"])
    #expect(found.name == event.name && found.sdkVersion == event.sdkVersion)
  }

  @Test("the device and the model are left out unless they are asked for")
  func deviceAndModel() async throws {
    var event = Sample.event
    event.properties = StoredJSON(text: #"{"deviceModel":"X","device_os":"18","model_id":"m","modelFormat":"gguf","ms":"12"}"#)
    func names(_ change: (inout InferenceConfiguration.Analytics) -> Void) async throws -> [String] {
      let world = try World.inMemory()
      try await Self.consent(world.inference, change)
      try await world.inference.record([event])
      let found = try #require(try await world.inference.event(event.id))
      #expect(found.userID == event.userID && found.sessionID == event.sessionID)
      return try found.properties.decoded().keys.sorted() + (found.deviceInfo == nil ? [] : ["device info"])
    }
    #expect(try await names { $0.includesDeviceInfo = false } == ["modelFormat", "model_id", "ms"])
    #expect(try await names { $0.includesModelInfo = false } == ["device_os", "ms", "device info"])
    #expect(try await names { ($0.includesDeviceInfo, $0.includesModelInfo) = (false, false) } == ["ms"])
    #expect(try await names { _ in } == ["deviceModel", "device_os", "modelFormat", "model_id", "ms", "device info"])
  }

  @Test("a property with a secret name is recorded without its value")
  func secrets() async throws {
    let names = [
      "api_key", "apiKey", "API-KEY", "openai.api-key", "Authorization", "password", "userPassword", "client_secret", "token", "Bearer",
      "refreshToken", "access_token", "credentials", "set-cookie", "jwt",
    ]
    var events: [TelemetryEvent] = []
    for name in names {
      for text in [#"{"a":"1","\#(name)":"sk-very-secret"}"#, #"{ "a":"1","\#(name)":"sk-very-secret" }"#] {
        var event = Self.event(events.count, .custom, text)
        event.deviceInfo = [name: .object(["value": .string("sk-very-secret")]), "os": .string("18")]
        events.append(event)
      }
    }
    for (number, found) in try await recorded(events).enumerated() {
      let name = names[number / 2]
      #expect(try found.properties.decoded() == ["a": "1", name: SecretProperties.mask])
      #expect(found.deviceInfo == [name: .string(SecretProperties.mask), "os": .string("18")])
    }
  }

  @Test("secrets are left out of the device info however deep they stand, and true, false and null say nothing")
  func nestedDevice() async throws {
    var event = Self.event(1)
    let secret = JSONValue.object(["Client-Secret": .string("s"), "id": .integer(1)])
    event.deviceInfo = [
      "a": .array([.array([secret]), .integer(2)]), "b": .object(["c": secret]), "has_api_key": .bool(true), "pin": .null,
    ]
    let masked = JSONValue.object(["Client-Secret": .string("(secret)"), "id": .integer(1)])
    #expect(
      try await recorded(event)?.deviceInfo == [
        "a": .array([.array([masked]), .integer(2)]), "b": .object(["c": masked]), "has_api_key": .bool(true), "pin": .null,
      ])
  }

  @Test(
    "names that are about a secret, or about what a model reads and writes, are none",
    arguments: [
      "total_tokens", "maxTokens", "token_count", "tokens_per_second", "time_to_first_token", "eos_token", "stop-token", "sessionTokens",
      "session_tokens", "api_key_count", "passwordLength", "secret_type", "cookieConsent", "authorizationStatus", "access_token_expires_in",
      "invalid_token", "pinned", "monkey", "key",
    ])
  func noSecrets(name: String) {
    #expect(!SecretProperties.standard.contains(name))
  }

  @Test(
    "names of every kind of secret are",
    arguments: [
      "openai_api_key", "x-api-key", "APIKEY", "api_token", "authToken", "oauth_token", "access_token", "hf_token", "HF-TOKEN",
      "huggingFaceToken", "bearer", "password", "pwd", "db_pwd", "secret", "client_secret", "private_key", "ssh-private-key",
      "sessionToken",
      "id_token", "jwt", "PIN", "AWS_SECRET_ACCESS_KEY", "Set-Cookie", "credentials", "passphrase",
    ])
  func allSecrets(name: String) {
    #expect(SecretProperties.standard.contains(name))
  }

  @Test("a name that is written with escapes is read before it is judged")
  func escapedNames() async throws {
    let found = try #require(try await recorded(Self.event(1, .custom, #"{"api\u005fkey":"sk-1"}"#)))
    #expect(try found.properties.decoded() == ["api_key": SecretProperties.mask])
  }

  @Test("each name is judged for itself, however many there are, in whatever order and as whatever it begins")
  func manyNames() async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference)
    // As many as are kept in mind, and more; some differ in their last letter only, and one is empty.
    let names = (0..<1400).map { ["", "api_key", "api_kez", "key_api", "name \($0)", "nam\u{E9} \($0)", "secret \($0)"][$0 % 7] }
    var random = SeededGenerator(seed: 20_261_122)
    let events = (0..<1000).map { number in
      let first = number < 600 ? number * 2 : Int.random(in: 0..<names.count, using: &random)
      let some = Set([names[first], names[Int.random(in: 0..<names.count, using: &random)], names[number % names.count]])
      return Self.event(number, .custom, "{\(some.sorted().map { "\"\($0)\":\"of \($0)\"" }.joined(separator: ","))}")
    }
    #expect(try await world.inference.record(events) == events.count)
    let found = try await world.inference.pendingEvents(limit: events.count).items
    try #require(found.map(\.id) == events.map(\.id))
    for (event, found) in zip(events, found) {
      let expected = try event.properties.decoded().map { name, value in
        (name, name == "api_key" || name.hasPrefix("secret") ? SecretProperties.mask : value)
      }
      #expect(try found.properties.decoded() == Dictionary(uniqueKeysWithValues: expected))
    }
  }

  @Test("tokens of prompts are no secrets, and an app adds names of its own")
  func names() async throws {
    let text = #"{"max_tokens":"1","prompt_tokens":"2","tokens":"3","pinned":"4","patient number":"5"}"#
    #expect(try await recorded(Self.event(1, .custom, text))?.properties.text == text)
    let found = try await recorded(Self.event(1, .custom, text), secretProperties: SecretProperties(adding: ["patientNumber"]))
    #expect(try found?.properties.decoded()["patient number"] == SecretProperties.mask)
    #expect(try found?.properties.decoded()["prompt_tokens"] == "2")
  }

  @Test("properties that are no object of texts are refused, the whole batch with them, and the error does not repeat them")
  func notAnObject() async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference)
    let texts = [
      "", "null", "[]", #"{"a":1}"#, #"{"a":"b""#, #"{"a":"b"} "sk-1""#, #"{"a":{"api_key":"sk-1"}}"#, #"{"a":"b",}"#, "{\"a\":\"\n\"}",
    ]
    for text in texts {
      let events = [Self.event(1), Self.event(2, .custom, text)]
      let error = await #expect(throws: StoreError.self) { try await world.inference.record(events) }
      #expect(error?.code == .invalidValue, "\(text)")
      #expect(error.map { "\($0)".contains("sk-1") } == false)
      #expect(try await world.inference.telemetryCounts() == TelemetryCounts())
    }
  }

  @Test("an event that is there is not recorded again, in any place of a batch of any size", arguments: [1, 49, 50, 51, 100, 130])
  func twice(count: Int) async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference)
    let events = (0..<count).map { Self.event($0) }
    #expect(try await world.inference.record([events[count / 2]]) == 1)
    try Self.acknowledge(world, "true")
    #expect(try await world.inference.record(events) == count - 1)
    #expect(try await world.inference.record(events) == 0)
    #expect(try await world.inference.record(events + events) == 0)
    #expect(try await world.inference.telemetryCounts().sent == 1, "what was sent is not sent twice")
    #expect(try await world.inference.pendingEventCount() == count - 1)
    #expect(try await world.inference.record([Self.event(1000), Self.event(1000)]) == 1)
    #expect(try world.isHealthy())
  }

  @Test("an event without an id is refused with its batch")
  func withoutID() async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference)
    let events = (0..<60).map { Self.event($0) } + [TelemetryEvent(id: "", type: .error, occurredAt: Sample.date)]
    let error = await #expect(throws: StoreError.self) { try await world.inference.record(events) }
    #expect(error?.code == .constraint)
    #expect(try await world.inference.pendingEventCount() == 0)
  }

  @Test("pending events come oldest first in pages, without those that were sent or set aside")
  func pending() async throws {
    let world = try World.inMemory()
    try await Self.consent(world.inference)
    let events = (0..<10).map { Self.event($0) }
    try await world.inference.record(events.reversed())
    try Self.acknowledge(world, "id IN ('event 0', 'event 4')")
    try await world.store.write { _ = try $0.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = 'event 7'") }
    let first = try await world.inference.pendingEvents(limit: 3)
    #expect(first.items.map(\.id) == ["event 1", "event 2", "event 3"])
    #expect(
      try await world.inference.pendingEvents(after: first.next, limit: 9).items.map(\.id) == ["event 5", "event 6", "event 8", "event 9"])
    #expect(
      try await world.inference.telemetryCounts()
        == TelemetryCounts(total: 10, pending: 7, setAside: 1, oldestPendingAt: events[1].occurredAt))
    #expect(try await world.inference.telemetryCounts().sent == 2)
    #expect(try await world.inference.events(limit: 2).items.map(\.id) == ["event 9", "event 8"])
    #expect(try await world.inference.deleteEvent("event 9"))
    #expect(try await !world.inference.deleteEvent("event 9"))
  }
}
