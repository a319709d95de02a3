import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Sessions and generations") struct SessionTests {
  static func generation(
    _ session: GenerationSession, _ number: Int, at date: Date = Sample.date, model: String = "m", latency: Double = 100,
    prompt: Int = 10, completion: Int = 5, firstToken: Double? = nil, rate: Double? = nil, cost: Double = 0.5, error: String? = nil
  ) -> Generation {
    Generation(
      id: UUID(), sessionID: session.id, sequenceNumber: number, createdAt: date,
      performance: .init(
        modelID: model, executionTarget: .onDevice, latencyMilliseconds: latency, promptTokens: prompt, completionTokens: completion,
        timeToFirstTokenMilliseconds: firstToken, tokensPerSecond: rate), cost: cost, errorCode: error)
  }

  @Test("a session begins and ends by the store's clock, keeps its first end, and may name a model that is not registered")
  func beginning() async throws {
    let world = try World.temporary()
    let session = try await world.inference.startSession(with: "never registered", type: .chat, context: ["a": .integer(1)])
    #expect(session.startedAt == world.clock.now && session.endedAt == nil && session.context == ["a": .integer(1)])
    #expect(try await world.inference.session(session.id) == session)
    let end = world.clock.advance()
    #expect(try await world.inference.endSession(session.id))
    world.clock.advance()
    #expect(try await !world.inference.endSession(session.id))
    #expect(try await world.inference.session(session.id)?.endedAt == end)
    let other = try await world.inference.startSession(with: "m", type: .batch)
    try await world.inference.endSession(other.id, at: Sample.date)
    #expect(try await world.inference.session(other.id)?.endedAt == Sample.date)
    let missing = await #expect(throws: StoreError.self) { try await world.inference.endSession(UUID()) }
    #expect(missing?.code == .notFound)
    let nameless = await #expect(throws: StoreError.self) { try await world.inference.startSession(with: "", type: .chat) }
    #expect(nameless?.code == .constraint)
    #expect(try world.isHealthy())
  }

  @Test("a generation is counted in its session, its model's day and its registered model, all in one transaction")
  func counting() async throws {
    let world = try World.temporary()
    let inference = world.inference
    try await world.store.write { try $0.upsert(Sample.model) }
    let session = try await inference.startSession(with: Sample.model.id, type: .chat)
    // Two days of UTC, wherever the test runs.
    let late = Date(timeIntervalSince1970: 1_767_225_599.999)
    let first = Self.generation(session, 1, at: late, model: Sample.model.id, latency: 100, firstToken: 30, cost: 0.25)
    let second = Self.generation(
      session, 2, at: late.addingTimeInterval(0.001), model: Sample.model.id, latency: 300, prompt: 20, completion: 7, firstToken: 60,
      rate: 40, error: "E")
    let third = Self.generation(session, 3, at: late, model: "other", latency: 50)
    let unmeasured = Generation(id: UUID(), sessionID: session.id, sequenceNumber: 4, createdAt: late, cost: 1)
    world.clock.advance()
    for generation in [second, first, third, unmeasured] { try await inference.record(generation) }

    let after = try #require(try await inference.session(session.id))
    #expect(after.generationCount == 4)
    #expect(after.totalInputTokens == 40 && after.totalOutputTokens == 17 && after.totalTokens == 57)
    #expect(after.totalCost == 2.25 && after.totalDurationMilliseconds == 450)
    #expect(after.averageTimeToFirstTokenMilliseconds == 45, "of the two that have one")
    #expect(after.averageTokensPerSecond == 40)
    #expect(after.updatedAt == world.clock.now)
    #expect(
      try await inference.usage(of: Sample.model.id).items == [
        ModelUsage(
          modelID: Sample.model.id, day: "2026-01-01", generationCount: 1, totalTokens: 27, totalCost: 0.5, totalLatencyMilliseconds: 300,
          errorCount: 1),
        ModelUsage(
          modelID: Sample.model.id, day: "2025-12-31", generationCount: 1, totalTokens: 15, totalCost: 0.25, totalLatencyMilliseconds: 100),
      ])
    #expect(try await inference.usage().items.map(\.modelID) == [Sample.model.id, "other", Sample.model.id])
    let model = try #require(try await world.store.read { try $0.first(ModelMetadata.self, "WHERE id = \(Sample.model.id)") })
    #expect(model.usageCount == Sample.model.usageCount + 2)
    #expect(model.totalTokensGenerated == Sample.model.totalTokensGenerated + 12)
    #expect(model.lastUsedAt == second.createdAt, "the later one, though it came first")
    #expect(model.updatedAt == Sample.model.updatedAt, "to use it is not to edit it")
    #expect(try await inference.generations(of: session.id).items == [first, second, third, unmeasured])
    #expect(try await world.store.read { try $0.count("SELECT revision FROM generation_sessions") } == 5)
    #expect(try world.isHealthy())
  }

  @Test("a generation that is refused counts nowhere: recorded twice, without a session, or with a number that is none")
  func refused() async throws {
    let world = try World.temporary()
    let inference = world.inference
    let session = try await inference.startSession(with: "m", type: .chat)
    let generation = Self.generation(session, 1)
    try await inference.record(generation)
    let before = try await (inference.session(session.id), inference.usage().items)
    func code(_ generation: Generation) async -> StoreError.Code? {
      await #expect(throws: StoreError.self) { try await inference.record(generation) }?.code
    }
    #expect(await code(generation) == .constraint)
    #expect(await code(Self.generation(Sample.session, 1)) == .notFound)
    #expect(await code(Self.generation(session, 2, latency: .infinity)) == .invalidValue)
    #expect(await code(Self.generation(session, 2, rate: .nan)) == .invalidValue)
    #expect(await code(Self.generation(session, 2, cost: -.infinity)) == .invalidValue)
    #expect(await code(Self.generation(session, 2, model: "")) == .constraint)
    #expect(try await inference.session(session.id) == before.0)
    #expect(try await inference.usage().items == before.1)
    #expect(try await inference.generations(of: session.id).items == [generation])
  }

  @Test("sessions and generations that wait come by the time since they do, without those that were sent or set aside; an edit waits again")
  func pending() async throws {
    let world = try World.temporary()
    let inference = world.inference
    let session = try await inference.startSession(with: "m", type: .chat)
    let generations = (0..<5).map { Self.generation(session, $0, at: Sample.date.addingTimeInterval(Double(9 - $0))) }
    for generation in generations { try await inference.record(generation) }
    world.clock.advance()
    let later = try await inference.startSession(with: "m", type: .chat)
    func sent(_ table: String, _ column: String, _ id: UUID) throws {
      try world.store.write {
        _ = try $0.execute("UPDATE \(raw: table) SET \(raw: column) = revision WHERE id = \(id)")
      }
    }
    #expect(try await inference.pendingSessions().items.map(\.id) == [session.id, later.id])
    #expect(try await inference.pendingGenerations().items == generations.reversed())
    try sent("generations", "acknowledged_revision", generations[4].id)
    try sent("generations", "set_aside_revision", generations[2].id)
    try sent("generation_sessions", "acknowledged_revision", session.id)
    let first = try await inference.pendingGenerations(limit: 2)
    #expect(first.items == [generations[3], generations[1]])
    #expect(try await inference.pendingGenerations(after: first.next).items == [generations[0]])
    #expect(try await inference.pendingSessions().items.map(\.id) == [later.id])
    world.clock.advance()
    try await inference.endSession(session.id)
    #expect(try await inference.pendingSessions().items.map(\.id) == [later.id, session.id])
  }

  @Test("JSON that would not come back is refused: a number that is none, and more than 512 levels", arguments: [512, 513])
  func notReadable(levels: Int) async throws {
    let inference = try World.inMemory().inference
    var session = Sample.session
    let nested = (1..<levels).reduce(JSONValue.integer(1)) { inner, _ in .array([inner]) }
    session.context = ["a": nested]
    if levels == 512 {
      try await inference.save(session)
      #expect(try await inference.session(session.id)?.context == session.context)
    } else {
      #expect(await #expect(throws: StoreError.self) { try await inference.save(session) }?.code == .invalidValue)
    }
    for number in [Double.infinity, .nan] {
      session.context = ["a": .array([.double(number)])]
      #expect(await #expect(throws: StoreError.self) { try await inference.save(session) }?.code == .invalidValue)
    }
    #expect(try await inference.sessions().items.count == (levels == 512 ? 1 : 0))
  }

  @Test("averages that came with a session weigh as many generations as it has")
  func importedAverages() async throws {
    let world = try World.inMemory()
    var session = Sample.session
    session.averageTokensPerSecond = nil
    try await world.inference.save(session)
    try await world.inference.record(Self.generation(session, 3, firstToken: 20, rate: 8))
    let after = try #require(try await world.inference.session(session.id))
    #expect(after.averageTimeToFirstTokenMilliseconds.map { abs($0 - (80.5 * 2 + 20) / 3) < 1e-9 } == true)
    #expect(after.averageTokensPerSecond == 8)
    #expect(after.totalTokens == 151 + 15 && after.generationCount == 3)
  }

  @Test("sums end at the greatest number")
  func largest() async throws {
    let world = try World.inMemory()
    let inference = world.inference
    var model = Sample.bareModel
    (model.id, model.usageCount, model.totalTokensGenerated) = ("m", .max, .max)
    try await world.store.write { [model] in try $0.upsert(model) }
    let session = try await inference.startSession(with: "m", type: .chat)
    for number in 0..<3 {
      try await inference.record(
        Self.generation(
          session, number, latency: 1e308, prompt: .max, completion: number == 2 ? .min : .max, firstToken: 1e308, rate: -1e308, cost: 1e308
        ))
    }
    let after = try #require(try await inference.session(session.id))
    #expect(after.totalInputTokens == .max && after.totalCost == .greatestFiniteMagnitude)
    #expect(after.averageTimeToFirstTokenMilliseconds == 1e308 && after.averageTokensPerSecond == -1e308)
    #expect(try await inference.usage().items.first?.totalLatencyMilliseconds == .greatestFiniteMagnitude)
    let statistics = try #require(try await inference.statistics().first)
    #expect(statistics.promptTokens == .max && statistics.totalCost == .greatestFiniteMagnitude)
    #expect(statistics.p50LatencyMilliseconds == 1e308)
    #expect(try world.isHealthy())
  }

  @Test("what is saved or deleted later counts nothing, and a session goes with its generations")
  func savingAndDeleting() async throws {
    let world = try World.temporary()
    let inference = world.inference
    try await inference.save(Sample.session)
    try await inference.save(Sample.generation)
    try await inference.save(Sample.bareGeneration)
    #expect(try await inference.session(Sample.session.id) == Sample.session)
    #expect(try await inference.generation(Sample.generation.id) == Sample.generation)
    #expect(try await inference.usage().items == [])
    var changed = Sample.generation
    changed.sequenceNumber = 9
    changed.performance = nil
    try await inference.save(changed)
    #expect(try await inference.generations(of: Sample.session.id).items == [Sample.bareGeneration, changed])
    #expect(try await inference.deleteGeneration(changed.id))
    #expect(try await !inference.deleteGeneration(changed.id))
    #expect(try await inference.session(Sample.session.id) == Sample.session)
    let another = try await inference.startSession(with: "m", type: .chat)
    try await inference.record(Self.generation(another, 1))
    #expect(try await inference.deleteSession(another.id))
    #expect(try await !inference.deleteSession(another.id))
    #expect(try await inference.generations(of: another.id).items == [])
    #expect(try await inference.usage(of: "m").items.map(\.generationCount) == [1], "it was used")
    var broken = Sample.session
    broken.totalCost = .nan
    await #expect(throws: StoreError.self) { try await inference.save(broken) }
    #expect(try await inference.session(Sample.session.id) == Sample.session)
    #expect(try world.isHealthy())
  }

  @Test("generations are recorded without any consent: they stay on the device")
  func withoutConsent() async throws {
    let world = try World.inMemory()
    try await world.inference.save(InferenceConfiguration(createdAt: Sample.date))
    let session = try await world.inference.startSession(with: "m", type: .chat)
    try await world.inference.record(Self.generation(session, 1))
    #expect(try await world.inference.statistics().map(\.generationCount) == [1])
    #expect(try await world.inference.telemetryCounts() == TelemetryCounts())
  }

  @Test("verbs inside one transaction are undone together")
  func together() async throws {
    let world = try World.temporary()
    try await TelemetryTests.consent(world.inference)
    #expect(throws: StoreError.self) {
      try world.store.write { tx in
        let session = try InferenceStore.startSession(with: "m", type: .chat, in: tx)
        try InferenceStore.record(Self.generation(session, 1), in: tx)
        #expect(try InferenceStore.record([Sample.event], secretProperties: .standard, in: tx) == 1)
        #expect(try InferenceStore.statistics(in: tx).count == 1)
        throw StoreError(.cancelled, "the test changed its mind")
      }
    }
    #expect(try await world.inference.sessions().items == [])
    #expect(try await world.inference.usage().items == [])
    #expect(try await world.inference.events().items == [])
  }
}
