import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Configurations, models, preferences and secrets from a task", .timeLimit(.minutes(10))) struct RegistryForms {
  @Test("every verb of configurations and models does the same from a task")
  func registry() async throws {
    let store = try World.temporary().inference
    try await store.save(Sample.configuration)
    #expect(try await store.configuration(Sample.configuration.id) == Sample.configuration)
    #expect(try await store.configurations() == [Sample.configuration])
    #expect(try await store.deleteConfiguration(Sample.configuration.id))
    #expect(try await store.configurations() == [])

    try await store.save(Sample.bareModel)
    try await store.save([Sample.model])
    #expect(try await store.models() == [Sample.bareModel, Sample.model])
    #expect(try await store.models(.format(.gguf)).items == [Sample.model])
    #expect(try await store.model(Sample.model.id) == Sample.model)
    #expect(try await store.checkModelFiles().checked == 1)
    try await store.recordDownload(of: "phi", at: "/models/phi")
    try await store.recordUse(of: "phi", tokens: 5)
    let used = try await store.model("phi")
    #expect(used?.localPath == "/models/phi" && used?.usageCount == 1 && used?.totalTokensGenerated == 5)
    #expect(try await store.deleteModel("phi"))
    #expect(try await store.deleteModel("phi") == false)
  }

  @Test("every verb of preferences and secrets does the same from a task")
  func choices() async throws {
    let store = try World.temporary().inference
    try await store.setPreference("1", named: "a")
    #expect(try await store.preference(named: "a")?.value == "1")
    #expect(try await store.preferences().map(\.name) == ["a"])
    #expect(try await store.deletePreference(named: "a"))
    #expect(try await store.preferences() == [])

    try await store.setSecret("a text", named: "a")
    #expect(try await store.secret(named: "a") == "a text")
    #expect(try await store.secret(named: "b") == nil)
    #expect(try await store.secretNames() == ["a"])
    #expect(try await store.deleteSecret(named: "a"))
    #expect(try await store.deleteSecret(named: "a") == false)
    try await store.save(Sample.configuration)
    try await store.setAPIKey("sk-1", for: Sample.configuration.id)
    #expect(try await store.apiKey(for: Sample.configuration.id) == "sk-1")
    try await store.setAPIKey(nil, for: Sample.configuration.id)
    #expect(try await store.secretNames() == [])
  }

  @Test("what lost against a server and what it refused is listed, forgotten and tried again from a task")
  func sent() async throws {
    let world = try World.temporary()
    try await world.store.write { tx in
      for (number, side) in ["ours", "theirs"].enumerated() {
        try tx.execute(
          """
          INSERT INTO sync_conflicts (kind, row_id, field, lost_value, kept, noticed_at)
          VALUES ('configuration', 'default', \(side), '1', \(side), \(number * 1000))
          """)
      }
    }
    let store = world.inference
    #expect(try await store.syncConflicts().items.map(\.kept) == [.theirs, .ours])
    #expect(try await store.syncConflicts(limit: 1).items.map(\.field) == ["theirs"])
    #expect(try await store.clearSyncConflicts(until: Date(timeIntervalSince1970: 0.5)) == 1)
    #expect(try await store.clearSyncConflicts() == 1)
    try RegistryVerb.prepare(world)
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
    while live.value == nil { await Task.yield() }
    let watches = try TableWatches(world.store, RegistryVerb.everything)
    let configuration = InferenceConfiguration(baseURL: "https://models.example", createdAt: Sample.date)
    try await store.save(configuration)
    try #require(!watches.woken.isEmpty)
    while live.value != configuration { await Task.yield() }
    #expect(live.error == nil)
  }

  @Test("a configuration's updates follow each of its parts")
  func updates() async throws {
    let store = try World.temporary().inference
    let changes: [@Sendable (inout InferenceConfiguration) -> Void] = [
      { $0.baseURL = "https://models.example" }, { $0.routing.policy = .custom }, { $0.otherRoutings = [Routing()] },
      { $0.analytics.batchSize = 1 }, { $0.storage.directoryName = "Models" },
    ]
    var configuration = InferenceConfiguration(createdAt: Sample.date)
    for change in changes {
      try await UpdatesCheck.follow(store.configurationUpdates()) {
        try store.configuration()
      } after: {
        change(&configuration)
        try store.save(configuration)
      }
    }
  }
}
