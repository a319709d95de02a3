public import Foundation
public import Holdfast

/// The store of sessions and generations that an app needs. `InferenceStore` implements it; a test may use its own.
public protocol GenerationAnalyticsRepository: Sendable {
  /// Begins a session now.
  func startSession(with modelID: String, type: SessionType, context: [String: JSONValue]?) async throws -> GenerationSession
  /// Records a generation, and counts it in its session and its model.
  func record(_ generation: Generation) async throws
  /// Ends an open session, at `date` or now. Returns whether it was open.
  @discardableResult
  func endSession(_ id: UUID, at date: Date?) async throws -> Bool
  /// One session, or nil.
  func session(_ id: UUID) async throws -> GenerationSession?
  /// A page of sessions, of one model or of all, the newest first.
  func sessions(of modelID: String?, after key: PageKey?, limit: Int) async throws -> Page<GenerationSession>
  /// A page of the sessions that wait to be sent, the longest waiting first.
  func pendingSessions(after key: PageKey?, limit: Int) async throws -> Page<GenerationSession>
  /// One generation, or nil.
  func generation(_ id: UUID) async throws -> Generation?
  /// A page of a session's generations in their order.
  func generations(of sessionID: UUID, after key: PageKey?, limit: Int) async throws -> Page<Generation>
  /// A page of the generations that wait to be sent, the oldest first.
  func pendingGenerations(after key: PageKey?, limit: Int) async throws -> Page<Generation>
  /// Inserts or updates a session with all its fields.
  func save(_ session: GenerationSession) async throws
  /// Inserts or updates a generation with all its fields.
  func save(_ generation: Generation) async throws
  /// Deletes a session with its generations. Returns whether there was one.
  @discardableResult
  func deleteSession(_ id: UUID) async throws -> Bool
  /// Deletes a generation. Returns whether there was one.
  @discardableResult
  func deleteGeneration(_ id: UUID) async throws -> Bool
  /// Statistics of generations, by model, target and day.
  func statistics(
    by grouping: GenerationStatistics.Grouping, during period: Range<Date>?, timeZone: TimeZone
  ) async throws -> [GenerationStatistics]
  /// A page of the models' usage by day, the newest day first.
  func usage(of modelID: String?, after key: PageKey?, limit: Int) async throws -> Page<ModelUsage>
  /// How many tokens the next request may use, by the configuration's budget; nil without one.
  func tokensLeft(by configurationID: String) async throws -> Int?
}

/// The store of telemetry that an app needs. `InferenceStore` implements it; a test may use its own.
public protocol TelemetryRepository: Sendable {
  /// Records events, if the configuration's consent allows it. Returns how many were recorded.
  @discardableResult
  func record(_ events: [TelemetryEvent], by configurationID: String) async throws -> Int
  /// One event, or nil.
  func event(_ id: String) async throws -> TelemetryEvent?
  /// A page of all events, the newest first.
  func events(after key: PageKey?, limit: Int) async throws -> Page<TelemetryEvent>
  /// A page of the events that wait to be sent, the oldest first.
  func pendingEvents(after key: PageKey?, limit: Int) async throws -> Page<TelemetryEvent>
  /// How many events wait to be sent.
  func pendingEventCount() async throws -> Int
  /// The numbers of telemetry events.
  func telemetryCounts() async throws -> TelemetryCounts
  /// Deletes an event. Returns whether there was one.
  @discardableResult
  func deleteEvent(_ id: String) async throws -> Bool
  /// Deletes every event that was not sent. Returns how many were deleted.
  @discardableResult
  func deletePendingTelemetry() async throws -> Int
}

extension InferenceStore: GenerationAnalyticsRepository, TelemetryRepository {}
