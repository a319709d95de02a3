import Foundation
import Holdfast
import HoldfastTesting
import InferenceStore
import Testing

@Suite("Observation of the history", .timeLimit(.minutes(2))) struct HistoryObservation {
  @Test("every verb wakes the observers of the tables that it changes, and no others", arguments: HistoryVerb.writes.map(\.name))
  func wakes(verb name: String) throws {
    let verb = try #require(HistoryVerb.writes.first { $0.name == name })
    let world = try World.inMemory()
    let known = try HistoryVerb.prepare(world)
    let watches = HistoryVerb.everything.map { ($0, TableWatch(world.store, [$0])) }
    // A watch begins on the writer's queue, where a store in memory also reads.
    try world.store.read { _ in }
    #expect(watches.allSatisfy { $0.1.count == 1 })
    try verb.run(world.inference, known)
    #expect(Set(watches.filter { $0.1.count > 1 }.map(\.0)) == verb.changes)
    #expect(try world.isHealthy())
  }

  @Test("each kind of updates begins with what is there and goes on with what a verb makes of it")
  func updates() async throws {
    let world = try World.temporary()
    let known = try HistoryVerb.prepare(world)
    let store = world.inference
    let session = known.sessions[0]
    func record(_ number: Int) throws { try store.record(SessionTests.generation(session, number, model: "other")) }
    try await follow(store.sessionUpdates()) {
      try store.sessions().items
    } after: {
      try record(2)
    }
    try await follow(store.sessionUpdates(of: "other", limit: 1)) {
      try store.sessions(of: "other", limit: 1).items
    } after: {
      try store.endSession(session.id)
    }
    try await follow(store.sessionUpdates(session.id)) {
      try store.session(session.id)
    } after: {
      try record(3)
    }
    try await follow(store.generationUpdates(of: session.id)) {
      try store.generations(of: session.id).items
    } after: {
      try record(4)
    }
    try await follow(store.statisticsUpdates(by: [.model, .day])) {
      try store.statistics(by: [.model, .day])
    } after: {
      try record(5)
    }
    try await follow(store.usageUpdates(of: "other")) {
      try store.usage(of: "other").items
    } after: {
      try record(6)
    }
    try await follow(store.pendingEventCountUpdates()) {
      try store.pendingEventCount()
    } after: {
      try store.record([TelemetryTests.event(9)])
    }
    try await follow(store.statisticsUpdates()) {
      try store.statistics()
    } after: {
      try store.deleteSession(session.id)
    }
  }

  private func follow<Value: Equatable>(
    _ updates: Updates<Value>, reading read: () throws -> Value, after change: () throws -> Void
  ) async throws {
    var iterator = updates.makeAsyncIterator()
    let before = try read()
    #expect(try await iterator.next() == before)
    try change()
    let after = try read()
    #expect(before != after)
    #expect(try await iterator.next() == after)
  }

  @Test("a live value shows how much waits, and what generations took")
  @MainActor func liveValues() async throws {
    let world = try World.temporary()
    let known = try HistoryVerb.prepare(world)
    let pending = LiveValue(world.inference.pendingEventCountUpdates())
    let statistics = LiveValue(world.inference.statisticsUpdates(by: []))
    while pending.value != 3 || statistics.value?.first?.generationCount != 3 { await Task.yield() }
    try await world.inference.record([TelemetryTests.event(9)])
    try await world.inference.record(SessionTests.generation(known.sessions[0], 2))
    while pending.value != 4 || statistics.value?.first?.generationCount != 4 { await Task.yield() }
    #expect(pending.error == nil && statistics.error == nil)
  }
}
