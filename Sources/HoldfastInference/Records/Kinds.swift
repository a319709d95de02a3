public import Holdfast

// What a configuration, a session or an event is: lists that SDKs and servers still add to. Each takes any text, so a value that
// this version does not know survives word for word.

/// Where requests go.
public typealias RoutingPolicy = OpenWord<RoutingPolicies>
/// Tells `RoutingPolicy` from other words.
public enum RoutingPolicies {}

extension RoutingPolicy {
  /// The SDK decides for each request.
  public static var automatic: Self { "automatic" }
  /// On the device where it can be done there.
  public static var preferDevice: Self { "preferDevice" }
  /// Never into the cloud. The default.
  public static var deviceOnly: Self { "deviceOnly" }
  /// Into the cloud where there is one.
  public static var preferCloud: Self { "preferCloud" }
  /// By `Routing.customRules`.
  public static var custom: Self { "custom" }
}

/// How carefully prompts are treated.
public typealias PrivacyMode = OpenWord<PrivacyModes>
/// Tells `PrivacyMode` from other words.
public enum PrivacyModes {}

extension PrivacyMode {
  /// As the routing says.
  public static var standard: Self { "standard" }
  /// Nothing personal leaves the device. The default.
  public static var strict: Self { "strict" }
  /// By rules of the app.
  public static var custom: Self { "custom" }
}

/// What a person has agreed to.
public typealias TelemetryConsent = OpenWord<TelemetryConsents>
/// Tells `TelemetryConsent` from other words.
public enum TelemetryConsents {}

extension TelemetryConsent {
  /// Everything may be recorded and sent.
  public static var granted: Self { "granted" }
  /// Errors and performance only, without properties that name a device, a session or a person.
  public static var limited: Self { "limited" }
  /// Nothing is recorded and nothing is sent. The default.
  public static var denied: Self { "denied" }
}

/// How much is recorded of what a person has agreed to. A level that nobody knows records as much as `basic`.
public typealias AnalyticsLevel = OpenWord<AnalyticsLevels>
/// Tells `AnalyticsLevel` from other words.
public enum AnalyticsLevels {}

extension AnalyticsLevel {
  /// Nothing. The default.
  public static var none: Self { "none" }
  /// What happened: no events of performance, unless `isPerformanceTrackingEnabled` is true, and none of memory.
  public static var basic: Self { "basic" }
  /// And how long it took: no events of memory.
  public static var detailed: Self { "detailed" }
  /// Everything there is.
  public static var verbose: Self { "verbose" }
}

/// What goes first when the cache of models is full.
public typealias CacheEviction = OpenWord<CacheEvictions>
/// Tells `CacheEviction` from other words.
public enum CacheEvictions {}

extension CacheEviction {
  /// What was used longest ago. The default.
  public static var leastRecentlyUsed: Self { "lru" }
  /// What was used least often.
  public static var leastFrequentlyUsed: Self { "lfu" }
  /// What came first.
  public static var firstInFirstOut: Self { "fifo" }
  /// What is largest.
  public static var largestFirst: Self { "largest_first" }
}

/// Where a generation ran.
public typealias ExecutionTarget = OpenWord<ExecutionTargets>
/// Tells `ExecutionTarget` from other words.
public enum ExecutionTargets {}

extension ExecutionTarget {
  /// On the device.
  public static var onDevice: Self { "onDevice" }
  /// On a server.
  public static var cloud: Self { "cloud" }
  /// Partly here, partly there.
  public static var hybrid: Self { "hybrid" }
}

/// What a session is for.
public typealias SessionType = OpenWord<SessionTypes>
/// Tells `SessionType` from other words.
public enum SessionTypes {}

extension SessionType {
  /// A conversation.
  public static var chat: Self { "chat" }
  /// Work on a text.
  public static var document: Self { "document" }
  /// Work on code.
  public static var codeAssistant: Self { "codeAssistant" }
  /// Many prompts without anybody waiting.
  public static var batch: Self { "batch" }
  /// An answer that is read while it is written.
  public static var streaming: Self { "streaming" }
  /// One prompt, one answer.
  public static var singleGeneration: Self { "singleGeneration" }
}

/// What an event is about.
public typealias TelemetryEventType = OpenWord<TelemetryEventTypes>
/// Tells `TelemetryEventType` from other words.
public enum TelemetryEventTypes {}

extension TelemetryEventType {
  /// A model was loaded.
  public static var modelLoaded: Self { "model_loaded" }
  /// A generation began.
  public static var generationStarted: Self { "generation_started" }
  /// A generation ended well.
  public static var generationCompleted: Self { "generation_completed" }
  /// Something failed.
  public static var error: Self { "error" }
  /// How long something took.
  public static var performance: Self { "performance" }
  /// How much memory something took.
  public static var memory: Self { "memory" }
  /// Whatever the app says.
  public static var custom: Self { "custom" }
}
