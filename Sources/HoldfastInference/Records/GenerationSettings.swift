/// Settings for generating text.
public struct GenerationSettings: Sendable, Hashable {
  /// 0 is the most predictable. Default 0.7.
  public var temperature: Double
  /// The greatest number of tokens of an answer. Default 256.
  public var maxTokens: Int
  /// From 0 to 1. Default 0.9.
  public var topP: Double
  /// Nil for the model's own value.
  public var topK: Int?
  /// Nil for the model's own value.
  public var repetitionPenalty: Double?
  /// Texts that end a generation; nil for the model's own, while an empty list means none.
  public var stopSequences: [String]?
  /// The limit of tokens; nil for no limit.
  public var tokenBudget: TokenBudget?
  /// Frameworks to run models, best first.
  public var frameworkPreferences: [ModelFramework]
  /// In tokens. Default 4,096.
  public var maxContextLength: Int
  /// Whether a model's thinking is separated from its answer. Default false.
  public var isThinkingExtractionEnabled: Bool
  /// The tags around a model's thinking; nil for the model's own.
  public var thinkingTags: ThinkingTags?

  /// The default settings, or the given ones.
  public init(
    temperature: Double = 0.7, maxTokens: Int = 256, topP: Double = 0.9, topK: Int? = nil, repetitionPenalty: Double? = nil,
    stopSequences: [String]? = nil, tokenBudget: TokenBudget? = nil, frameworkPreferences: [ModelFramework] = [],
    maxContextLength: Int = 4_096, isThinkingExtractionEnabled: Bool = false, thinkingTags: ThinkingTags? = nil
  ) {
    self.temperature = temperature
    self.maxTokens = maxTokens
    self.topP = topP
    self.topK = topK
    self.repetitionPenalty = repetitionPenalty
    self.stopSequences = stopSequences
    self.tokenBudget = tokenBudget
    self.frameworkPreferences = frameworkPreferences
    self.maxContextLength = maxContextLength
    self.isThinkingExtractionEnabled = isThinkingExtractionEnabled
    self.thinkingTags = thinkingTags
  }

  /// Limits of tokens; each nil means no limit. `InferenceStore.tokensLeft(by:)` says what is left of them.
  public struct TokenBudget: Sendable, Hashable {
    /// The limit of one request.
    public var maxTokensPerRequest: Int?
    /// The limit of one day.
    public var maxTokensPerDay: Int?
    /// The limit of one month.
    public var maxTokensPerMonth: Int?
    /// True refuses a request beyond a limit; false only notes it.
    public var isEnforcedStrictly: Bool

    /// A budget with these limits.
    public init(
      maxTokensPerRequest: Int? = nil, maxTokensPerDay: Int? = nil, maxTokensPerMonth: Int? = nil, isEnforcedStrictly: Bool = false
    ) {
      self.maxTokensPerRequest = maxTokensPerRequest
      self.maxTokensPerDay = maxTokensPerDay
      self.maxTokensPerMonth = maxTokensPerMonth
      self.isEnforcedStrictly = isEnforcedStrictly
    }
  }
}

/// The tags around a model's thinking.
public struct ThinkingTags: Sendable, Hashable {
  /// The tag before the thinking, such as `<think>`.
  public var open: String
  /// The tag after the thinking, such as `</think>`.
  public var close: String

  /// A pair of tags.
  public init(open: String, close: String) {
    self.open = open
    self.close = close
  }
}
