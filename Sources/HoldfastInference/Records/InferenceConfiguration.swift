public import Foundation
public import Holdfast

/// The settings of an SDK: where requests go, what is recorded, how text is generated, what is kept.
///
/// A saved configuration is loaded equal in every field. The defaults are private: nothing leaves the device, and nothing is recorded.
public struct InferenceConfiguration: Sendable, Hashable, Identifiable {
  /// The id of an app's single configuration.
  public static let defaultID = "default"

  /// Any text but an empty one. Default `defaultID`.
  public var id: String
  /// The name of the secret with the API's key; nil for none. The key itself is stored separately: see `InferenceStore.setSecret`.
  public var apiKeyReference: String?
  /// The address of the API; nil for the SDK's own.
  public var baseURL: String?
  /// How many models stay in memory; nil for the SDK's own number.
  public var modelCacheSize: Int?
  /// The memory that models may use; nil for the SDK's own limit.
  public var maxMemoryUsageMegabytes: Int?
  /// The rule in force.
  public var routing: Routing
  /// Further rules, in order; not in force.
  public var otherRoutings: [Routing]
  /// What is recorded and sent.
  public var analytics: Analytics
  /// Settings for generating text.
  public var generation: GenerationSettings
  /// Limits for stored models and caches.
  public var storage: Storage
  /// Whether people may change what a server has set. Default false. `Documentation/InferenceSync.md` lists what never comes
  /// from a server.
  public var allowsUserOverride: Bool
  /// To the millisecond.
  public var createdAt: Date
  /// To the millisecond. A sync compares it.
  public var updatedAt: Date

  /// The private defaults, or the given values. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(
    id: String = defaultID, apiKeyReference: String? = nil, baseURL: String? = nil, modelCacheSize: Int? = nil,
    maxMemoryUsageMegabytes: Int? = nil, routing: Routing = Routing(), otherRoutings: [Routing] = [], analytics: Analytics = Analytics(),
    generation: GenerationSettings = GenerationSettings(), storage: Storage = Storage(), allowsUserOverride: Bool = false,
    createdAt: Date, updatedAt: Date? = nil
  ) {
    self.id = id
    self.apiKeyReference = apiKeyReference
    self.baseURL = baseURL
    self.modelCacheSize = modelCacheSize
    self.maxMemoryUsageMegabytes = maxMemoryUsageMegabytes
    self.routing = routing
    self.otherRoutings = otherRoutings
    self.analytics = analytics
    self.generation = generation
    self.storage = storage
    self.allowsUserOverride = allowsUserOverride
    self.createdAt = DateCodec.rounded(createdAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt)
  }

  /// What is recorded and sent.
  public struct Analytics: Sendable, Hashable, Codable {
    /// Whether anything is recorded. Default false.
    public var isEnabled: Bool
    /// How much is recorded. Default: nothing.
    public var level: AnalyticsLevel
    /// Whether numbers are shown while text is generated. Default false.
    public var areLiveMetricsEnabled: Bool
    /// The person's consent. Default: denied.
    public var telemetryConsent: TelemetryConsent
    /// Whether events name their device: device info, and properties with `device` in their name. Default false.
    public var includesDeviceInfo: Bool
    /// Whether events name their model: properties with `model` in their name. Default false. The registry and the history are
    /// sent with their models, if the consent allows it.
    public var includesModelInfo: Bool
    /// Events in one request. Default 100.
    public var batchSize: Int
    /// Seconds between two requests. Default 300.
    public var submissionIntervalSeconds: Double
    /// False excludes all events but errors and performance. Nil: the level decides.
    public var areMetricsEnabled: Bool?
    /// False excludes errors. Nil: errors are included.
    public var isErrorReportingEnabled: Bool?
    /// False excludes performance; true includes it also below the level `detailed`. Nil: the level decides.
    public var isPerformanceTrackingEnabled: Bool?

    /// The private defaults, or the given values.
    public init(
      isEnabled: Bool = false, level: AnalyticsLevel = .none, areLiveMetricsEnabled: Bool = false,
      telemetryConsent: TelemetryConsent = .denied, includesDeviceInfo: Bool = false, includesModelInfo: Bool = false,
      batchSize: Int = 100, submissionIntervalSeconds: Double = 300, areMetricsEnabled: Bool? = nil,
      isErrorReportingEnabled: Bool? = nil, isPerformanceTrackingEnabled: Bool? = nil
    ) {
      self.isEnabled = isEnabled
      self.level = level
      self.areLiveMetricsEnabled = areLiveMetricsEnabled
      self.telemetryConsent = telemetryConsent
      self.includesDeviceInfo = includesDeviceInfo
      self.includesModelInfo = includesModelInfo
      self.batchSize = batchSize
      self.submissionIntervalSeconds = submissionIntervalSeconds
      self.areMetricsEnabled = areMetricsEnabled
      self.isErrorReportingEnabled = isErrorReportingEnabled
      self.isPerformanceTrackingEnabled = isPerformanceTrackingEnabled
    }
  }

  /// Limits for stored models and caches. `InferenceStore.modelsToEvict` names the models that go by them.
  public struct Storage: Sendable, Hashable, Codable {
    /// The largest size of the cache. Default 1 GiB.
    public var maxCacheSizeBytes: Int64
    /// Which models are removed first. Default: the least recently used.
    public var evictionPolicy: CacheEviction
    /// The folder of models, in the app's own folder. Default `RunAnywhere`.
    public var directoryName: String
    /// Whether the cache is cleaned automatically. Default true.
    public var isAutoCleanupEnabled: Bool
    /// Seconds between two automatic clean-ups. Default one day.
    public var autoCleanupIntervalSeconds: Double
    /// Free space to leave on the disk. Default 500 MB.
    public var minimumFreeSpaceBytes: Int64
    /// Whether stored models are compressed. Default false.
    public var isCompressionEnabled: Bool
    /// The fill level of the cache, in percent, at which a clean-up begins; nil when not given.
    public var cleanupThresholdPercent: Int?
    /// How long an unused model is kept; nil when not given.
    public var modelRetentionDays: Int?

    /// The defaults, or the given values.
    public init(
      maxCacheSizeBytes: Int64 = 1_073_741_824, evictionPolicy: CacheEviction = .leastRecentlyUsed, directoryName: String = "RunAnywhere",
      isAutoCleanupEnabled: Bool = true, autoCleanupIntervalSeconds: Double = 86_400, minimumFreeSpaceBytes: Int64 = 500_000_000,
      isCompressionEnabled: Bool = false, cleanupThresholdPercent: Int? = nil, modelRetentionDays: Int? = nil
    ) {
      self.maxCacheSizeBytes = maxCacheSizeBytes
      self.evictionPolicy = evictionPolicy
      self.directoryName = directoryName
      self.isAutoCleanupEnabled = isAutoCleanupEnabled
      self.autoCleanupIntervalSeconds = autoCleanupIntervalSeconds
      self.minimumFreeSpaceBytes = minimumFreeSpaceBytes
      self.isCompressionEnabled = isCompressionEnabled
      self.cleanupThresholdPercent = cleanupThresholdPercent
      self.modelRetentionDays = modelRetentionDays
    }
  }
}
