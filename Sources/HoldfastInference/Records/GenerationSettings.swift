/// How text is made.
public struct GenerationSettings: Sendable, Hashable {
  /// 0 is the most predictable. Default 0.7.
  public var temperature: Double
  /// Default 256.
  public var maxTokens: Int
  /// From 0 to 1. Default 0.9.
  public var topP: Double
  /// Nil is the model's own.
  public var topK: Int?
  /// Nil is the model's own.
  public var repetitionPenalty: Double?
  /// Texts that end a generation; nil is the model's own, which is not the same as none.
  public var stopSequences: [String]?
  /// How many tokens may be used; nil is no limit.
  public var tokenBudget: TokenBudget?
  /// What runs models, best first.
  public var frameworkPreferences: [ModelFramework]
  /// In tokens. Default 4,096.
  public var maxContextLength: Int
  /// Whether a model's thinking is told from its answer. Default false.
  public var isThinkingExtractionEnabled: Bool
  /// What stands around a model's thinking; nil is the model's own.
  public var thinkingTags: ThinkingTags?

  /// The defaults, or others.
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

  /// How many tokens may be used; each nil is no limit.
  public struct TokenBudget: Sendable, Hashable {
    /// By one request.
    public var maxTokensPerRequest: Int?
    /// In one day.
    public var maxTokensPerDay: Int?
    /// In one month.
    public var maxTokensPerMonth: Int?
    /// Whether a request beyond it is refused, instead of noted.
    public var isEnforcedStrictly: Bool

    /// A budget.
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

/// What stands around a model's thinking.
public struct ThinkingTags: Sendable, Hashable {
  /// Before it, such as `<think>`.
  public var open: String
  /// Behind it, such as `</think>`.
  public var close: String

  /// A pair.
  public init(open: String, close: String) {
    self.open = open
    self.close = close
  }
}
