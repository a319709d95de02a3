// What a configuration, a session or an event is: lists that SDKs and servers still add to. Each takes any text, so a value that
// this version does not know survives word for word.

/// Where requests go.
public struct RoutingPolicy: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The SDK decides for each request.
  public static let automatic = RoutingPolicy(rawValue: "automatic")
  /// On the device where it can be done there.
  public static let preferDevice = RoutingPolicy(rawValue: "preferDevice")
  /// Never into the cloud. The default.
  public static let deviceOnly = RoutingPolicy(rawValue: "deviceOnly")
  /// Into the cloud where there is one.
  public static let preferCloud = RoutingPolicy(rawValue: "preferCloud")
  /// By `Routing.customRules`.
  public static let custom = RoutingPolicy(rawValue: "custom")
}

/// How carefully prompts are treated.
public struct PrivacyMode: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// As the routing says.
  public static let standard = PrivacyMode(rawValue: "standard")
  /// Nothing personal leaves the device. The default.
  public static let strict = PrivacyMode(rawValue: "strict")
  /// By rules of the app.
  public static let custom = PrivacyMode(rawValue: "custom")
}

/// What a person has agreed to.
public struct TelemetryConsent: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Everything may be recorded and sent.
  public static let granted = TelemetryConsent(rawValue: "granted")
  /// Errors and performance only, without properties that name a device, a session or a person.
  public static let limited = TelemetryConsent(rawValue: "limited")
  /// Nothing is recorded and nothing is sent. The default.
  public static let denied = TelemetryConsent(rawValue: "denied")
}

/// How much is recorded of what a person has agreed to. A level that nobody knows records as much as `basic`.
public struct AnalyticsLevel: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Nothing. The default.
  public static let none = AnalyticsLevel(rawValue: "none")
  /// What happened: no events of performance, unless `isPerformanceTrackingEnabled` is true, and none of memory.
  public static let basic = AnalyticsLevel(rawValue: "basic")
  /// And how long it took: no events of memory.
  public static let detailed = AnalyticsLevel(rawValue: "detailed")
  /// Everything there is.
  public static let verbose = AnalyticsLevel(rawValue: "verbose")
}

/// What goes first when the cache of models is full.
public struct CacheEviction: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// What was used longest ago. The default.
  public static let leastRecentlyUsed = CacheEviction(rawValue: "lru")
  /// What was used least often.
  public static let leastFrequentlyUsed = CacheEviction(rawValue: "lfu")
  /// What came first.
  public static let firstInFirstOut = CacheEviction(rawValue: "fifo")
  /// What is largest.
  public static let largestFirst = CacheEviction(rawValue: "largest_first")
}

/// Where a generation ran.
public struct ExecutionTarget: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// On the device.
  public static let onDevice = ExecutionTarget(rawValue: "onDevice")
  /// On a server.
  public static let cloud = ExecutionTarget(rawValue: "cloud")
  /// Partly here, partly there.
  public static let hybrid = ExecutionTarget(rawValue: "hybrid")
}

/// What a session is for.
public struct SessionType: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A conversation.
  public static let chat = SessionType(rawValue: "chat")
  /// Work on a text.
  public static let document = SessionType(rawValue: "document")
  /// Work on code.
  public static let codeAssistant = SessionType(rawValue: "codeAssistant")
  /// Many prompts without anybody waiting.
  public static let batch = SessionType(rawValue: "batch")
  /// An answer that is read while it is written.
  public static let streaming = SessionType(rawValue: "streaming")
  /// One prompt, one answer.
  public static let singleGeneration = SessionType(rawValue: "singleGeneration")
}

/// What an event is about.
public struct TelemetryEventType: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A model was loaded.
  public static let modelLoaded = TelemetryEventType(rawValue: "model_loaded")
  /// A generation began.
  public static let generationStarted = TelemetryEventType(rawValue: "generation_started")
  /// A generation ended well.
  public static let generationCompleted = TelemetryEventType(rawValue: "generation_completed")
  /// Something failed.
  public static let error = TelemetryEventType(rawValue: "error")
  /// How long something took.
  public static let performance = TelemetryEventType(rawValue: "performance")
  /// How much memory something took.
  public static let memory = TelemetryEventType(rawValue: "memory")
  /// Whatever the app says.
  public static let custom = TelemetryEventType(rawValue: "custom")
}
