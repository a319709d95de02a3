public import Foundation
public import Holdfast

/// What an SDK has been told: where requests go, what is recorded, how text is made, what is kept.
///
/// A configuration that is saved comes back equal in every field. Its defaults are the private ones: nothing leaves the device, and
/// nothing is recorded.
public struct InferenceConfiguration: Sendable, Hashable, Identifiable {
  /// What the one configuration of an app is called.
  public static let defaultID = "default"

  /// Not empty. Default `defaultID`.
  public var id: String
  /// The secret that holds the key of the API; nil when there is none. The key itself is never here: see `InferenceStore.setSecret`.
  public var apiKeyReference: String?
  /// Where the API is; nil is the SDK's own.
  public var baseURL: String?
  /// How many models are kept in memory; nil is the SDK's own.
  public var modelCacheSize: Int?
  /// What models may take of the memory; nil is the SDK's own.
  public var maxMemoryUsageMegabytes: Int?
  /// The rule in force.
  public var routing: Routing
  /// Rules that wait, in order.
  public var otherRoutings: [Routing]
  /// What is recorded and sent.
  public var analytics: Analytics
  /// How text is made.
  public var generation: GenerationSettings
  /// What is kept of models and caches.
  public var storage: Storage
  /// Whether people may change what a server has set. Default false; see `Documentation/InferenceSync.md` for what never comes from a
  /// server.
  public var allowsUserOverride: Bool
  /// To the millisecond.
  public var createdAt: Date
  /// To the millisecond; what a merge compares.
  public var updatedAt: Date

  /// The private defaults, or others. Dates are rounded to the millisecond, so that what is loaded equals what was saved.
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
  public struct Analytics: Sendable, Hashable {
    /// Default false.
    public var isEnabled: Bool
    /// Default: nothing.
    public var level: AnalyticsLevel
    /// Whether figures are shown while text is made. Default false.
    public var areLiveMetricsEnabled: Bool
    /// Default: denied.
    public var telemetryConsent: TelemetryConsent
    /// Whether events say on which device they came about: their device info, and properties with `device` in their name. Default false.
    public var includesDeviceInfo: Bool
    /// Whether events say which model they are about: properties with `model` in their name. Default false. The registry and the history
    /// are sent with their models, as far as the consent goes.
    public var includesModelInfo: Bool
    /// Events to a request. Default 100.
    public var batchSize: Int
    /// Between two requests. Default 300.
    public var submissionIntervalSeconds: Double
    /// False: no events but errors and performance. Nil when nobody said: as the level says.
    public var areMetricsEnabled: Bool?
    /// False: no errors among the events. Nil when nobody said.
    public var isErrorReportingEnabled: Bool?
    /// False: no performance among the events; true: performance below `detailed`, too. Nil when nobody said: as the level says.
    public var isPerformanceTrackingEnabled: Bool?

    /// The private defaults, or others.
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

  /// What is kept of models and caches.
  public struct Storage: Sendable, Hashable {
    /// Default 1 GiB.
    public var maxCacheSizeBytes: Int64
    /// Default: what was used longest ago goes first.
    public var evictionPolicy: CacheEviction
    /// Where models are, below the app's own folder. Default `RunAnywhere`.
    public var directoryName: String
    /// Default true.
    public var isAutoCleanupEnabled: Bool
    /// Between two clean-ups. Default one day.
    public var autoCleanupIntervalSeconds: Double
    /// What is left free on the disk. Default 500 MB.
    public var minimumFreeSpaceBytes: Int64
    /// Default false.
    public var isCompressionEnabled: Bool
    /// How full the cache is, in percent, when a clean-up begins; nil when nobody said.
    public var cleanupThresholdPercent: Int?
    /// How long a model that nobody uses is kept; nil when nobody said.
    public var modelRetentionDays: Int?

    /// The defaults, or others.
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
