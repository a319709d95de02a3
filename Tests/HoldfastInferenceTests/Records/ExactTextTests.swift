import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastInference

/// To Swift an é is one however it is written.
@Suite("Texts are told apart byte by byte") struct ExactTextTests {
  private typealias SDK = SDKDatabase
  private static let words = ["caf\u{E9}", "cafe\u{301}"]

  private static func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test("a preference in which only the spelling of a letter changes is another")
  func preference() async throws {
    let inference = try World.inMemory().inference
    for word in Self.words {
      try await inference.setPreference("\"\(word)\"", named: "place")
      #expect(Array(try await inference.preference(named: "place")?.value.utf8 ?? "".utf8) == Array("\"\(word)\"".utf8))
    }
  }

  @Test("a catalogue has two models whose ids differ in nothing else")
  func catalog() throws {
    var catalog = SyncPull.Catalog(path: "/v1/models")
    let models = Self.words.map { #"{"id":"\#($0)","name":"m","framework":"MLX","updatedAt":1}"# }
    let answer = try #require(JSONValue(json: #"{"models":[\#((models + models).joined(separator: ","))]}"#))
    #expect(Self.bytes(try catalog.read(answer).map(\.row.id)) == Self.bytes(Self.words))
  }

  @Test("statistics tell two models and two targets apart, in the order of their bytes")
  func statistics() async throws {
    let inference = try World.inMemory().inference
    let session = try await inference.startSession(with: "m", type: .batch)
    for (number, word) in (Self.words + Self.words).enumerated() {
      try await inference.record(
        Generation(
          id: NewID.derived(from: "\(number)"), sessionID: session.id, sequenceNumber: number, createdAt: Sample.date,
          performance: .init(
            modelID: word, executionTarget: ExecutionTarget(rawValue: word), latencyMilliseconds: 1, promptTokens: 1, completionTokens: 1)))
    }
    for grouping in StatisticsTests.groupings where grouping.contains(.model) || grouping.contains(.target) {
      let found = try await inference.statistics(by: grouping)
      let (models, targets) = (found.compactMap(\.modelID), found.compactMap { $0.target?.rawValue })
      #expect(Self.bytes(models) == (grouping.contains(.model) ? Self.bytes(Self.words.reversed()) : []))
      #expect(Self.bytes(targets) == (grouping.contains(.target) ? Self.bytes(Self.words.reversed()) : []))
      #expect(found.map(\.generationCount) == [2, 2])
    }
    #expect(try await inference.statistics(by: []).map(\.generationCount) == [4])
  }

  @Test("a word in capitals beside one in small letters is told, and an id is one in both")
  func capitals() throws {
    let world = try LegacyWorld()
    try world.database([
      SDK.first, SDK.session(1), SDK.session(2), "UPDATE generation_sessions SET model_id = 'Llama' WHERE id = '\(SDK.id(2))'",
      "UPDATE generation_sessions SET id = lower(id)",
    ])
    #expect(
      try world.importing() == """
        generation_sessions 2: 2 imported
        generation_sessions[rowid 2].model_id: model_id differs from the JSON in its row
        """)
  }
}
