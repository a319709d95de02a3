import Foundation
import Holdfast
import HoldfastTransfer

// `configuration` of the first database, whose JSON had four shapes within two days:
//
//   1  {id, settings: {S: S}, updatedAt, syncPending}
//   2  {id, temperature, maxTokens, topP, topK, cloudRoutingEnabled, privacyModeEnabled, routingPolicy, allowUserOverride, apiKey?, …}
//   3  2 with analyticsEnabled, analyticsLevel, enableLiveMetrics
//   4  {id, routing {…}, analytics {…}, generation {…}, storage {…}, apiKey?, allowUserOverride, createdAt, …}
//
// The settings of 1 are the members of 2 and 3 as texts. What a shape does not say is the private default. 2 and 3 become 4 as the SDK
// made them 4: privacy mode is strict or standard, a policy that it does not know keeps requests on the device, a level that it does not
// know is basic; the last two are told. Of these shapes only 4 says when it was made: the others were, at the latest, when they changed.

/// The shape of one configuration in the first database.
enum ConfigurationShape: Int, Sendable {
  case settings = 1
  case flat
  case flatWithAnalytics
  case nested

  private static let parts = ["routing", "analytics", "generation", "storage"]
  private static let analytics = ["analyticsEnabled", "analyticsLevel", "enableLiveMetrics"]
  /// Those of the members of 2 and 3 that are no texts.
  private static let texts: Set = ["routingPolicy", "analyticsLevel", "apiKey"]
  private static let names: Set = [
    "temperature", "maxTokens", "topP", "topK", "cloudRoutingEnabled", "privacyModeEnabled", "routingPolicy", "allowUserOverride",
    "analyticsEnabled", "analyticsLevel", "enableLiveMetrics",
  ]

  init(_ object: [String: JSONValue]) {
    func has(_ names: [String]) -> Bool { names.contains { object[$0] != nil } }
    self = has(Self.parts) ? .nested : has(["settings"]) ? .settings : has(Self.analytics) ? .flatWithAnalytics : .flat
  }

  var fields: [LegacyField<InferenceConfiguration>] { self == .nested ? ConfigurationFields.nested : ConfigurationFields.flat }

  /// The members in the form that `fields` reads.
  func members(_ object: [String: JSONValue]) -> LegacyMembers {
    guard self != .nested else {
      var members = LegacyMembers(
        object, nested: Self.parts + ["generation.defaults", "generation.tokenBudget", "generation.thinkingPattern"])
      members.pair("generation.thinkingPattern.openingTag", "generation.thinkingPattern.closingTag", as: "generation.thinkingPattern")
      return members
    }
    var members = LegacyMembers(object)
    if self == .settings { Self.takeSettings(&members) }
    let policies: [RoutingPolicy] = [.automatic, .preferDevice, .deviceOnly, .preferCloud, .custom]
    if let policy = members.text("routingPolicy"), !policies.map(\.rawValue).contains(policy) {
      members.replace("routingPolicy", by: .string(RoutingPolicy.deviceOnly.rawValue), "no policy of the SDK: deviceOnly, as it made it")
    }
    let levels: [AnalyticsLevel] = [.none, .basic, .detailed, .verbose]
    if let level = members.text("analyticsLevel"), !levels.map(\.rawValue).contains(level) {
      members.replace("analyticsLevel", by: .string(AnalyticsLevel.basic.rawValue), "no level of the SDK: basic, as it made it")
    }
    return members
  }

  private static func takeSettings(_ members: inout LegacyMembers) {
    let settings = members.remove("settings")
    guard case .object(let settings) = settings else {
      if settings != .null { members.fail("settings should be an object") }
      return
    }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      guard names.contains(name) else {
        members.set("settings.\(name)", value)
        continue
      }
      if case .string(let text) = value, !texts.contains(name) {
        members.set(name, JSONValue(json: text) ?? value)
      } else {
        members.set(name, value)
      }
    }
  }
}

/// The fields of each form, without the key of the API: that is a record of its own.
enum ConfigurationFields {
  private typealias Field = LegacyField<InferenceConfiguration>

  static let flat: [LegacyField<InferenceConfiguration>] = [
    Field.text("id", \.id).required,
    .double("temperature", \.generation.temperature),
    .int("maxTokens", \.generation.maxTokens),
    .double("topP", \.generation.topP),
    .intOrNil("topK", \.generation.topK),
    .bool("cloudRoutingEnabled", \.routing.isCloudEnabled),
    strictness("privacyModeEnabled"),
    .text("routingPolicy", \.routing.policy.rawValue),
    .bool("allowUserOverride", \.allowsUserOverride),
    .bool("analyticsEnabled", \.analytics.isEnabled),
    .text("analyticsLevel", \.analytics.level.rawValue),
    .bool("enableLiveMetrics", \.analytics.areLiveMetricsEnabled),
    .date("createdAt", \.createdAt, .since2001),
    .date("updatedAt", \.updatedAt, .since2001),
  ]

  static let nested: [LegacyField<InferenceConfiguration>] = [
    Field.text("id", \.id).required,
    .text("routing.policy", \.routing.policy.rawValue),
    .bool("routing.cloudEnabled", \.routing.isCloudEnabled),
    .text("routing.privacyMode", \.routing.privacyMode.rawValue),
    .base64("routing.customRules", \.routing.customRules),
    .doubleOrNil("routing.maxLatencyThreshold", \.routing.maxLatencyThreshold),
    .doubleOrNil("routing.minConfidenceScore", \.routing.minConfidenceScore),
    .bool("analytics.enabled", \.analytics.isEnabled),
    .text("analytics.level", \.analytics.level.rawValue),
    .bool("analytics.liveMetricsEnabled", \.analytics.areLiveMetricsEnabled),
    .text("analytics.telemetryConsent", \.analytics.telemetryConsent.rawValue),
    .bool("analytics.includeDeviceInfo", \.analytics.includesDeviceInfo),
    .bool("analytics.includeModelInfo", \.analytics.includesModelInfo),
    .int("analytics.batchSize", \.analytics.batchSize),
    .double("analytics.submissionInterval", \.analytics.submissionIntervalSeconds),
    .double("generation.defaults.temperature", \.generation.temperature),
    .int("generation.defaults.maxTokens", \.generation.maxTokens),
    .double("generation.defaults.topP", \.generation.topP),
    .intOrNil("generation.defaults.topK", \.generation.topK),
    .doubleOrNil("generation.defaults.repetitionPenalty", \.generation.repetitionPenalty),
    .textsOrNil("generation.defaults.stopSequences", \.generation.stopSequences),
    // First: that there is one makes a budget.
    .boolOrNil("generation.tokenBudget.enforceStrictly", \.generation.budgetIsStrict).required(in: "generation.tokenBudget"),
    .intOrNil("generation.tokenBudget.maxTokensPerRequest", \.generation.budgetPerRequest),
    .intOrNil("generation.tokenBudget.maxTokensPerDay", \.generation.budgetPerDay),
    .intOrNil("generation.tokenBudget.maxTokensPerMonth", \.generation.budgetPerMonth),
    .texts("generation.frameworkPreferences", \.generation.frameworkTexts),
    .int("generation.maxContextLength", \.generation.maxContextLength),
    .bool("generation.enableThinkingExtraction", \.generation.isThinkingExtractionEnabled),
    .thinkingTags("generation.thinkingPattern", \.generation.thinkingTags),
    .int64("storage.maxCacheSize", \.storage.maxCacheSizeBytes),
    .text("storage.evictionPolicy", \.storage.evictionPolicy.rawValue),
    .text("storage.directoryName", \.storage.directoryName),
    .bool("storage.enableAutoCleanup", \.storage.isAutoCleanupEnabled),
    .double("storage.autoCleanupInterval", \.storage.autoCleanupIntervalSeconds),
    .int64("storage.minimumFreeSpace", \.storage.minimumFreeSpaceBytes),
    .bool("storage.enableCompression", \.storage.isCompressionEnabled),
    .bool("allowUserOverride", \.allowsUserOverride),
    .date("createdAt", \.createdAt, .since2001),
    .date("updatedAt", \.updatedAt, .since2001),
  ]

  /// The columns of `configuration` of the second database.
  static let columns: [LegacyField<InferenceConfiguration>] = [
    Field.text("id", \.id).required,
    .textOrNil("base_url", \.baseURL),
    .intOrNil("model_cache_size", \.modelCacheSize),
    .intOrNil("max_memory_usage_mb", \.maxMemoryUsageMegabytes),
    .text("privacy_mode", \.routing.privacyMode.rawValue),
    .text(
      "telemetry_consent", \.analytics.telemetryConsent.rawValue,
      words: [("none", "denied"), ("anonymous", "limited"), ("detailed", "granted")]),
    .date("created_at", \.createdAt, .sqlText),
    .date("updated_at", \.updatedAt, .sqlText),
  ]

  private static func strictness(_ name: String) -> Field {
    Field(name, "true or false", .keeps, \.routing.privacyMode) { mode in
      switch mode {
      case .strict: .bool(true)
      case .standard: .bool(false)
      default: .string(mode.rawValue)
      }
    } read: { value in
      LegacyValue.bool(value).map { Written(value: $0.value ? .strict : .standard, text: $0.text) }
    }
  }

  /// - Parameter id: of the configuration that is read; nil where it has none.
  static func table(
    _ fields: [LegacyField<InferenceConfiguration>], of id: String?, in reader: Reader
  ) throws -> LegacyTable<InferenceConfiguration> {
    LegacyTable(
      kind: ConfigurationRow.table, fields: fields, idColumn: "id", key: { $0.id },
      updatedAt: { $0.updatedAt }, note: try id.flatMap { try FurtherRoutings.note(on: $0, in: reader) },
      find: { try InferenceStore.configuration($0.id, in: $1) },
      put: { configuration, tx in
        try InferenceStore.save(configuration, in: tx)
        try FurtherRoutings.remove(of: configuration.id, in: tx)
      })
  }
}

extension GenerationSettings {
  fileprivate var frameworkTexts: [String] {
    get { frameworkPreferences.map(\.rawValue) }
    set { frameworkPreferences = newValue.map(ModelFramework.init(rawValue:)) }
  }

  fileprivate var budgetIsStrict: Bool? {
    get { tokenBudget?.isEnforcedStrictly }
    set {
      guard let newValue else {
        tokenBudget = nil
        return
      }
      if tokenBudget == nil { tokenBudget = TokenBudget() }
      tokenBudget?.isEnforcedStrictly = newValue
    }
  }

  fileprivate var budgetPerRequest: Int? {
    get { tokenBudget?.maxTokensPerRequest }
    set { tokenBudget?.maxTokensPerRequest = newValue }
  }

  fileprivate var budgetPerDay: Int? {
    get { tokenBudget?.maxTokensPerDay }
    set { tokenBudget?.maxTokensPerDay = newValue }
  }

  fileprivate var budgetPerMonth: Int? {
    get { tokenBudget?.maxTokensPerMonth }
    set { tokenBudget?.maxTokensPerMonth = newValue }
  }
}
