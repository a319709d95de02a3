import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Observation of the registry", .timeLimit(.minutes(10))) struct RegistryObservation {
  @Test("what a server refused, of one table or of all, is tried again from a task")
  func refused() async throws {
    let world = try World.temporary()
    let store = world.inference
    try await RegistryVerb.prepare(world)
    #expect(try await store.syncStatus().setAside.count == 6)
    #expect(try await store.retrySetAside(of: "telemetry") == 1)
    #expect(try await store.retrySetAside() == 5)
    #expect(try await store.syncStatus().setAside == [])
  }

  @MainActor @Test("a live value has the configuration as it is now")
  func live() async throws {
    let world = try World.temporary()
    let store = world.inference
    let live = LiveValue(store.configurationUpdates())
    #expect(await eventually { live.value != nil })
    let watches = try TableWatches(world.store, RegistryVerb.configuration)
    let configuration = InferenceConfiguration(baseURL: "https://models.example", createdAt: Sample.date)
    try await store.save(configuration)
    try #require(!watches.woken.isEmpty)
    #expect(await eventually { live.value == configuration })
    #expect(live.error == nil)
  }

  @Test("a configuration's updates follow each of its parts")
  func parts() async throws {
    let store = try World.temporary().inference
    let changes: [@Sendable (inout InferenceConfiguration) -> Void] = [
      { $0.baseURL = "https://models.example" }, { $0.routing.policy = .custom }, { $0.otherRoutings = [Routing()] },
      { $0.analytics.batchSize = 1 }, { $0.storage.directoryName = "Models" },
    ]
    var configuration = InferenceConfiguration(createdAt: Sample.date)
    for change in changes {
      try await UpdatesCheck.follow(store.configurationUpdates()) {
        try await store.configuration()
      } after: {
        change(&configuration)
        try await store.save(configuration)
      }
    }
  }
}
