import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Observation of the history", .timeLimit(.minutes(10))) struct HistoryObservation {
  @Test("each kind of updates begins with what is there and goes on with what a verb makes of it")
  func updates() async throws {
    let world = try World.temporary()
    let known = try HistoryVerb.prepare(world)
    let store = world.inference
    let session = known.sessions[0]
    func record(_ number: Int) throws { try store.record(SessionTests.generation(session, number, model: "other")) }
    try await UpdatesCheck.follow(store.sessionUpdates()) {
      try store.sessions().items
    } after: {
      try record(2)
    }
    try await UpdatesCheck.follow(store.sessionUpdates(of: "other", limit: 1)) {
      try store.sessions(of: "other", limit: 1).items
    } after: {
      try store.endSession(session.id)
    }
    try await UpdatesCheck.follow(store.sessionUpdates(session.id)) {
      try store.session(session.id)
    } after: {
      try record(3)
    }
    try await UpdatesCheck.follow(store.generationUpdates(of: session.id)) {
      try store.generations(of: session.id).items
    } after: {
      try record(4)
    }
    try await UpdatesCheck.follow(store.statisticsUpdates(by: [.model, .day])) {
      try store.statistics(by: [.model, .day])
    } after: {
      try record(5)
    }
    try await UpdatesCheck.follow(store.usageUpdates(of: "other")) {
      try store.usage(of: "other").items
    } after: {
      try record(6)
    }
    try await UpdatesCheck.follow(store.pendingEventCountUpdates()) {
      try store.pendingEventCount()
    } after: {
      try store.record([TelemetryTests.event(9)])
    }
    try await UpdatesCheck.follow(store.statisticsUpdates()) {
      try store.statistics()
    } after: {
      try store.deleteSession(session.id)
    }
  }

  @Test("a live value shows how much waits, and what generations took")
  @MainActor func liveValues() async throws {
    let world = try World.temporary()
    let known = try HistoryVerb.prepare(world)
    let pending = LiveValue(world.inference.pendingEventCountUpdates())
    let statistics = LiveValue(world.inference.statisticsUpdates(by: []))
    #expect(await eventually { pending.value == 3 && statistics.value?.first?.generationCount == 3 })
    let watches = try TableWatches(world.store, [TelemetryEvent.table, Generation.table])
    try await world.inference.record([TelemetryTests.event(9)])
    try await world.inference.record(SessionTests.generation(known.sessions[0], 2))
    try #require(watches.woken == [TelemetryEvent.table, Generation.table])
    #expect(await eventually { pending.value == 4 && statistics.value?.first?.generationCount == 4 })
    #expect(pending.error == nil && statistics.error == nil)
  }
}
