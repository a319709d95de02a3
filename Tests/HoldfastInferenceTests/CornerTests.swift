import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// What seldom happens, and is said when it does.
@Suite("Corners") struct CornerTests {
  private typealias SDK = SDKDatabase

  @Test("the file of another program is no database of the SDK")
  func otherFiles() throws {
    let world = try LegacyWorld()
    try Data(#"{"tracks":[]}"#.utf8).write(to: world.source)
    let other = try world.failure()
    #expect(other.code == .invalidSource)
    let words = "is no model's GGUF file or config.json, no database of the SDK, and no file that Holdfast exported"
    #expect(other.message == "\(world.source.path) \(words)")
    #expect(other.suggestion?.contains("config.json") == true)
  }

  @Test("settings that are no map are in quarantine")
  func settings() throws {
    let world = try LegacyWorld()
    try world.database([
      SDK.first, SDK.row("configuration", "a", #"{"id":"a","settings":[1],"updatedAt":1}"#),
      SDK.row("configuration", "b", #"{"id":"b","settings":null,"updatedAt":1}"#),
    ])
    #expect(
      try world.importing() == """
        configuration 2: 1 imported, 1 quarantined
        noted 1: no copy of the source is kept: it may contain an API key that was not imported: keep the source
        configuration[rowid 1]: settings should be an object; it may contain the API key, so only the source keeps it
        """)
    #expect(try world.configuration("b") == InferenceConfiguration(id: "b", createdAt: Date(timeIntervalSinceReferenceDate: 1)))
  }

  @Test("a mean latency that is none, of no generation, or of nobody knows how many, is left out and told, and the day is there without it")
  func meanLatency() throws {
    let world = try LegacyWorld()
    let rows = [("2", "'fast'"), ("2", "NULL"), ("2", "350.25"), ("0", "850"), ("'x'", "850"), ("0", "0")].enumerated().map { day, row in
      "INSERT INTO model_usage_stats VALUES ('\(day)', 'llama', '2025-08-0\(day + 1)', \(row.0), 90, 0.5, \(row.1), 1, \(SDK.date))"
    }
    try world.database([SDK.second] + rows)
    #expect(
      try world.importing() == """
        model_usage_stats 6: 6 imported
        model_usage_stats[rowid 1].average_latency_ms: average_latency_ms should be a number
        model_usage_stats[rowid 4].average_latency_ms: average_latency_ms needs a generation_count above 0
        model_usage_stats[rowid 5].average_latency_ms: average_latency_ms needs a generation_count above 0
        model_usage_stats[rowid 5].generation_count: generation_count should be a whole number, found "x"
        """)
    let usage = try world.all(ModelUsage.self)
    #expect(usage.map(\.totalLatencyMilliseconds) == [0, 0, 700.5, 0, 0, 0])
    #expect(usage.map(\.averageLatencyMilliseconds) == [0, 0, 350.25, nil, nil, nil])
  }

  @Test("a session's sum of tokens stops at the greatest number")
  func greatestSum() throws {
    let made = GenerationSession(
      id: NewID.derived(from: "session"), modelID: "m", type: .chat, startedAt: Sample.date, totalInputTokens: .max, totalOutputTokens: 1)
    #expect(made.totalTokens == .max)
    let world = try LegacyWorld()
    let (few, many) = (#""totalInputTokens":60,"totalOutputTokens":30"#, #""totalInputTokens":9223372036854775807,"totalOutputTokens":1"#)
    try world.database([SDK.first, SDK.session(1).replacingOccurrences(of: few, with: many)])
    #expect(try world.importing() == "generation_sessions 1: 1 imported")
    #expect(try world.all(GenerationSession.self).map(\.totalTokens) == [.max])
  }

  @Test("a header that says it has more parts than its name does is a model that is not complete")
  func parts() throws {
    let world = try ModelWorld()
    let header = GGUFWriter.llama([("split.count", .uint16(3))]).data
    #expect(
      try world.importing(header, "alone.gguf") == """
        models 1: 1 imported
        alone.gguf.split.count: the model has 3 parts, and the name of this file does not say where the others are
        """)
    #expect(try world.model("alone").isDownloaded == false)
  }

  @Test("a store in memory is as any other")
  func inMemory() async throws {
    let inference = try InferenceStore.inMemory(secretKey: World.secretKey)
    try await inference.save(Sample.model)
    try await inference.setSecret("text", named: "a")
    #expect(try await inference.models() == [Sample.model])
    #expect(try await inference.secret(named: "a") == "text")
  }
}
