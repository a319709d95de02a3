import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// The SDK's own types, as far as they are decoded: a server that is written with them refuses what lacks a member that is not optional.
private struct WireModel: Decodable {
  var id: String
  var name: String
  var format: String
  var framework: String
  var localPath: String
  var estimatedMemory: Int64
  var contextLength: Int
  var tags: [String]
  var downloadedAt: Date
  var usageCount: Int
  var supportsThinking: Bool
  var updatedAt: Date
  var syncPending: Bool
}

private struct WireSession: Decodable {
  var id: UUID
  var modelId: String
  var sessionType: String
  var startTime: Date
  var endTime: Date?
  var generationCount: Int
  var totalInputTokens: Int
  var totalOutputTokens: Int
  var averageTimeToFirstToken: Double
  var averageTokensPerSecond: Double
  var totalDuration: Double
}

private struct WireGeneration: Decodable {
  struct Performance: Decodable {
    var timeToFirstToken: Double
    var totalGenerationTime: Double
    var inputTokens: Int
    var outputTokens: Int
    var tokensPerSecond: Double
    var modelId: String
    var executionTarget: String
    var routingFramework: String?
    var routingReason: String
  }
  var id: UUID
  var sessionId: UUID
  var sequenceNumber: Int
  var timestamp: Date
  var performance: Performance?
}

@Suite("The JSON that is sent") struct SyncWireTests {
  private func read<Row: Decodable>(_ type: Row.Type, _ value: JSONValue) throws -> Row {
    try JSONDecoder().decode(type, from: Data(value.canonicalText().utf8))
  }

  /// To the millisecond, as tables keep it.
  private func isSame(_ date: Date, _ other: Date?) -> Bool { other.map { abs($0.timeIntervalSince(date)) < 0.000_5 } ?? false }

  @Test("a model is read by the SDK's own type, whatever is not known of it")
  func models() throws {
    let bare = try read(WireModel.self, SyncWire.model(Sample.bareModel))
    #expect((bare.estimatedMemory, bare.contextLength) == (0, 0) && isSame(bare.downloadedAt, Sample.bareModel.createdAt))
    let whole = try read(WireModel.self, SyncWire.model(Sample.model))
    #expect(whole.estimatedMemory == Sample.model.estimatedMemoryBytes && whole.contextLength == Sample.model.contextLength)
    #expect(isSame(whole.downloadedAt, Sample.model.downloadedAt) && whole.tags == Sample.model.tags)
  }

  @Test("a session and a generation are read by the SDK's own types, whatever was not measured")
  func history() throws {
    let bare = try read(WireSession.self, SyncWire.session(Sample.bareSession))
    #expect((bare.averageTimeToFirstToken, bare.averageTokensPerSecond) == (0, 0))
    let whole = try read(WireSession.self, SyncWire.session(Sample.session))
    #expect((whole.averageTimeToFirstToken, whole.averageTokensPerSecond, whole.totalDuration) == (0.0805, 20.25, 1.2345))
    var generation = Sample.generation
    #expect(try read(WireGeneration.self, SyncWire.generation(generation)).performance?.timeToFirstToken == 0.09025)
    generation.performance?.timeToFirstTokenMilliseconds = nil
    generation.performance?.tokensPerSecond = nil
    generation.performance?.routingReason = nil
    let sent = try #require(try read(WireGeneration.self, SyncWire.generation(generation)).performance)
    #expect((sent.timeToFirstToken, sent.tokensPerSecond, sent.routingReason) == (0, 0, ""))
    #expect(try read(WireGeneration.self, SyncWire.generation(Sample.bareGeneration)).performance == nil)
  }

  @Test("a preference is sent with all its fields")
  func preference() {
    let preference: [String: JSONValue] = [
      "id": .string("theme"), "data": .string(#"{"dark":true}"#), "updatedAt": SyncWire.date(Sample.preference.updatedAt),
      "syncPending": .bool(true),
    ]
    #expect(SyncWire.preference(Sample.preference) == .object(preference))
  }

  @Test(
    "the 0 that a device sends of a model of which it is not known changes nothing, here or where it is known", arguments: [nil, 4_096])
  func backAgain(contextLength: Int?) async throws {
    let world = try World.temporary()
    var ours = Sample.bareModel
    ours.contextLength = contextLength
    try await world.inference.save(ours)
    var theirs = SyncWire.model(Sample.bareModel)
    if case .object(var members) = theirs {
      members["updatedAt"] = SyncWire.date(Sample.date.addingTimeInterval(10))
      theirs = .object(members)
    }
    var catalog = SyncPull.Catalog(path: "/v1/models")
    let pulled = try catalog.read(.object(["models": .array([theirs])]))
    let changed = try await world.store.write { try SyncMerge.take(pulled, in: $0) }
    #expect(pulled.count == 1)
    let stored = try #require(try await world.inference.model(Sample.bareModel.id))
    #expect(changed == 0 && stored == ours)
  }
}
