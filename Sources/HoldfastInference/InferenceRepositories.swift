public import Foundation
public import Holdfast

/// The store of configurations that an app needs. `InferenceStore` implements it; a test may use its own.
public protocol ConfigurationRepository: Sendable {
  /// One configuration; nil when none was saved under this id.
  func configuration(_ id: String) async throws -> InferenceConfiguration?
  /// All configurations, by id.
  func configurations() async throws -> [InferenceConfiguration]
  /// Saves a configuration with all its parts.
  func save(_ configuration: InferenceConfiguration) async throws
  /// Deletes a configuration. Returns whether there was one.
  @discardableResult
  func deleteConfiguration(_ id: String) async throws -> Bool
}

/// The registry of models that an app needs.
public protocol ModelMetadataRepository: Sendable {
  /// One model; nil when there is none with this id.
  func model(_ id: String) async throws -> ModelMetadata?
  /// All models, by name.
  func models() async throws -> [ModelMetadata]
  /// A page of a list of models, after the `next` of the previous page.
  func models(_ list: ModelList, after key: PageKey?, limit: Int) async throws -> Page<ModelMetadata>
  /// Saves models, all or none.
  func save(_ models: [ModelMetadata]) async throws
  /// Removes a model from the registry. Returns whether there was one.
  @discardableResult
  func deleteModel(_ id: String) async throws -> Bool
  /// Records the place of a model's file.
  func recordDownload(of id: String, at path: String, date: Date?, sizeBytes: Int64?) async throws
  /// Counts a use of a model.
  func recordUse(of id: String, tokens: Int64, date: Date?) async throws
  /// The models whose files should be deleted, so that `bytes` more fit into the configuration's storage settings.
  func modelsToEvict(
    toFit bytes: Int64, freeBytes: Int64?, keeping kept: Set<String>, by configurationID: String
  ) async throws -> [ModelMetadata]
  /// Marks models as not downloaded. Returns the files to delete.
  func evict(_ ids: [String], relativeTo folder: URL?) async throws -> [URL]
  /// Looks for the files of models, and marks missing ones.
  @discardableResult
  func checkModelFiles(relativeTo folder: URL?) async throws -> ModelFileCheck
}

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

extension InferenceStore: ConfigurationRepository, ModelMetadataRepository, GenerationAnalyticsRepository, TelemetryRepository {}
