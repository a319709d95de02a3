import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

/// Every verb of sessions, generations, statistics and telemetry once, on the same small store, for the checks that must leave none out.
typealias HistoryVerb = LibraryVerb<InferenceStore, KnownHistory>

/// What the store holds before a verb of the history.
struct KnownHistory: Sendable {
  /// Newest first; the second has two generations, and the first one.
  var sessions: [GenerationSession]
  var generations: [Generation]
  /// Five; the first was sent, the second set aside.
  var events: [TelemetryEvent]
}

extension HistoryVerb {
  static func prepare(_ world: World) async throws -> KnownHistory {
    let old = try await world.store.write { tx -> GenerationSession in
      try InferenceStore.save(TelemetryTests.consenting, in: tx)
      try tx.insert(Sample.model)
      return try InferenceStore.startSession(with: Sample.model.id, type: .chat, in: tx)
    }
    let later = world.clock.advance()
    let events = (0..<5).map { TelemetryTests.event($0) }
    let generations = try await world.store.write { tx -> [Generation] in
      let new = try InferenceStore.startSession(with: "other", type: .batch, in: tx)
      let generations = [
        SessionTests.generation(old, 1, model: Sample.model.id), SessionTests.generation(old, 2, model: "other"),
        SessionTests.generation(new, 1, at: later, model: "other"),
      ]
      for generation in generations { try InferenceStore.record(generation, in: tx) }
      try tx.insert(contentsOf: events)
      try tx.execute("UPDATE telemetry SET acknowledged_revision = revision WHERE id = 'event 0'")
      try tx.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = 'event 1'")
      return generations
    }
    let sessions = try await world.inference.sessions().items
    return KnownHistory(sessions: sessions, generations: generations, events: events)
  }

  static var writes: [HistoryVerb] {
    [
      HistoryVerb(name: "start a session", changes: ["generation_sessions"]) { store, _ in
        _ = try await store.startSession(with: "m", type: .chat)
      },
      HistoryVerb(name: "end a session", changes: ["generation_sessions"]) { store, known in
        try await store.endSession(known.sessions[0].id)
      },
      HistoryVerb(name: "save a session", changes: ["generation_sessions"]) { store, _ in try await store.save(Sample.session) },
      HistoryVerb(name: "delete a session", changes: ["generation_sessions", "generations"]) { store, known in
        try await store.deleteSession(known.sessions[1].id)
      },
      HistoryVerb(
        name: "record a generation", changes: ["generation_sessions", "generations", "model_usage_stats", "model_metadata"]
      ) { store, known in try await store.record(SessionTests.generation(known.sessions[0], 2, model: Sample.model.id)) },
      HistoryVerb(
        name: "record a generation of a model that is not registered", changes: ["generation_sessions", "generations", "model_usage_stats"]
      ) { store, known in try await store.record(SessionTests.generation(known.sessions[0], 2)) },
      HistoryVerb(name: "save a generation", changes: ["generations"]) { store, known in
        try await store.save(SessionTests.generation(known.sessions[0], 2))
      },
      HistoryVerb(name: "delete a generation", changes: ["generations"]) { store, known in
        try await store.deleteGeneration(known.generations[0].id)
      },
      HistoryVerb(name: "record an event", changes: ["telemetry"]) { store, _ in try await store.record([TelemetryTests.event(9)]) },
      HistoryVerb(name: "record many events", changes: ["telemetry"]) { store, _ in
        try await store.record((10..<120).map { TelemetryTests.event($0) })
      },
      HistoryVerb(name: "record what is there") { store, known in try await store.record(known.events) },
      HistoryVerb(name: "delete an event", changes: ["telemetry"]) { store, known in try await store.deleteEvent(known.events[0].id) },
      HistoryVerb(name: "delete pending telemetry", changes: ["telemetry"]) { store, _ in try await store.deletePendingTelemetry() },
    ]
  }

  static var updates: [LibraryUpdates<InferenceStore, KnownHistory>] {
    typealias Live = LibraryUpdates<InferenceStore, KnownHistory>
    return [
      Live(name: "sessions", { store, _ in store.sessionUpdates() }, reading: { store, _ in try await store.sessions().items }),
      Live(
        name: "sessions of a model", { store, _ in store.sessionUpdates(of: "other", limit: 1) },
        reading: { store, _ in try await store.sessions(of: "other", limit: 1).items }),
      Live(
        name: "a session", { store, known in store.sessionUpdates(known.sessions[0].id) },
        reading: { store, known in try await store.session(known.sessions[0].id) }),
      Live(
        name: "generations", { store, known in store.generationUpdates(of: known.sessions[1].id) },
        reading: { store, known in try await store.generations(of: known.sessions[1].id).items }),
      Live(
        name: "statistics by day", { store, _ in store.statisticsUpdates(by: [.model, .day]) },
        reading: { store, _ in try await store.statistics(by: [.model, .day]) }),
      Live(name: "statistics", { store, _ in store.statisticsUpdates() }, reading: { store, _ in try await store.statistics() }),
      Live(
        name: "usage", { store, _ in store.usageUpdates(of: Sample.model.id) },
        reading: { store, _ in try await store.usage(of: Sample.model.id).items }),
      Live(
        name: "pending events", { store, _ in store.pendingEventCountUpdates() },
        reading: { store, _ in try await store.pendingEventCount() }),
    ]
  }

  static var reads: [HistoryVerb] {
    [
      HistoryVerb(name: "load a session") { store, known in _ = try await store.session(known.sessions[0].id) },
      HistoryVerb(name: "list sessions") { store, _ in
        _ = try await store.sessions(after: store.sessions(limit: 1).next, limit: 1)
        _ = try await store.sessions(of: "other", after: store.sessions(of: "other", limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "load a generation") { store, known in _ = try await store.generation(known.generations[0].id) },
      HistoryVerb(name: "list generations") { store, known in
        let id = known.sessions[1].id
        _ = try await store.generations(of: id, after: store.generations(of: id, limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "list pending sessions") { store, _ in
        _ = try await store.pendingSessions(after: store.pendingSessions(limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "list pending generations") { store, _ in
        _ = try await store.pendingGenerations(after: store.pendingGenerations(limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "statistics") { store, known in
        for grouping in StatisticsTests.groupings {
          _ = try await store.statistics(by: grouping)
          _ = try await store.statistics(by: grouping, during: .distantPast..<known.sessions[0].startedAt)
        }
      },
      HistoryVerb(name: "list usage") { store, _ in
        _ = try await store.usage(after: store.usage(limit: 1).next, limit: 1)
        _ = try await store.usage(of: "other", after: store.usage(of: "other", limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "load an event") { store, known in _ = try await store.event(known.events[0].id) },
      HistoryVerb(name: "list events") { store, _ in _ = try await store.events(after: store.events(limit: 1).next, limit: 1) },
      HistoryVerb(name: "list pending events") { store, _ in
        _ = try await store.pendingEvents(after: store.pendingEvents(limit: 1).next, limit: 1)
      },
      HistoryVerb(name: "count pending events") { store, _ in _ = try await store.pendingEventCount() },
      HistoryVerb(name: "count telemetry") { store, _ in _ = try await store.telemetryCounts() },
    ]
  }
}
