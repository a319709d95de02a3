import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Plans and observers of the registry", .timeLimit(.minutes(10))) struct RegistryPlans {
  /// What may walk through a whole index or table, by verb: all that is in it is asked for. Everything else must find its rows by an
  /// index, or stop at its page's limit.
  static let declared: [String: Set<String>] = [
    "list configurations": [
      "SCAN configuration USING INDEX sqlite_autoindex_configuration_1", "SCAN analytics_config", "SCAN storage_config",
      "SCAN routing_policies USING INDEX sqlite_autoindex_routing_policies_1",
    ],
    "list all models": ["SCAN model_metadata USING INDEX model_metadata_by_name"],
    "look for files": ["SCAN model_metadata USING INDEX model_metadata_with_file"],
    "list preferences": ["SCAN user_preferences USING INDEX sqlite_autoindex_user_preferences_1"],
    "list secrets": ["SCAN secrets USING COVERING INDEX sqlite_autoindex_secrets_1"],
    // Whether another configuration names the same key: there are few.
    "delete a configuration": ["SCAN configuration"],
    "delete the key of the API": ["SCAN configuration"],
    // The indexes have what waits and nothing else, and of the state there is one row.
    "say what waits": [
      "SCAN telemetry USING COVERING INDEX telemetry_pending", "SCAN configuration USING INDEX configuration_pending",
      "SCAN model_metadata USING INDEX model_metadata_pending",
      "SCAN generation_sessions USING COVERING INDEX generation_sessions_pending",
      "SCAN generations USING COVERING INDEX generations_pending", "SCAN user_preferences USING INDEX user_preferences_pending",
      "SCAN sync_state",
    ],
  ]

  @Test("every statement of every verb finds its rows by an index, except where all are asked for, and sorts nothing")
  func plans() throws {
    var plans = VerbPlans()
    for verb in RegistryVerb.reads + RegistryVerb.writes {
      let world = try World.inMemory()
      try RegistryVerb.prepare(world)
      try plans.add(verb.name, in: world) { try verb.run(world.inference) }
    }
    #expect(plans.walks == Self.declared)
    #expect(plans.sorts == [])
    #expect(plans.statements > 60)
  }

  @Test("every verb wakes the observers of the tables that it changes, and no others", arguments: RegistryVerb.writes.map(\.name))
  func wakes(verb name: String) throws {
    let verb = try #require(RegistryVerb.writes.first { $0.name == name })
    let world = try World.inMemory()
    try RegistryVerb.prepare(world)
    let watches = try TableWatches(world.store, RegistryVerb.everything)
    try verb.run(world.inference)
    #expect(watches.woken == verb.changes)
    #expect(try world.isHealthy())
  }

  @Test("each kind of updates begins with what is there and goes on with what a verb makes of it")
  func updates() async throws {
    let world = try World.temporary()
    try RegistryVerb.prepare(world)
    let store = world.inference
    try await UpdatesCheck.follow(store.configurationUpdates("work")) {
      try store.configuration("work")
    } after: {
      try store.setAPIKey(nil, for: "work")
    }
    try await UpdatesCheck.follow(store.modelUpdates()) {
      try store.models()
    } after: {
      try store.recordUse(of: "phi")
    }
    try await UpdatesCheck.follow(store.modelUpdates(.missing, limit: 1)) {
      try store.models(.missing, limit: 1).items
    } after: {
      try store.deleteModel(Sample.model.id)
    }
    try await UpdatesCheck.follow(store.modelUpdates("phi")) {
      try store.model("phi")
    } after: {
      try store.checkModelFiles()
    }
    try await UpdatesCheck.follow(store.preferenceUpdates()) {
      try store.preferences()
    } after: {
      try store.setPreference("2", named: "theme")
    }
    try await UpdatesCheck.follow(store.preferenceUpdates(named: "theme")) {
      try store.preference(named: "theme")
    } after: {
      try store.deletePreference(named: "theme")
    }
    try await UpdatesCheck.follow(store.syncConflictUpdates()) {
      try store.syncConflicts().items
    } after: {
      try store.clearSyncConflicts(until: Date(timeIntervalSince1970: 0))
    }
    try await UpdatesCheck.follow(store.syncStatusUpdates()) {
      try store.syncStatus()
    } after: {
      try store.retrySetAside()
    }
  }

  @Test("every verb is among those that are tested in both forms, and every kind of updates is followed")
  func completeness() throws {
    let names = try VerbPlans.names(in: VerbPlans.files().subtracting(HistoryVerb.files))
    #expect(names.count >= 26)
    try VerbPlans.expect(names, in: ("RegistryVerbs.swift", "RegistryForms.swift", "RegistryPlans.swift"))
  }
}
