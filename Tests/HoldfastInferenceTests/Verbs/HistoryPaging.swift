import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Pages of the history") struct HistoryPaging {
  private struct List: Sendable {
    var name: String
    var page: @Sendable (InferenceStore, PageKey?, Int) throws -> (items: [String], next: PageKey?)

    init<Item>(_ name: String, _ page: @escaping @Sendable (InferenceStore, PageKey?, Int) throws -> Page<Item>) {
      self.name = name
      self.page = { store, key, limit in
        let page = try page(store, key, limit)
        return (page.items.map { "\($0)" }, page.next)
      }
    }
  }

  private static let session = Sample.session.id

  private static let lists = [
    List("sessions") { try $0.sessions(after: $1, limit: $2) },
    List("sessions of a model") { try $0.sessions(of: "model 1", after: $1, limit: $2) },
    List("generations") { try $0.generations(of: session, after: $1, limit: $2) },
    List("usage") { try $0.usage(after: $1, limit: $2) }, List("usage of a model") { try $0.usage(of: "model 1", after: $1, limit: $2) },
    List("events") { try $0.events(after: $1, limit: $2) }, List("pending events") { try $0.pendingEvents(after: $1, limit: $2) },
    List("pending sessions") { try $0.pendingSessions(after: $1, limit: $2) },
    List("pending generations") { try $0.pendingGenerations(after: $1, limit: $2) },
  ]

  /// Many of the same moment, the same number and the same day.
  private func world() throws -> World {
    let world = try World.temporary()
    let store = world.inference
    try TelemetryTests.consent(store)
    try store.save(Sample.session)
    for number in 0..<60 {
      let startedAt = Sample.date.addingTimeInterval(Double(number / 5))
      try store.save(GenerationSession(id: UUID(), modelID: "model \(number % 2)", type: .chat, startedAt: startedAt))
      let createdAt = Sample.date.addingTimeInterval(Double(number / 3) * 86_400)
      try store.record(SessionTests.generation(Sample.session, number / 4, at: createdAt, model: "model \(number % 3)"))
    }
    try store.record(
      (0..<60).map { TelemetryEvent(id: "event \($0)", type: .custom, occurredAt: Sample.date.addingTimeInterval(Double($0 / 7))) })
    try TelemetryTests.acknowledge(world, "id LIKE '%3'")
    return world
  }

  @Test("pages of every size put together are the whole list", arguments: lists.map(\.name))
  func allPages(name: String) throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let world = try world()
    let whole = try list.page(world.inference, nil, 10_000)
    #expect(whole.next == nil && whole.items.count >= 20 && Set(whole.items).count == whole.items.count)
    for limit in [1, 2, 3, 7, 50, whole.items.count] {
      var found: [String] = []
      var key: PageKey?
      repeat {
        let page = try list.page(world.inference, key, limit)
        found += page.items
        key = page.next
      } while key != nil && found.count < 1000
      #expect(found == whole.items, "limit \(limit)")
    }
    for limit in [0, -5, .min] { #expect(try list.page(world.inference, nil, limit).items.count == 1) }
  }

  @Test("a key of another list is refused")
  func foreignKeys() throws {
    let world = try world()
    let keys = try Self.lists.map { try #require(try $0.page(world.inference, nil, 2).next) }
    for (place, list) in Self.lists.enumerated() {
      for (other, key) in keys.enumerated() where other != place {
        let error = #expect(throws: StoreError.self, "\(list.name), \(Self.lists[other].name)") { try list.page(world.inference, key, 2) }
        #expect(error?.code == .misuse)
      }
    }
    #expect(throws: StoreError.self) { try world.inference.sessions(of: "model 0", after: keys[1]) }
    #expect(throws: StoreError.self) { try world.inference.generations(of: UUID(), after: keys[2]) }
  }
}
