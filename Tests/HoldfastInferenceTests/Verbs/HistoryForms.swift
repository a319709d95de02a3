import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("The history from a task") struct HistoryForms {
  @Test("every verb of sessions and generations does the same from a task")
  func sessions() async throws {
    let world = try World.temporary()
    let store = world.inference
    let session = try await store.startSession(with: "m", type: .chat)
    let generation = SessionTests.generation(session, 1)
    try await store.record(generation)
    #expect(try await store.session(session.id)?.generationCount == 1)
    #expect(try await store.generation(generation.id) == generation)
    #expect(try await store.generations(of: session.id).items == [generation])
    #expect(try await store.sessions(of: "m").items.map(\.id) == [session.id])
    #expect(try await store.pendingSessions().items.map(\.id) == [session.id])
    #expect(try await store.pendingGenerations().items == [generation])
    #expect(try await store.endSession(session.id))
    #expect(try await store.statistics(by: []).map(\.generationCount) == [1])
    #expect(try await store.usage().items.map(\.generationCount) == [1])
    try await store.save(Sample.session)
    try await store.save(Sample.generation)
    #expect(try await store.sessions().items.last == Sample.session)
    #expect(try await store.deleteGeneration(Sample.generation.id))
    #expect(try await store.deleteSession(Sample.session.id))
    #expect(try await store.sessions().items.map(\.id) == [session.id])
  }

  @Test("every verb of telemetry does the same from a task")
  func telemetry() async throws {
    let world = try World.temporary()
    let store = world.inference
    try TelemetryTests.consent(store)
    let events = (0..<3).map { TelemetryTests.event($0) }
    #expect(try await store.record(events) == 3)
    #expect(try await store.event("event 1") == events[1])
    #expect(try await store.events().items == events.reversed())
    #expect(try await store.pendingEvents().items == events)
    #expect(try await store.pendingEventCount() == 3)
    #expect(try await store.telemetryCounts().pending == 3)
    #expect(try await store.deleteEvent("event 1"))
    #expect(try await store.removeTelemetry(beyond: TelemetryRetention(maxCount: 1, removesUnsent: true)) == 1)
    #expect(try await store.deletePendingTelemetry() == 1)
    #expect(try await store.events().items == [])
  }

  @Test("the app's protocols reach the same store")
  func repositories() async throws {
    let world = try World.temporary()
    let analytics: any GenerationAnalyticsRepository = world.inference
    let telemetry: any TelemetryRepository = world.inference
    let session = try await analytics.startSession(with: "m", type: .chat, context: nil)
    try await analytics.record(SessionTests.generation(session, 1))
    #expect(try await analytics.endSession(session.id, at: nil))
    #expect(try await analytics.session(session.id)?.totalTokens == 15)
    #expect(try await analytics.sessions(of: nil, after: nil, limit: 10).items.count == 1)
    let generations = try await analytics.generations(of: session.id, after: nil, limit: 10).items
    #expect(generations.count == 1)
    for generation in generations { #expect(try await analytics.generation(generation.id) == generation) }
    #expect(try await analytics.pendingSessions(after: nil, limit: 10).items.map(\.id) == [session.id])
    #expect(try await analytics.pendingGenerations(after: nil, limit: 10).items == generations)
    #expect(try await analytics.statistics(by: [.model, .target], during: nil, timeZone: .gmt).map(\.promptTokens) == [10])
    #expect(try await analytics.usage(of: "m", after: nil, limit: 10).items.map(\.totalTokens) == [15])
    try await analytics.save(Sample.session)
    try await analytics.save(Sample.generation)
    #expect(try await analytics.deleteGeneration(Sample.generation.id))
    #expect(try await analytics.deleteSession(Sample.session.id))

    #expect(try await telemetry.record([Sample.event], by: "default") == 0, "nobody consented")
    try TelemetryTests.consent(world.inference)
    #expect(try await telemetry.record([Sample.event, TelemetryTests.event(1)], by: "default") == 2)
    #expect(try await telemetry.event(Sample.event.id) == Sample.event)
    #expect(try await telemetry.events(after: nil, limit: 1).items.map(\.id) == ["event 1"])
    #expect(try await telemetry.pendingEvents(after: nil, limit: 1).items == [Sample.event])
    #expect(try await telemetry.telemetryCounts().pending == 2)
    #expect(try await telemetry.pendingEventCount() == 2)
    #expect(try await telemetry.deleteEvent("event 1"))
    #expect(try await telemetry.removeTelemetry(beyond: TelemetryRetention(maxAgeSeconds: 0)) == 0)
    #expect(try await telemetry.deletePendingTelemetry() == 1)
  }

  @Test("every verb is among those that are tested in both forms, and every kind of updates is followed")
  func completeness() throws {
    #expect(try HistoryVerb.files.isSubset(of: VerbPlans.files()))
    let names = try VerbPlans.names(in: HistoryVerb.files)
    #expect(names.count >= 25)
    try VerbPlans.expect(names, in: ("HistoryVerbs.swift", "HistoryForms.swift", "HistoryObservation.swift"))
  }

  @Test(
    "each of the app's protocols names every verb that it is about",
    arguments: [
      ("ConfigurationRepository", ["Verbs/Configurations"]), ("ModelMetadataRepository", ["Verbs/Models", "Verbs/ModelFiles"]),
      (
        "GenerationAnalyticsRepository",
        ["Verbs/Sessions", "Verbs/Generations", "Statistics/GenerationStatistics", "Statistics/ModelUsages"]
      ), ("TelemetryRepository", ["Verbs/Telemetry", "Verbs/Retention"]),
    ])
  func protocols(name: String, files: [String]) throws {
    let texts = try ["InferenceRepositories.swift", "InferenceRepositories+History.swift"].map {
      try String(contentsOf: VerbPlans.sources.appendingPathComponent($0), encoding: .utf8)
    }
    let text = try #require(texts.joined().components(separatedBy: "public protocol \(name): ").dropFirst().first)
    let named = Set(text.components(separatedBy: "\n}\n")[0].matches(of: #/  func (\w+)\(/#).map { String($0.1) })
    let verbs = try VerbPlans.names(in: Set(files.map { $0 + ".swift" })).filter { !$0.hasSuffix("Updates") }
    #expect(!verbs.isEmpty && named == verbs)
  }
}
