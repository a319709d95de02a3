import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

/// Every verb of configurations, models, preferences, secrets, conflicts and what was sent once, on the same small store, for the checks
/// that must leave none out.
typealias RegistryVerb = LibraryVerb<InferenceStore, Void>

extension RegistryVerb {
  /// Two configurations, one with a key of its API; four models, so that every list of them has two; two preferences, two secrets, three
  /// values that lost, the numbers of a model, and of each table that is sent a row that was set aside.
  static func prepare(_ world: World) async throws {
    let inference = world.inference
    let there = ModelMetadata(
      id: "phi", name: "", format: .gguf, framework: .mlx, localPath: "/nowhere/at/all", createdAt: Sample.date)
    var other = there
    (other.id, other.name) = ("phi-2", "Phi 2")
    let gone = ModelMetadata(
      id: "gone", name: "Zeta", framework: .mlx, localPath: "/gone", missingSince: Sample.date, createdAt: Sample.date)
    let models = [Sample.model, there, other, gone]
    try await world.store.write { tx in
      try InferenceStore.save(TelemetryTests.consenting, in: tx)
      try InferenceStore.save(Sample.configuration, in: tx)
      try inference.setAPIKey("sk-1", for: Sample.configuration.id, in: tx)
      try InferenceStore.save(models, in: tx)
      try InferenceStore.save(Sample.session, in: tx)
      try InferenceStore.save(Sample.generation, in: tx)
      for number in 1...2 { try tx.insert(TelemetryTests.event(number)) }
      for name in ["theme", "voice"] { try InferenceStore.setPreference("1", named: name, secretProperties: .standard, in: tx) }
      try inference.setSecret("a text", named: "token", in: tx)
      try tx.insert(Sample.usage)
      try tx.execute("INSERT INTO sync_state (slot, last_error) VALUES (1, 'too late')")
      try tx.execute("INSERT INTO sync_cursors (kind, since, row_key) VALUES ('telemetry', 1, x'61')")
      for number in 0..<3 {
        try tx.execute(
          """
          INSERT INTO sync_conflicts (kind, row_id, field, lost_value, kept, noticed_at)
          VALUES ('configuration', 'default', \("field \(number)"), '1', 'ours', \(number * 1000))
          """)
      }
      for (table, key) in [
        ("telemetry", "id"), ("configuration", "id"), ("model_metadata", "id"), ("generation_sessions", "id"), ("generations", "id"),
        ("user_preferences", "name"),
      ] {
        try tx.execute(
          """
          INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at)
          SELECT \(table), \(raw: key), revision, 5, 'no', 0 FROM \(raw: table) ORDER BY rowid LIMIT 1
          """)
        try tx.execute(
          """
          UPDATE \(raw: table) SET set_aside_revision = revision
          WHERE \(raw: key) IN (SELECT row_id FROM sync_tries WHERE kind = \(table))
          """)
      }
    }
  }

  static var configuration: Set<String> { ["configuration", "routing_policies", "analytics_config", "storage_config"] }
  static var sent: Set<String> {
    [
      "telemetry", "configuration", "model_metadata", "generation_sessions", "generations", "user_preferences", "sync_tries",
    ]
  }

  static var writes: [RegistryVerb] {
    [
      RegistryVerb(name: "save a configuration", changes: configuration) { store, _ in
        var edited = Sample.configuration
        (edited.baseURL, edited.otherRoutings, edited.storage.directoryName) = ("https://other.example", [], "Other")
        (edited.analytics.batchSize, edited.routing.policy) = (9, .preferDevice)
        try await store.save(edited)
      },
      RegistryVerb(name: "delete a configuration", changes: configuration.union(["secrets", "sync_tries"])) { store, _ in
        try await store.deleteConfiguration("default")
        try await store.deleteConfiguration(Sample.configuration.id)
      },
      RegistryVerb(name: "save a model", changes: ["model_metadata"]) { store, _ in
        try await store.save(ModelMetadata(id: "new", name: "New", framework: .mlx, createdAt: Sample.date))
      },
      RegistryVerb(name: "save models", changes: ["model_metadata"]) { store, _ in try await store.save([Sample.bareModel]) },
      RegistryVerb(name: "delete a model", changes: ["model_metadata", "sync_tries"]) { store, _ in
        try await store.deleteModel(Sample.model.id)
      },
      RegistryVerb(name: "delete a model that is not there") { store, _ in try await store.deleteModel("none") },
      RegistryVerb(name: "record a download", changes: ["model_metadata"]) { store, _ in
        try await store.recordDownload(of: "phi", at: "/there", sizeBytes: 1)
      },
      RegistryVerb(name: "record a use", changes: ["model_metadata"]) { store, _ in try await store.recordUse(of: "phi", tokens: 1) },
      RegistryVerb(name: "evict models", changes: ["model_metadata"]) { store, _ in _ = try await store.evict(["phi"]) },
      RegistryVerb(name: "look for files", changes: ["model_metadata"]) { store, _ in try await store.checkModelFiles() },
      RegistryVerb(name: "set a preference", changes: ["user_preferences"]) { store, _ in try await store.setPreference("2", named: "theme")
      },
      RegistryVerb(name: "set a preference as it is") { store, _ in try await store.setPreference("1", named: "theme") },
      RegistryVerb(name: "delete a preference", changes: ["user_preferences", "sync_tries"]) { store, _ in
        try await store.deletePreference(named: "theme")
      },
      RegistryVerb(name: "set a secret", changes: ["secrets"]) { store, _ in try await store.setSecret("another", named: "token") },
      RegistryVerb(name: "delete a secret", changes: ["secrets"]) { store, _ in try await store.deleteSecret(named: "token") },
      RegistryVerb(name: "set the key of the API", changes: ["configuration", "secrets"]) { store, _ in try await store.setAPIKey("sk-2") },
      RegistryVerb(name: "delete the key of the API", changes: ["configuration", "secrets"]) { store, _ in
        try await store.setAPIKey(nil, for: Sample.configuration.id)
      },
      RegistryVerb(name: "clear conflicts", changes: ["sync_conflicts"]) { store, _ in try await store.clearSyncConflicts() },
      RegistryVerb(name: "clear old conflicts", changes: ["sync_conflicts"]) { store, _ in
        try await store.clearSyncConflicts(until: Date(timeIntervalSince1970: 1))
      },
      RegistryVerb(name: "retry what was set aside", changes: sent) { store, _ in try await store.retrySetAside() },
      RegistryVerb(name: "retry models", changes: ["model_metadata", "sync_tries"]) { store, _ in
        try await store.retrySetAside(of: ModelMetadata.table)
      },
    ]
  }

  static var updates: [LibraryUpdates<InferenceStore, Void>] {
    typealias Live = LibraryUpdates<InferenceStore, Void>
    return [
      Live(
        name: "a configuration", { store, _ in store.configurationUpdates("work") },
        reading: { store, _ in try await store.configuration("work") }),
      Live(
        name: "the configuration", { store, _ in store.configurationUpdates() }, reading: { store, _ in try await store.configuration() }),
      Live(name: "all models", { store, _ in store.modelUpdates() }, reading: { store, _ in try await store.models() }),
      Live(
        name: "models", { store, _ in store.modelUpdates(.missing, limit: 1) },
        reading: { store, _ in try await store.models(.missing, limit: 1).items }),
      Live(name: "a model", { store, _ in store.modelUpdates("phi") }, reading: { store, _ in try await store.model("phi") }),
      Live(name: "preferences", { store, _ in store.preferenceUpdates() }, reading: { store, _ in try await store.preferences() }),
      Live(
        name: "a preference", { store, _ in store.preferenceUpdates(named: "theme") },
        reading: { store, _ in try await store.preference(named: "theme") }),
      Live(name: "conflicts", { store, _ in store.syncConflictUpdates() }, reading: { store, _ in try await store.syncConflicts().items }),
      Live(name: "what waits", { store, _ in store.syncStatusUpdates() }, reading: { store, _ in try await store.syncStatus() }),
    ]
  }

  static var reads: [RegistryVerb] {
    [
      RegistryVerb(name: "load a configuration") { store, _ in _ = try await store.configuration() },
      RegistryVerb(name: "list configurations") { store, _ in _ = try await store.configurations() },
      RegistryVerb(name: "load a model") { store, _ in _ = try await store.model("phi") },
      RegistryVerb(name: "list all models") { store, _ in _ = try await store.models() },
      RegistryVerb(name: "list models") { store, _ in
        for list in [ModelList.all, .framework(.mlx), .format(.gguf), .downloaded, .missing, .matching("phi"), .pending] {
          let first = try await store.models(list, limit: 1).next
          // Two pages of each.
          guard let first else { throw StoreError(.notFound, "a list of models has one page") }
          _ = try await store.models(list, after: first, limit: 1)
        }
      },
      RegistryVerb(name: "plan what goes") { store, _ in _ = try await store.modelsToEvict(toFit: 0) },
      RegistryVerb(name: "say how many tokens are left") { store, _ in _ = try await store.tokensLeft(by: Sample.configuration.id) },
      RegistryVerb(name: "load a preference") { store, _ in _ = try await store.preference(named: "theme") },
      RegistryVerb(name: "list preferences") { store, _ in _ = try await store.preferences() },
      RegistryVerb(name: "open a secret") { store, _ in _ = try await store.secret(named: "token") },
      RegistryVerb(name: "list secrets") { store, _ in _ = try await store.secretNames() },
      RegistryVerb(name: "open the key of the API") { store, _ in _ = try await store.apiKey(for: Sample.configuration.id) },
      RegistryVerb(name: "list conflicts") { store, _ in
        _ = try await store.syncConflicts(after: store.syncConflicts(limit: 1).next, limit: 1)
      },
      RegistryVerb(name: "say what waits") { store, _ in _ = try await store.syncStatus() },
    ]
  }
}
