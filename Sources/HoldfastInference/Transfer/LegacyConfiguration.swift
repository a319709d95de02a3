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
// The settings of 1 are the members of 2 and 3 as texts. Missing values get the private defaults. 2 and 3 are converted to 4 as
// the SDK did it: privacy mode becomes strict or standard, an unknown policy becomes deviceOnly, an unknown level becomes
// basic; the last two are reported. Only 4 has a creation time; for the others the time of change is used.

/// The shape of one configuration in the first database.
enum ConfigurationShape: Int, Sendable {
  case settings = 1
  case flat
  case flatWithAnalytics
  case nested

  private static let parts = ["routing", "analytics", "generation", "storage"]
  private static let analytics = ["analyticsEnabled", "analyticsLevel", "enableLiveMetrics"]
  /// The members of 2 and 3 with text values.
  private static let texts: Set = ["routingPolicy", "analyticsLevel"]
  private static let names = Set(ConfigurationFields.flat.without(["id", "createdAt", "updatedAt"]).fields.map(\.name))

  init(_ object: [String: JSONValue]) {
    func has(_ names: [String]) -> Bool { names.contains { object[$0] != nil } }
    self = has(Self.parts) ? .nested : has(["settings"]) ? .settings : has(Self.analytics) ? .flatWithAnalytics : .flat
  }

  var fields: FieldTable<InferenceConfiguration> { self == .nested ? ConfigurationFields.nested : ConfigurationFields.flat }

  /// The members in the form that `fields` reads.
  func members(_ object: [String: JSONValue]) -> SourceMembers {
    guard self != .nested else {
      var members = SourceMembers(
        object, nested: Self.parts + ["generation.defaults", "generation.tokenBudget", "generation.thinkingPattern"])
      members.pair("generation.thinkingPattern.openingTag", "generation.thinkingPattern.closingTag", as: "generation.thinkingPattern")
      return members
    }
    var members = SourceMembers(object)
    if self == .settings { Self.takeSettings(&members) }
    let policies: [RoutingPolicy] = [.automatic, .preferDevice, .deviceOnly, .preferCloud, .custom]
    if let policy = members.text("routingPolicy"), !policies.map(\.rawValue).contains(policy) {
      members.replace(
        "routingPolicy", by: .string(RoutingPolicy.deviceOnly.rawValue),
        "the SDK has no such policy; imported as deviceOnly, as the SDK read it")
    }
    let levels: [AnalyticsLevel] = [.none, .basic, .detailed, .verbose]
    if let level = members.text("analyticsLevel"), !levels.map(\.rawValue).contains(level) {
      members.replace(
        "analyticsLevel", by: .string(AnalyticsLevel.basic.rawValue), "the SDK has no such level; imported as basic, as the SDK read it")
    }
    return members
  }

  private static func takeSettings(_ members: inout SourceMembers) {
    let settings = members.remove("settings")
    guard case .object(let settings) = settings else {
      if settings != .null { members.fail("settings should be an object") }
      return
    }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
      var read = value
      if case .string(let text) = value, names.contains(name), !texts.contains(name) { read = JSONValue(json: text) ?? value }
      members.set(names.contains(name) ? name : "settings.\(name)", read)
    }
  }
}

/// The fields of each form, without the API's key, which is a record of its own.
enum ConfigurationFields {
  static let flat: FieldTable<InferenceConfiguration> = [
    .required("id", \.id, .text),
    .kept("temperature", \.generation.temperature, .double),
    .kept("maxTokens", \.generation.maxTokens, .int),
    .kept("topP", \.generation.topP, .double),
    .optional("topK", \.generation.topK, .int),
    .kept("cloudRoutingEnabled", \.routing.isCloudEnabled, .bool),
    .kept("privacyModeEnabled", \.routing.privacyMode, strictness),
    .kept("routingPolicy", \.routing.policy, .word),
    .kept("allowUserOverride", \.allowsUserOverride, .bool),
    .kept("analyticsEnabled", \.analytics.isEnabled, .bool),
    .kept("analyticsLevel", \.analytics.level, .word),
    .kept("enableLiveMetrics", \.analytics.areLiveMetricsEnabled, .bool),
    .required("createdAt", \.createdAt, .since2001),
    .required("updatedAt", \.updatedAt, .since2001),
  ]

  static let nested: FieldTable<InferenceConfiguration> = [
    .required("id", \.id, .text),
    .kept("routing.policy", \.routing.policy, .word),
    .kept("routing.cloudEnabled", \.routing.isCloudEnabled, .bool),
    .kept("routing.privacyMode", \.routing.privacyMode, .word),
    .optional("routing.customRules", \.routing.customRules, .base64),
    .optional("routing.maxLatencyThreshold", \.routing.maxLatencyThreshold, .double),
    .optional("routing.minConfidenceScore", \.routing.minConfidenceScore, .double),
    .kept("analytics.enabled", \.analytics.isEnabled, .bool),
    .kept("analytics.level", \.analytics.level, .word),
    .kept("analytics.liveMetricsEnabled", \.analytics.areLiveMetricsEnabled, .bool),
    .kept("analytics.telemetryConsent", \.analytics.telemetryConsent, .word),
    .kept("analytics.includeDeviceInfo", \.analytics.includesDeviceInfo, .bool),
    .kept("analytics.includeModelInfo", \.analytics.includesModelInfo, .bool),
    .kept("analytics.batchSize", \.analytics.batchSize, .int),
    .kept("analytics.submissionInterval", \.analytics.submissionIntervalSeconds, .double),
    .kept("generation.defaults.temperature", \.generation.temperature, .double),
    .kept("generation.defaults.maxTokens", \.generation.maxTokens, .int),
    .kept("generation.defaults.topP", \.generation.topP, .double),
    .optional("generation.defaults.topK", \.generation.topK, .int),
    .optional("generation.defaults.repetitionPenalty", \.generation.repetitionPenalty, .double),
    .optional("generation.defaults.stopSequences", \.generation.stopSequences, .texts),
    // First, because its presence makes a budget.
    .optional("generation.tokenBudget.enforceStrictly", \.generation.budgetIsStrict, .bool).required(in: "generation.tokenBudget"),
    .optional("generation.tokenBudget.maxTokensPerRequest", \.generation.budget.maxTokensPerRequest, .int),
    .optional("generation.tokenBudget.maxTokensPerDay", \.generation.budget.maxTokensPerDay, .int),
    .optional("generation.tokenBudget.maxTokensPerMonth", \.generation.budget.maxTokensPerMonth, .int),
    .kept("generation.frameworkPreferences", \.generation.frameworkTexts, .texts),
    .kept("generation.maxContextLength", \.generation.maxContextLength, .int),
    .kept("generation.enableThinkingExtraction", \.generation.isThinkingExtractionEnabled, .bool),
    .optional("generation.thinkingPattern", \.generation.thinkingTags, .thinkingTags),
    .kept("storage.maxCacheSize", \.storage.maxCacheSizeBytes, .int64),
    .kept("storage.evictionPolicy", \.storage.evictionPolicy, .word),
    .kept("storage.directoryName", \.storage.directoryName, .text),
    .kept("storage.enableAutoCleanup", \.storage.isAutoCleanupEnabled, .bool),
    .kept("storage.autoCleanupInterval", \.storage.autoCleanupIntervalSeconds, .double),
    .kept("storage.minimumFreeSpace", \.storage.minimumFreeSpaceBytes, .int64),
    .kept("storage.enableCompression", \.storage.isCompressionEnabled, .bool),
    .kept("allowUserOverride", \.allowsUserOverride, .bool),
    .required("createdAt", \.createdAt, .since2001),
    .required("updatedAt", \.updatedAt, .since2001),
  ]

  /// The columns of `configuration` in the second database.
  static let columns: FieldTable<InferenceConfiguration> = [
    .required("id", \.id, .text),
    .optional("base_url", \.baseURL, .text),
    .optional("model_cache_size", \.modelCacheSize, .int),
    .optional("max_memory_usage_mb", \.maxMemoryUsageMegabytes, .int),
    .kept("privacy_mode", \.routing.privacyMode, .word),
    .kept(
      "telemetry_consent", \.analytics.telemetryConsent.rawValue,
      .text([("none", "denied"), ("anonymous", "limited"), ("detailed", "granted")])),
    .required("created_at", \.createdAt, .sqlText),
    .required("updated_at", \.updatedAt, .sqlText),
  ]

  private static let strictness = ValueForm<PrivacyMode>("true or false") { mode in
    switch mode {
    case .strict: .bool(true)
    case .standard: .bool(false)
    default: .string(mode.rawValue)
    }
  } read: { json in
    ValueForm<Bool>.bool.read(json).map { Written(value: $0.value ? .strict : .standard, text: $0.text) }
  }

  /// - Parameter id: the configuration to read; nil when it has no id.
  static func table(
    _ fields: FieldTable<InferenceConfiguration>, of id: String?, in reader: Reader
  ) throws -> LegacyTable<InferenceConfiguration> {
    let kind = RecordKind.sent(
      ConfigurationRow.table, fields, key: { $0.id }, updatedAt: { $0.updatedAt },
      find: { try InferenceStore.configuration($0.row.id, in: $1) },
      put: { configuration, tx in
        try InferenceStore.save(configuration, in: tx)
        try FurtherRoutings.remove(of: configuration.id, in: tx)
      })
    return LegacyTable(kind: kind, note: try id.flatMap { try FurtherRoutings.note(on: $0, in: reader) })
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

  /// The limits of a budget; without a budget they stay nil.
  fileprivate var budget: TokenBudget {
    get { tokenBudget ?? TokenBudget() }
    set { if tokenBudget != nil { tokenBudget = newValue } }
  }
}
