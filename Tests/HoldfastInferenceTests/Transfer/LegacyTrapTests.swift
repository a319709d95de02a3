import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// What is known of the SDK's two databases and has no other place: one test for each trap, with the whole report.
@Suite("Traps of the SDK's databases") struct LegacyTrapTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let began = Date(timeIntervalSince1970: 1_754_400_000.125)

  init() throws { world = try LegacyWorld() }

  @Test("what the fourth shape does not say is the private default, and what is of a wrong kind is left out and told")
  func nestedDefaults() throws {
    let json = #"""
      {"id":"default","routing":{"policy":"preferCloud","cloudEnabled":"yes","privacyMode":7,"customRules":"?"},"analytics":"all",
      "generation":{"tokenBudget":{"maxTokensPerDay":5,"enforceStrictly":false}},"updatedAt":776092800.125}
      """#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        configuration[rowid 1].analytics: analytics should be an object
        configuration[rowid 1].routing.cloudEnabled: routing.cloudEnabled should be true or false, found "yes"
        configuration[rowid 1].routing.privacyMode: routing.privacyMode should be a text, found 7
        configuration[rowid 1].routing.customRules: routing.customRules should be bytes in base64, found "?"
        """)
    #expect(
      try world.configuration()
        == InferenceConfiguration(
          routing: Routing(policy: .preferCloud),
          generation: GenerationSettings(tokenBudget: .init(maxTokensPerDay: 5, isEnforcedStrictly: false)), createdAt: began))
  }

  @Test("a budget without its rule is no budget, and the configuration is in quarantine")
  func budget() throws {
    let json = #"{"id":"default","generation":{"tokenBudget":{"maxTokensPerDay":5}},"updatedAt":1}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    #expect(
      try world.importing() == """
        configuration 1: 1 quarantined
        configuration[rowid 1]: generation.tokenBudget.enforceStrictly is missing
        """)
    #expect(try world.configuration() == nil)
  }

  @Test("a row that was replaced under a damaged id stands twice: what is equal is one, what differs is in quarantine")
  func replaced() throws {
    let (one, two) = (
      #"{"id":"e","eventType":"error","timestamp":1,"updatedAt":1}"#, #"{"id":"e","eventType":"memory","timestamp":1,"updatedAt":2}"#
    )
    try world.database([
      SDK.first, SDK.row("telemetry", "e", one), SDK.row("telemetry", "?", one), SDK.row("telemetry", "!", two),
    ])
    #expect(
      try world.importing() == """
        telemetry 3: 1 imported, 1 skipped, 1 quarantined
        skipped 1: a repetition in the source
        noted 1: imported without consent to send it; it is never sent
        telemetry[rowid 2].id: id differs from the JSON in its row
        telemetry[rowid 3].id: id differs from the JSON in its row
        telemetry[rowid 3]: an earlier record in the source has the same id and other content
        """)
  }

  @Test("a time that is none, or out of every calendar, puts its record in quarantine; one in a column is told")
  func times() throws {
    func event(_ id: String, _ time: String, updated: String = "1754400000.25") -> String {
      SDK.row("telemetry", id, #"{"id":"\#(id)","eventType":"error","timestamp":\#(time),"updatedAt":1}"#, updated: updated)
    }
    try world.database([
      SDK.first, event("a", "1e300"), event("b", #""2025-08-05""#), event("c", "776092800.125", updated: "9e300"),
      event("d", "776092800.125", updated: "'5 August'"), event("e", "776092800.125", updated: "'2025-08-05 13:20:00'"), event("f", "null"),
    ])
    #expect(
      try world.importing() == """
        telemetry 6: 3 imported, 3 quarantined
        noted 3: imported without consent to send it; it is never sent
        telemetry[rowid 1]: timestamp should be a date, found 1e+300
        telemetry[rowid 2]: timestamp should be a date, found "2025-08-05"
        telemetry[rowid 3].updated_at: updated_at is no time
        telemetry[rowid 4].updated_at: updated_at is no time
        telemetry[rowid 6]: timestamp is missing
        """)
    #expect(try world.all(TelemetryEvent.self).map(\.occurredAt) == [began, began, began])
  }

  @Test("columns that the SDK did not have are told, and tables in other letters are the same tables")
  func spelling() throws {
    try world.database([
      "CREATE TABLE TELEMETRY (ID TEXT PRIMARY KEY, Data TEXT NOT NULL, Updated_At TIMESTAMP, SYNC_PENDING INTEGER, Color TEXT)",
      #"INSERT INTO TELEMETRY VALUES ('e', '{"id":"e","eventType":"error","timestamp":1,"updatedAt":1}', 1754400000, 1, 'red')"#,
    ])
    #expect(
      try world.importing() == """
        telemetry 1: 1 imported
        noted 1: imported without consent to send it; it is never sent
        telemetry[rowid 1].Color: this field is not known
        """)
  }

  @Test("a view with the name of a table is no table: it may have rows without end", .timeLimit(.minutes(10)))
  func view() throws {
    try world.database([
      "CREATE TABLE configuration (id TEXT PRIMARY KEY, data TEXT NOT NULL, updated_at TIMESTAMP, sync_pending INTEGER)",
      SDK.row("configuration", "default", #"{"id":"default","topK":3,"updatedAt":1}"#),
      """
      CREATE VIEW telemetry AS WITH RECURSIVE r (id) AS (SELECT 'a' UNION ALL SELECT id || 'a' FROM r)
      SELECT id, '{}' AS data, 1 AS updated_at, 1 AS sync_pending FROM r
      """,
    ])
    #expect(try world.importing() == "configuration 1: 1 imported")
  }

  @Test("a first database on which the second one's migration failed is still the first one")
  func failedMigration() throws {
    try world.database([
      SDK.first, "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)", SDK.row("user_preferences", "theme", "1"),
    ])
    let report = try world.report()
    #expect(report.format == "inference-blobs" && report.picture == "user_preferences 1: 1 imported")
  }

  @Test(
    "every format of a model and every place where one runs comes in, also those that the second database's checks refused",
    arguments: [true, false])
  func values(isFirst: Bool) throws {
    let formats = [
      "mlmodel", "mlpackage", "tflite", "onnx", "ort", "safetensors", "gguf", "ggml", "mlx", "pte", "bin", "weights", "checkpoint",
      "unknown",
      "of tomorrow",
    ]
    let targets = ["onDevice", "cloud", "hybrid", "device", "of tomorrow"]
    try world.database(
      isFirst
        ? [SDK.first, SDK.session(1)]
          + formats.map {
            SDK.row(
              "model_metadata", $0, #"{"id":"\#($0)","name":"M","format":"\#($0)","framework":"MLX","downloadedAt":1,"updatedAt":2}"#)
          }
          + targets.enumerated().map { number, target in
            SDK.generation(number + 2, in: 1, SDK.measured.replacingOccurrences(of: "hybrid", with: target))
          }
        : [SDK.second, SDK.unchecked, SDK.emptySession(1)]
          + formats.map { SDK.model($0, format: $0, version: "''") }
          + targets.enumerated().map { number, target in SDK.plainGeneration(number + 2, at: number, target: target) })
    #expect(
      try world.importing() == """
        model_metadata 15: 15 imported
        generation_sessions 1: 1 imported
        generations 5: 5 imported
        """)
    #expect(try world.all(ModelMetadata.self).map(\.format.rawValue) == formats)
    #expect(try world.all(ModelMetadata.self).allSatisfy { $0.version == nil && $0.sizeBytes == nil })
    // What the second database's first version called a device is the device.
    let expected = targets.map { !isFirst && $0 == "device" ? "onDevice" : $0 }
    #expect(try world.all(Generation.self).map(\.performance?.executionTarget.rawValue) == expected)
  }

  @Test("a session and usage of a model that is not registered, which the second database's keys refused, come in")
  func unregistered() throws {
    let rows = [
      "INSERT INTO model_usage_stats VALUES ('u', 'gone', '2025-08-05', 2, 90, 0.5, 350.25, 1, \(SDK.date))",
      SDK.emptySession(1, of: "gone"),
    ]
    try world.database([SDK.second])
    for row in rows { #expect(throws: (any Error).self) { try world.database(["PRAGMA foreign_keys = 1", row]) } }
    try world.database(rows)
    #expect(
      try world.importing() == """
        model_usage_stats 1: 1 imported
        generation_sessions 1: 1 imported
        """)
    #expect(try world.all(GenerationSession.self).map(\.modelID) == ["gone"] && world.all(ModelUsage.self).map(\.modelID) == ["gone"])
  }

  @Test("the second database's checks refuse what its own app has written, and it comes in")
  func checks() throws {
    let model = SDK.model("m", format: "safetensors")
    try world.database([SDK.second])
    #expect(throws: (any Error).self) { try world.database([model]) }
    try world.database([SDK.unchecked, model])
    #expect(try world.importing() == "model_metadata 1: 1 imported")
    #expect(try world.all(ModelMetadata.self).map(\.format) == [.safetensors])
  }

  @Test("two of one model's days, and two preferences of one name, which the second database's keys should have refused")
  func keys() throws {
    try world.database([
      SDK.second.replacingOccurrences(of: "preference_key TEXT NOT NULL UNIQUE", with: "preference_key TEXT NOT NULL")
        .replacingOccurrences(of: ", UNIQUE (model_metadataId, date)", with: ""),
      "INSERT INTO model_usage_stats VALUES ('u', 'llama', '2025-08-05', 2, 90, 0.5, 350.25, 1, \(SDK.date))",
      "INSERT INTO model_usage_stats VALUES ('v', 'llama', '2025-08-05 00:00:00.000', 2, 90, 0.5, 350.25, 1, \(SDK.date))",
      "INSERT INTO model_usage_stats VALUES ('w', 'llama', '2025-08-05', 3, 90, 0.5, 350.25, 1, \(SDK.date))",
      "INSERT INTO user_preferences VALUES ('p', 'theme', CAST('1' AS BLOB), \(SDK.date), \(SDK.date))",
      "INSERT INTO user_preferences VALUES ('q', 'theme', CAST('2' AS BLOB), \(SDK.date), \(SDK.date))",
    ])
    #expect(
      try world.importing() == """
        model_usage_stats 3: 1 imported, 1 skipped, 1 quarantined
        user_preferences 2: 1 imported, 1 quarantined
        skipped 1: a repetition in the source
        model_usage_stats[rowid 3]: an earlier record in the source has the same id and other content
        user_preferences[rowid 2]: an earlier record in the source has the same id and other content
        """)
  }

  @Test("objects that nobody could write come in without them, and that is told; null among their members is kept")
  func objects() throws {
    try world.database([
      SDK.second, SDK.model("a", capabilities: "CAST('{\"a\":null}' AS BLOB)"),
      SDK.model("b", capabilities: "x''", requirements: "CAST('[1]' AS BLOB)"),
      SDK.model("c", capabilities: "CAST('{\"a\":\"<null>\"}' AS BLOB)", requirements: "'{'"),
    ])
    #expect(
      try world.importing() == """
        model_metadata 3: 3 imported
        model_metadata[rowid 2].capabilities: capabilities should be an object, found ""
        model_metadata[rowid 2].requirements: requirements should be an object, found [1]
        model_metadata[rowid 3].requirements: requirements should be an object, found "{"
        """)
    #expect(try world.all(ModelMetadata.self).map(\.capabilities) == [["a": .null], [:], ["a": .string("<null>")]])
  }
}
