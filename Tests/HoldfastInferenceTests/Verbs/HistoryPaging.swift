import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Pages of the history") struct HistoryPaging {
  private typealias List = PagedList<InferenceStore>

  private static let session = Sample.session.id

  private static let lists = [
    List("sessions") { try await $0.sessions(after: $1, limit: $2) },
    List("sessions of a model") { try await $0.sessions(of: "model 1", after: $1, limit: $2) },
    List("generations") { try await $0.generations(of: session, after: $1, limit: $2) },
    List(ofValues: "usage") { try await $0.usage(after: $1, limit: $2) },
    List(ofValues: "usage of a model") { try await $0.usage(of: "model 1", after: $1, limit: $2) },
    List("events") { try await $0.events(after: $1, limit: $2) },
    List("pending events") { try await $0.pendingEvents(after: $1, limit: $2) },
    List("pending sessions") { try await $0.pendingSessions(after: $1, limit: $2) },
    List("pending generations") { try await $0.pendingGenerations(after: $1, limit: $2) },
  ]

  /// Many of the same moment, the same number and the same day.
  private func world() async throws -> World {
    let world = try World.temporary()
    let store = world.inference
    try await TelemetryTests.consent(store)
    try await store.save(Sample.session)
    for number in 0..<60 {
      let startedAt = Sample.date.addingTimeInterval(Double(number / 5))
      try await store.save(GenerationSession(id: UUID(), modelID: "model \(number % 2)", type: .chat, startedAt: startedAt))
      let createdAt = Sample.date.addingTimeInterval(Double(number / 3) * 86_400)
      try await store.record(SessionTests.generation(Sample.session, number / 4, at: createdAt, model: "model \(number % 3)"))
    }
    try await store.record(
      (0..<60).map { TelemetryEvent(id: "event \($0)", type: .custom, occurredAt: Sample.date.addingTimeInterval(Double($0 / 7))) })
    try TelemetryTests.acknowledge(world, "id LIKE '%3'")
    return world
  }

  @Test("pages of every size put together are the whole list", arguments: lists.map(\.name))
  func allPages(name: String) async throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let world = try await world()
    try await list.checkSizes(in: world.inference, atLeast: 20)
  }

  @Test("a key of another list is refused")
  func foreignKeys() async throws {
    let world = try await world()
    try await List.checkKeys(of: Self.lists, in: world.inference)
    let keys = try await Self.lists.asyncMap { try await $0.page(world.inference, nil, 2).next }
    await #expect(throws: StoreError.self) { try await world.inference.sessions(of: "model 0", after: keys[1]) }
    await #expect(throws: StoreError.self) { try await world.inference.generations(of: UUID(), after: keys[2]) }
  }
}
