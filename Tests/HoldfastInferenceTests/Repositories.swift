import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("The app's protocols") struct Repositories {
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
    #expect(try await analytics.tokensLeft(by: "default") == nil)
    try await analytics.save(Sample.session)
    try await analytics.save(Sample.generation)
    #expect(try await analytics.deleteGeneration(Sample.generation.id))
    #expect(try await analytics.deleteSession(Sample.session.id))

    #expect(try await telemetry.record([Sample.event], by: "default") == 0, "nobody consented")
    try await TelemetryTests.consent(world.inference)
    #expect(try await telemetry.record([Sample.event, TelemetryTests.event(1)], by: "default") == 2)
    #expect(try await telemetry.event(Sample.event.id) == Sample.event)
    #expect(try await telemetry.events(after: nil, limit: 1).items.map(\.id) == ["event 1"])
    #expect(try await telemetry.pendingEvents(after: nil, limit: 1).items == [Sample.event])
    #expect(try await telemetry.telemetryCounts().pending == 2)
    #expect(try await telemetry.pendingEventCount() == 2)
    #expect(try await telemetry.deleteEvent("event 1"))
    #expect(try await telemetry.deletePendingTelemetry() == 1)
  }

  @Test(
    "each of the app's protocols names every verb that it is about",
    arguments: [
      ("ConfigurationRepository", ["Verbs/Configurations"]),
      ("ModelMetadataRepository", ["Verbs/Models", "Verbs/ModelFiles", "Verbs/ModelEviction"]),
      (
        "GenerationAnalyticsRepository",
        ["Verbs/Sessions", "Verbs/Generations", "Statistics/GenerationStatistics", "Statistics/ModelUsages", "Statistics/TokenBudgets"]
      ), ("TelemetryRepository", ["Verbs/Telemetry"]),
    ])
  func protocols(name: String, files: [String]) throws {
    let sources = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Sources/HoldfastInference").standardized
    let texts = try String(contentsOf: sources.appendingPathComponent("InferenceRepositories.swift"), encoding: .utf8)
    let text = try #require(texts.components(separatedBy: "public protocol \(name): ").dropFirst().first)
    let named = Set(text.components(separatedBy: "\n}\n")[0].matches(of: #/  func (\w+)\(/#).map { String($0.1) })
    let verbs = try Set(
      files.flatMap { file in
        try String(contentsOf: sources.appendingPathComponent(file + ".swift"), encoding: .utf8).matches(of: #/\n  public func (\w+)/#)
          .map { String($0.1) }.filter { !$0.hasSuffix("Updates") }
      })
    #expect(!verbs.isEmpty && named == verbs)
  }
}
