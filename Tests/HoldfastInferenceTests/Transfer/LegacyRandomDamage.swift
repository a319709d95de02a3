import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Random damage in the SDK's databases") struct LegacyRandomDamage {
  private typealias SDK = SDKDatabase

  @Test("whatever bytes stand in a row: every row is counted once, the store is healthy, a second import changes nothing, no key is kept")
  func bytes() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let key = "sk-live-0123456789-abcdefghij"
    let configuration = #"{"id":"default","routing":{"policy":"preferCloud"},"apiKey":"\#(key)","createdAt":1,"updatedAt":2}"#
    for round in 0..<(ProofRun.isLong ? 100 : 4) {
      let world = try LegacyWorld()
      try world.database([
        SDK.first, SDK.row("configuration", "default", configuration), SDK.session(1), SDK.session(2), SDK.generation(3, in: 1),
        SDK.generation(4, in: 2), SDK.generation(5, in: 1, table: "generation_history"),
        SDK.row("telemetry", "e", #"{"id":"e","eventType":"error","properties":{"a":"b"},"timestamp":1,"updatedAt":2}"#),
        SDK.row("model_metadata", "m", #"{"id":"m","name":"M","framework":"MLX","tags":["a"],"downloadedAt":1,"updatedAt":2}"#),
        SDK.row("user_preferences", "p", #"{"a":1}"#),
      ])
      let tables = ["generation_sessions", "generations", "generation_history", "telemetry", "model_metadata", "user_preferences"]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let table = tables.randomElement(using: &random) ?? ""
        let place = Int.random(in: 1...120, using: &random)
        let hex = ["00", "22", "2C", "5C", "7B", "7D", "FF", "30", "2D", "C3"].randomElement(using: &random) ?? ""
        let change = [
          "data = CAST(substr(CAST(data AS BLOB), 1, \(place)) || x'\(hex)' || substr(CAST(data AS BLOB), \(place + 2)) AS TEXT)",
          "data = substr(data, 1, \(place))", "id = x'\(hex)'", "sync_pending = '\(hex)'", "updated_at = \(place)e300", "updated_at = NULL",
          "data = CAST(data AS BLOB)", "data = replace(data, ':1', ':[1]')",
        ].randomElement(using: &random)
        try world.database([SDK.unchecked, "UPDATE OR IGNORE \(table) SET \(change ?? "")"])
      }
      if round % 2 == 0 {
        // What cannot be read may hold the key.
        try world.database(["UPDATE configuration SET data = substr(data, 1, \(Int.random(in: 70...110, using: &random)))"])
      }
      let report = try world.report()
      #expect(report.counts.values.reduce(0) { $0 + $1.source } - (report.counts["secrets"]?.source ?? 0) == 9, "seed \(seed)")
      #expect(try world.files(with: "sk-live-0123456789") == [], "seed \(seed)")
      let again = try world.report()
      #expect(again.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 }, "seed \(seed)")
    }
  }

  @Test(
    "whatever values stand in columns: every row is counted once, the store is healthy, a second import changes nothing, no key is kept")
  func columns() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let tables: [(name: String, columns: [String])] = [
      ("configuration", ["privacy_mode", "telemetry_consent", "created_at", "updated_at", "sync_pending", "base_url", "id"]),
      ("routing_policies", ["configurationId", "policy_type", "on_device_threshold", "prefer_on_device"]),
      ("storage_config", ["configurationId", "max_cache_size_mb", "model_retention_days"]),
      ("generation_sessions", ["id", "model_metadataId", "total_tokens", "context_data", "started_at", "sync_pending"]),
      (
        "generations", ["id", "generation_sessionsId", "sequence_number", "latency_ms", "total_tokens", "execution_target", "request_data"]
      ),
      ("telemetry", ["id", "event_type", "properties", "device_info", "timestamp", "sync_pending"]),
      ("user_preferences", ["preference_key", "preference_value", "updated_at"]),
    ]
    let values = [
      "''", "x'FF00'", "x''", "-1", "1e300", "9223372036854775807", "'2025-02-30 00:00:00.000'", "'2025-08-05'", "1.5", "'{}'", "'[1]'",
      "CAST(x'FF' AS TEXT)", "'a' || char(0) || 'b'", "'{\"a\":{\"b\":\"c\"}}'",
    ]
    for _ in 0..<(ProofRun.isLong ? 100 : 4) {
      let world = try LegacyWorld()
      try world.database([
        SDK.second, SDK.configuration(key: "'sk-live-0123456789-abcdefghij'"),
        SDK.policy("r"),
        "INSERT INTO storage_config VALUES ('s', 'default', 512, 0, 80, 30, \(SDK.date))",
        SDK.emptySession(1), SDK.plainGeneration(2),
        "INSERT INTO telemetry VALUES ('e', 'error', 'n', NULL, NULL, NULL, NULL, '1', \(SDK.date), \(SDK.date), 0)",
        "INSERT INTO user_preferences VALUES ('p', 'theme', CAST('1' AS BLOB), \(SDK.date), \(SDK.date))",
      ])
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        guard let table = tables.randomElement(using: &random), let column = table.columns.randomElement(using: &random),
          let value = values.randomElement(using: &random)
        else { continue }
        try world.database([SDK.unchecked, "UPDATE OR IGNORE \(table.name) SET \(column) = \(value)"])
      }
      let report = try world.report()
      #expect(report.counts.values.reduce(0) { $0 + $1.source } - (report.counts["secrets"]?.source ?? 0) == 7, "seed \(seed)")
      #expect(try world.files(with: "sk-live-0123456789") == [], "seed \(seed)")
      let again = try world.report()
      #expect(again.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 }, "seed \(seed)")
    }
  }
}
