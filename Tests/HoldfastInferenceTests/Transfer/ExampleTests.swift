import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import Examples

@Suite("Examples", .timeLimit(.minutes(10))) struct ExampleTests {
  @Test("what the examples show does what they say")
  func examples() async throws {
    let folder = try TemporaryFolder()
    let key: @Sendable () throws -> Data = { Data((0..<32).map { UInt8($0) }) }
    let inference = try await generating(in: folder.url, key: key)
    #expect(try await inference.apiKey() == "sk-…")
    let model = try #require(try await inference.model("small-llama"))
    #expect(model.usageCount == 1 && model.missingSince != nil, "there is no such file")
    #expect(try await inference.telemetryCounts().total == 1)
    let statistics = try await inferenceNumbers(inference)
    #expect(statistics.map(\.p99LatencyMilliseconds) == [612.5])

    let watching = Task { try await watchingModels(inference) }
    watching.cancel()
    try await watching.value

    let config = folder.url.appendingPathComponent("config.json")
    try Data(#"{"model_type":"llama"}"#.utf8).write(to: config)
    let other = folder.url.appendingPathComponent("other.sqlite")
    let report = try importingInference(config, folder.url.appendingPathComponent("runanywhere.db"), into: other, key: key)
    #expect(report.isClean && report.counts["models"]?.imported == 1)

    let address = try #require(URL(string: "http://127.0.0.1:1"))
    let status = try await sendingWhatWaits(inference, to: address, device: "d")
    #expect(status.pending[TelemetryEvent.table] == 1)
  }
}
