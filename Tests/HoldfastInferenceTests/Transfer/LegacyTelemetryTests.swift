import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastInference

@Suite("Telemetry of the SDK's databases") struct LegacyTelemetryTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private static let note = "imported without consent to send it; it is never sent"

  init() throws { world = try LegacyWorld() }

  private func configuration(_ consent: String) -> String {
    SDK.row(
      "configuration", "default",
      #"{"id":"default","analytics":{"enabled":true,"level":"basic","telemetryConsent":"\#(consent)"},"createdAt":1,"updatedAt":2}"#)
  }

  @Test("what the SDK says of sending is not believed: with consent every event waits, because it marked them without sending them")
  func granted() throws {
    try world.database([
      SDK.first, configuration("granted"), SDK.event("a", pending: "0"), SDK.event("b", "custom", pending: "1"),
      SDK.event("c", pending: "NULL"),
    ])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        telemetry 3: 3 imported
        """)
    #expect(try world.telemetry() == ["a waits", "b waits", "c waits"])
  }

  @Test("an event that was sent from here is not sent again when the same database comes in again")
  func again() throws {
    try world.database([SDK.first, configuration("granted"), SDK.event("a"), SDK.event("b")])
    _ = try world.report()
    try world.withLibrary {
      try $0.store.write { _ = try $0.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE id = 'a'") }
    }
    #expect(
      try world.importing() == """
        configuration 1: 1 skipped
        telemetry 2: 2 skipped
        skipped 3: in the store already
        """)
    #expect(try world.telemetry() == ["a was sent", "b waits"])
  }

  @Test("with limited consent errors and performance wait that name nobody, and the rest is kept and counted")
  func limited() throws {
    try world.database([
      SDK.first, configuration("limited"), SDK.event("a"), SDK.event("b", "performance", #""ms":"12""#),
      SDK.event("c", "generation_started"), SDK.event("d", "error", #""deviceModel":"X""#), SDK.event("e", "error", #""user_name":"A""#),
    ])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        telemetry 5: 5 imported
        noted 3: \(Self.note)
        """)
    #expect(try world.telemetry() == ["a waits", "b waits", "c set aside", "d set aside", "e set aside"])
    #expect(try world.all(TelemetryEvent.self).last?.properties.text == #"{"user_name":"A"}"#)
  }

  @Test(
    "what comes in while nobody has agreed does not wait for a later consent, and is not lost",
    arguments: ["denied", "of tomorrow", "", "quarantined"])
  func denied(consent: String) throws {
    let configuration =
      consent == "quarantined" ? [SDK.row("configuration", "default", "{")] : consent == "" ? [] : [configuration(consent)]
    try world.database([SDK.first] + configuration + [SDK.event("a", pending: "1"), SDK.event("b", "performance", pending: "0")])
    #expect(try world.report().notes?[Self.note] == 2)
    #expect(try world.telemetry() == ["a set aside", "b set aside"])
    try world.withLibrary { inference in
      var agreed = try inference.store.read { try InferenceStore.configuration(in: $0) } ?? InferenceConfiguration(createdAt: Sample.date)
      agreed.analytics = TelemetryTests.granted
      try inference.store.write { try InferenceStore.save(agreed, in: $0) }
      #expect(try inference.store.write { try InferenceStore.retrySetAside(in: $0) } == 0)
      #expect(try inference.store.read { try Outbox.telemetry.opening(in: $0) } == nil)
      #expect(try inference.store.read { try InferenceStore.telemetryCounts(in: $0) } == TelemetryCounts(total: 2, setAside: 2))
    }
    // The same source with the consent by now: what is there is as it was.
    #expect(try world.report().notes?[Self.note] == nil)
    #expect(try world.telemetry() == ["a set aside", "b set aside"])
  }

  @Test("the consent is the one that holds: where the store's configuration is newer, that of the store")
  func storesConsent() throws {
    try world.withLibrary { inference in
      var denied = InferenceConfiguration(createdAt: Sample.date)
      denied.analytics.telemetryConsent = .denied
      try inference.store.write { try InferenceStore.save(denied, in: $0) }
    }
    try world.database([SDK.first, configuration("granted"), SDK.event("a")])
    #expect(
      try world.importing() == """
        configuration 1: 1 skipped
        telemetry 1: 1 imported
        skipped 1: the store is newer
        noted 1: \(Self.note)
        """)
  }

  @Test(
    "in the second database the consent has other words",
    arguments: [("detailed", "waits", "waits"), ("anonymous", "set aside", "waits"), ("none", "set aside", "set aside")])
  func second(word: String, whole: String, ofNobody: String) throws {
    try world.database([
      SDK.second, SDK.configuration(consent: word),
      #"INSERT INTO telemetry VALUES ('device', 'error', 'load', NULL, NULL, NULL, CAST('{"os":"18"}' AS BLOB), '0.15', \#(SDK.date), \#(SDK.date), 0)"#,
      "INSERT INTO telemetry VALUES ('nobody', 'error', 'load', NULL, NULL, NULL, NULL, '0.15', \(SDK.date), \(SDK.date), 0)",
      "INSERT INTO telemetry VALUES ('session', 'error', 'load', NULL, NULL, 's', NULL, '0.15', \(SDK.date), \(SDK.date), 0)",
      "INSERT INTO telemetry VALUES ('user', 'error', 'load', NULL, 'u', NULL, NULL, '0.15', \(SDK.date), \(SDK.date), 0)",
    ])
    _ = try world.report()
    #expect(try world.telemetry() == ["device \(whole)", "nobody \(ofNobody)", "session \(whole)", "user \(whole)"])
    #expect(try world.all(TelemetryEvent.self).map(\.userID) == [nil, nil, nil, "u"])
  }

  @Test(
    "an event of the store that waits under a consent given here waits on, and one that was sent is not sent again, whatever comes in of it",
    arguments: [false, true])
  func recordedHere(wasSent: Bool) async throws {
    try await world.usingLibrary { inference in
      try await TelemetryTests.consent(inference)
      #expect(try await inference.record([TelemetryEvent(id: "a", type: .error, occurredAt: Sample.date)]) == 1)
      if wasSent { try await inference.store.write { _ = try $0.execute("UPDATE telemetry SET acknowledged_revision = revision") } }
      try await inference.save(InferenceConfiguration(createdAt: Sample.date))
    }
    try world.database([
      SDK.first, SDK.row("telemetry", "a", #"{"id":"a","eventType":"error","properties":{},"timestamp":1,"updatedAt":1000000000}"#),
    ])
    #expect(try world.report().counts["telemetry"]?.merged == 1)
    let pending = try world.withLibrary { inference in try inference.store.read { try InferenceStore.pendingEventCount(in: $0) } }
    #expect(pending == (wasSent ? 0 : 1))
    if !wasSent { #expect(try world.telemetry() == ["a waits"]) }
  }

  @Test("an event that is never sent stays so when those that were set aside are tried again")
  func retried() throws {
    try world.database([SDK.first, SDK.event("a")])
    _ = try world.report()
    try world.withLibrary { inference in
      try inference.store.write { tx in
        _ = try tx.execute(
          "INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at) VALUES ('telemetry', 'a', 1, 5, 'no', 1)")
      }
      #expect(try inference.store.write { try InferenceStore.retrySetAside(in: $0) } == 0)
    }
    #expect(try world.telemetry() == ["a set aside"])
  }

  @Test("a preference that begins with the mark of its encoding comes in without it")
  func mark() throws {
    try world.database([SDK.first, SDK.row("user_preferences", "theme", "\u{FEFF}{\"a\":1}")])
    #expect(try world.importing() == "user_preferences 1: 1 imported")
    #expect(try world.all(UserPreference.self).map(\.value) == [#"{"a":1}"#])
  }

  @Test("a database with an index and a column of what SQLite finds in JSON comes in, whole and as it is, and so does a secret property")
  func expressions() throws {
    try world.database([
      SDK.first, "ALTER TABLE telemetry ADD COLUMN kind AS (json_extract(data, '$.eventType'))",
      "CREATE INDEX kinds ON telemetry (json_extract(data, '$.eventType'))",
      """
      INSERT INTO telemetry (id, data, updated_at, sync_pending)
      VALUES ('a', '{"id":"a","eventType":"error","properties":{"api_key":"sk-1"},"timestamp":1,"updatedAt":1}', 1, 0)
      """,
    ])
    #expect(try world.report().counts["telemetry"]?.imported == 1)
    #expect(try world.all(TelemetryEvent.self).map(\.properties.text) == [#"{"api_key":"sk-1"}"#])
  }
}
