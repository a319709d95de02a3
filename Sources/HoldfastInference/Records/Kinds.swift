public import Holdfast

// Kinds of a configuration, a session or an event: lists to which SDKs and servers still add. Each accepts any text, so a value
// that this version does not know is kept word for word.

/// Where requests go.
public typealias RoutingPolicy = OpenWord<RoutingPolicies>
/// The type that distinguishes `RoutingPolicy` from other words.
public enum RoutingPolicies {}

extension RoutingPolicy {
  /// The SDK decides for each request.
  public static var automatic: Self { "automatic" }
  /// On the device whenever possible.
  public static var preferDevice: Self { "preferDevice" }
  /// Never to the cloud. The default.
  public static var deviceOnly: Self { "deviceOnly" }
  /// To the cloud whenever there is one.
  public static var preferCloud: Self { "preferCloud" }
  /// By `Routing.customRules`.
  public static var custom: Self { "custom" }
}

/// How prompts are protected.
public typealias PrivacyMode = OpenWord<PrivacyModes>
/// The type that distinguishes `PrivacyMode` from other words.
public enum PrivacyModes {}

extension PrivacyMode {
  /// As the routing decides.
  public static var standard: Self { "standard" }
  /// Nothing personal leaves the device. The default.
  public static var strict: Self { "strict" }
  /// By rules of the app.
  public static var custom: Self { "custom" }
}

/// The person's consent to telemetry.
public typealias TelemetryConsent = OpenWord<TelemetryConsents>
/// The type that distinguishes `TelemetryConsent` from other words.
public enum TelemetryConsents {}

extension TelemetryConsent {
  /// Everything may be recorded and sent.
  public static var granted: Self { "granted" }
  /// Errors and performance only, without properties that name a device, a session or a person.
  public static var limited: Self { "limited" }
  /// Nothing is recorded and nothing is sent. The default.
  public static var denied: Self { "denied" }
}

/// How much is recorded within the consent. An unknown level records as much as `basic`.
public typealias AnalyticsLevel = OpenWord<AnalyticsLevels>
/// The type that distinguishes `AnalyticsLevel` from other words.
public enum AnalyticsLevels {}

extension AnalyticsLevel {
  /// Nothing. The default.
  public static var none: Self { "none" }
  /// Events, but no events of performance, unless `isPerformanceTrackingEnabled` is true, and none of memory.
  public static var basic: Self { "basic" }
  /// Also events of performance, but none of memory.
  public static var detailed: Self { "detailed" }
  /// All events.
  public static var verbose: Self { "verbose" }
}

/// Which models are removed first when the cache is full.
public typealias CacheEviction = OpenWord<CacheEvictions>
/// The type that distinguishes `CacheEviction` from other words.
public enum CacheEvictions {}

extension CacheEviction {
  /// The model that was used longest ago. The default.
  public static var leastRecentlyUsed: Self { "lru" }
  /// The model that was used least often.
  public static var leastFrequentlyUsed: Self { "lfu" }
  /// The model that was stored first.
  public static var firstInFirstOut: Self { "fifo" }
  /// The largest model.
  public static var largestFirst: Self { "largest_first" }
}

/// Where a generation ran.
public typealias ExecutionTarget = OpenWord<ExecutionTargets>
/// The type that distinguishes `ExecutionTarget` from other words.
public enum ExecutionTargets {}

extension ExecutionTarget {
  /// On the device.
  public static var onDevice: Self { "onDevice" }
  /// On a server.
  public static var cloud: Self { "cloud" }
  /// Partly on the device, partly on a server.
  public static var hybrid: Self { "hybrid" }
}

/// The purpose of a session.
public typealias SessionType = OpenWord<SessionTypes>
/// The type that distinguishes `SessionType` from other words.
public enum SessionTypes {}

extension SessionType {
  /// A conversation.
  public static var chat: Self { "chat" }
  /// Work on a text.
  public static var document: Self { "document" }
  /// Work on code.
  public static var codeAssistant: Self { "codeAssistant" }
  /// Many prompts in the background.
  public static var batch: Self { "batch" }
  /// An answer that is shown while it is generated.
  public static var streaming: Self { "streaming" }
  /// One prompt, one answer.
  public static var singleGeneration: Self { "singleGeneration" }
}

/// The type of a telemetry event.
public typealias TelemetryEventType = OpenWord<TelemetryEventTypes>
/// The type that distinguishes `TelemetryEventType` from other words.
public enum TelemetryEventTypes {}

extension TelemetryEventType {
  /// A model was loaded.
  public static var modelLoaded: Self { "model_loaded" }
  /// A generation began.
  public static var generationStarted: Self { "generation_started" }
  /// A generation ended without an error.
  public static var generationCompleted: Self { "generation_completed" }
  /// An error.
  public static var error: Self { "error" }
  /// The duration of an operation.
  public static var performance: Self { "performance" }
  /// The memory that an operation used.
  public static var memory: Self { "memory" }
  /// An event of the app's own.
  public static var custom: Self { "custom" }
}
