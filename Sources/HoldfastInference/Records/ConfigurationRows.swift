import Foundation
import Holdfast

// One configuration consists of a row of `configuration`, `analytics_config` and `storage_config` each, and its routing policies.

/// A row of `configuration`: the fields outside analytics, storage and routing.
struct ConfigurationRow: StoredRecord, Hashable {
  static let table = "configuration"
  static let columns = [
    "id", "api_key_reference", "base_url", "model_cache_size", "max_memory_usage_mb", "allows_user_override", "temperature", "max_tokens",
    "top_p", "top_k", "repetition_penalty", "stop_sequences", "max_tokens_per_request", "max_tokens_per_day", "max_tokens_per_month",
    "enforces_token_budget", "framework_preferences", "max_context_length", "extracts_thinking", "thinking_open_tag", "thinking_close_tag",
    "created_at", "updated_at",
  ]

  /// As it is read, its routing, analytics and storage are the defaults.
  var configuration: InferenceConfiguration

  init(_ configuration: InferenceConfiguration) { self.configuration = configuration }

  init(row: inout StoredRow) throws {
    let (id, apiKeyReference, baseURL) = (try row.text(), try row.textOrNil(), try row.textOrNil())
    let (modelCacheSize, maxMemoryUsageMegabytes) = (try row.intOrNil(), try row.intOrNil())
    let allowsUserOverride = try row.bool()
    var generation = GenerationSettings()
    generation.temperature = try row.double()
    generation.maxTokens = try row.int()
    generation.topP = try row.double()
    generation.topK = try row.intOrNil()
    generation.repetitionPenalty = try row.doubleOrNil()
    generation.stopSequences = try row.textsOrNil()
    let (request, day, month) = (try row.intOrNil(), try row.intOrNil(), try row.intOrNil())
    // NULL means no budget, which differs from a budget without limits.
    generation.tokenBudget = try row.boolOrNil().map {
      .init(maxTokensPerRequest: request, maxTokensPerDay: day, maxTokensPerMonth: month, isEnforcedStrictly: $0)
    }
    generation.frameworkPreferences = try (row.textsOrNil() ?? []).map(ModelFramework.init(rawValue:))
    generation.maxContextLength = try row.int()
    generation.isThinkingExtractionEnabled = try row.bool()
    generation.thinkingTags = try row.thinkingTagsOrNil()
    configuration = InferenceConfiguration(
      id: id, apiKeyReference: apiKeyReference, baseURL: baseURL, modelCacheSize: modelCacheSize,
      maxMemoryUsageMegabytes: maxMemoryUsageMegabytes, generation: generation, allowsUserOverride: allowsUserOverride,
      createdAt: try row.date(), updatedAt: try row.date())
  }

  func encode(into values: inout Values) throws {
    let generation = configuration.generation
    try values.text(configuration.id)
    try values.text(configuration.apiKeyReference)
    try values.text(configuration.baseURL)
    try values.int(configuration.modelCacheSize)
    try values.int(configuration.maxMemoryUsageMegabytes)
    try values.bool(configuration.allowsUserOverride)
    try values.finite(generation.temperature)
    try values.int(generation.maxTokens)
    try values.finite(generation.topP)
    try values.int(generation.topK)
    try values.finite(generation.repetitionPenalty)
    try values.texts(generation.stopSequences)
    try values.int(generation.tokenBudget?.maxTokensPerRequest)
    try values.int(generation.tokenBudget?.maxTokensPerDay)
    try values.int(generation.tokenBudget?.maxTokensPerMonth)
    try values.bool(generation.tokenBudget?.isEnforcedStrictly)
    try values.texts(generation.frameworkPreferences.map(\.rawValue))
    try values.int(generation.maxContextLength)
    try values.bool(generation.isThinkingExtractionEnabled)
    try values.thinkingTags(generation.thinkingTags)
    try values.date(configuration.createdAt)
    try values.date(configuration.updatedAt)
  }
}

/// A row of `analytics_config`. Its columns are its own and those of the settings.
struct AnalyticsRow: StoredRecord, Codable, Hashable {
  static let table = "analytics_config"
  static let key = ["configuration_id"]

  var configurationID: String
  var analytics: InferenceConfiguration.Analytics

  private enum CodingKeys: CodingKey { case configurationID }

  init(_ analytics: InferenceConfiguration.Analytics, of configurationID: String) {
    self.configurationID = configurationID
    self.analytics = analytics
  }

  init(from decoder: any Decoder) throws {
    configurationID = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .configurationID)
    analytics = try InferenceConfiguration.Analytics(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var own = encoder.container(keyedBy: CodingKeys.self)
    try own.encode(configurationID, forKey: .configurationID)
    try analytics.encode(to: encoder)
  }
}

/// A row of `storage_config`; as `AnalyticsRow`.
struct StorageRow: StoredRecord, Codable, Hashable {
  static let table = "storage_config"
  static let key = ["configuration_id"]

  var configurationID: String
  var storage: InferenceConfiguration.Storage

  private enum CodingKeys: CodingKey { case configurationID }

  init(_ storage: InferenceConfiguration.Storage, of configurationID: String) {
    self.configurationID = configurationID
    self.storage = storage
  }

  init(from decoder: any Decoder) throws {
    configurationID = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .configurationID)
    storage = try InferenceConfiguration.Storage(from: decoder)
  }

  func encode(to encoder: any Encoder) throws {
    var own = encoder.container(keyedBy: CodingKeys.self)
    try own.encode(configurationID, forKey: .configurationID)
    try storage.encode(to: encoder)
  }
}
