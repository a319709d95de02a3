import Foundation
import Holdfast
import HoldfastTesting
import InferenceStore
import Testing

@Suite("Random damage in the SDK's databases") struct LegacyRandomDamage {
  private typealias SDK = SDKDatabase

  @Test("whatever bytes stand in a row: every row is counted once, the store is healthy, a second import changes nothing, no key is kept")
  func bytes() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let key = "sk-live-0123456789-abcdefghij"
    let configuration = #"{"id":"default","routing":{"policy":"preferCloud"},"apiKey":"\#(key)","createdAt":1,"updatedAt":2}"#
    for round in 0..<25 {
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
        try world.database(["UPDATE OR IGNORE \(table) SET \(change ?? "")"])
      }
      if round % 2 == 0 {
        // A key is known by its name: what stands before that may be damaged.
        try world.database(["UPDATE configuration SET data = substr(data, 1, \(Int.random(in: 70...110, using: &random)))"])
      }
      let report = try world.report()
      #expect(report.counts.values.reduce(0) { $0 + $1.source } - (report.counts["secrets"]?.source ?? 0) == 9, "seed \(seed)")
      #expect(try world.files(with: "sk-live-01") == [], "seed \(seed)")
      let again = try world.report()
      #expect(again.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 }, "seed \(seed)")
    }
  }
}
