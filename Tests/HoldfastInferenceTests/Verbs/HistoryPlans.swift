import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Query plans of the history") struct HistoryPlans {
  @Test("statistics read the covering index, and nothing else")
  func covering() async throws {
    let world = try World.inMemory()
    let known = try await HistoryVerb.prepare(world)
    let verb = try #require(HistoryVerb.reads.first { $0.name == "statistics" })
    _ = world.statements.take()
    try await verb.run(world.inference, known)
    for text in world.statements.take() {
      let steps = try await world.store.read { try $0.queryPlan(text) }
      #expect(steps.allSatisfy { $0.contains("USING COVERING INDEX generations_by_model") }, "\(text): \(steps)")
    }
  }

  @Test("pages of what waits read the index of what waits")
  func pending() async throws {
    let world = try World.inMemory()
    _ = try await HistoryVerb.prepare(world)
    let store = world.inference
    let lists: [(table: String, page: () async throws -> Void)] = [
      ("telemetry", { _ = try await store.pendingEvents(after: store.pendingEvents(limit: 1).next, limit: 1) }),
      ("generation_sessions", { _ = try await store.pendingSessions(after: store.pendingSessions(limit: 1).next, limit: 1) }),
      ("generations", { _ = try await store.pendingGenerations(after: store.pendingGenerations(limit: 1).next, limit: 1) }),
    ]
    for list in lists {
      _ = world.statements.take()
      try await list.page()
      let texts = world.statements.take()
      #expect(!texts.isEmpty)
      for text in texts {
        let steps = try await world.store.read { try $0.queryPlan(text) }
        #expect(steps.allSatisfy { $0.contains("INDEX \(list.table)_pending") }, "\(text): \(steps)")
      }
    }
  }
}
