public import Foundation
public import Holdfast

/// One answer of a model, and what it took.
public struct Generation: StoredRecord, Hashable, Identifiable {
  /// The table of these rows.
  public static let table = "generations"
  /// As `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = [
    "id", "session_id", "sequence_number", "created_at", "model_id", "execution_target", "latency_ms", "prompt_tokens",
    "completion_tokens", "time_to_first_token_ms", "tokens_per_second", "cost", "cost_saved", "routing_framework", "routing_reason",
    "request", "response", "error_code", "error_message",
  ]
  /// What never changes.
  public static let insertOnly = ["session_id"]

  /// Unique. New ones come from `NewID`.
  public var id: UUID
  /// Its session.
  public var sessionID: UUID
  /// Its place in the session; equal ones are ordered by id.
  public var sequenceNumber: Int
  /// When it began, to the millisecond.
  public var createdAt: Date
  /// What it took; nil when nobody measured.
  public var performance: Performance?
  /// In the currency of the bill.
  public var cost: Double
  /// What the cloud would have cost, in the currency of the bill.
  public var costSaved: Double
  /// The request as the app keeps it for debugging; nil is nothing.
  public var request: [String: JSONValue]?
  /// The answer as the app keeps it for debugging; nil is nothing.
  public var response: [String: JSONValue]?
  /// Nil when it ended well.
  public var errorCode: String?
  /// Nil when it ended well.
  public var errorMessage: String?

  /// What a generation took.
  public struct Performance: Sendable, Hashable {
    /// What made it; need not be registered, and need not be the session's.
    public var modelID: String
    /// Where it ran.
    public var executionTarget: ExecutionTarget
    /// From the request to the end of the answer.
    public var latencyMilliseconds: Double
    /// Of the prompt.
    public var promptTokens: Int
    /// Of the answer.
    public var completionTokens: Int
    /// From the request to the first token; nil when nobody measured.
    public var timeToFirstTokenMilliseconds: Double?
    /// Nil when nobody measured.
    public var tokensPerSecond: Double?
    /// What ran the model; nil when nobody knows.
    public var routingFramework: ModelFramework?
    /// Why it ran there, in the SDK's words; nil when nobody knows.
    public var routingReason: String?

    /// What a generation took.
    public init(
      modelID: String, executionTarget: ExecutionTarget, latencyMilliseconds: Double, promptTokens: Int, completionTokens: Int,
      timeToFirstTokenMilliseconds: Double? = nil, tokensPerSecond: Double? = nil, routingFramework: ModelFramework? = nil,
      routingReason: String? = nil
    ) {
      self.modelID = modelID
      self.executionTarget = executionTarget
      self.latencyMilliseconds = latencyMilliseconds
      self.promptTokens = promptTokens
      self.completionTokens = completionTokens
      self.timeToFirstTokenMilliseconds = timeToFirstTokenMilliseconds
      self.tokensPerSecond = tokensPerSecond
      self.routingFramework = routingFramework
      self.routingReason = routingReason
    }
  }

  /// Dates are rounded to the millisecond, so that what is loaded equals what was saved.
  public init(
    id: UUID, sessionID: UUID, sequenceNumber: Int, createdAt: Date, performance: Performance? = nil, cost: Double = 0,
    costSaved: Double = 0, request: [String: JSONValue]? = nil, response: [String: JSONValue]? = nil, errorCode: String? = nil,
    errorMessage: String? = nil
  ) {
    self.id = id
    self.sessionID = sessionID
    self.sequenceNumber = sequenceNumber
    self.createdAt = DateCodec.rounded(createdAt)
    self.performance = performance
    self.cost = cost
    self.costSaved = costSaved
    self.request = request
    self.response = response
    self.errorCode = errorCode
    self.errorMessage = errorMessage
  }

  /// - Throws: `.decoding` for a value that is damaged.
  public init(row: inout StoredRow) throws {
    id = try row.id()
    sessionID = try row.id()
    sequenceNumber = try row.whole()
    createdAt = try row.date()
    let (modelID, target, latency) = (try row.textOrNil(), try row.textOrNil(), try row.doubleOrNil())
    let (prompt, completion) = (try row.wholeOrNil(), try row.wholeOrNil())
    let (firstToken, perSecond) = (try row.doubleOrNil(), try row.doubleOrNil())
    cost = try row.double()
    costSaved = try row.double()
    let (framework, reason) = (try row.textOrNil(), try row.textOrNil())
    // The table has all of it or nothing.
    if let modelID, let target, let latency, let prompt, let completion {
      performance = Performance(
        modelID: modelID, executionTarget: ExecutionTarget(rawValue: target), latencyMilliseconds: latency, promptTokens: prompt,
        completionTokens: completion, timeToFirstTokenMilliseconds: firstToken, tokensPerSecond: perSecond,
        routingFramework: framework.map(ModelFramework.init(rawValue:)), routingReason: reason)
    }
    request = try row.objectOrNil()
    response = try row.objectOrNil()
    errorCode = try row.textOrNil()
    errorMessage = try row.textOrNil()
  }

  /// - Throws: `.invalidValue` for a number that is not finite and a date that cannot be stored.
  public func encode(into values: inout Values) throws {
    try values.id(id)
    try values.id(sessionID)
    try values.int(sequenceNumber)
    try values.date(createdAt)
    try values.text(performance?.modelID)
    try values.text(performance?.executionTarget.rawValue)
    try values.finite(performance?.latencyMilliseconds)
    try values.whole(performance?.promptTokens)
    try values.whole(performance?.completionTokens)
    try values.finite(performance?.timeToFirstTokenMilliseconds)
    try values.finite(performance?.tokensPerSecond)
    try values.finite(cost)
    try values.finite(costSaved)
    try values.text(performance?.routingFramework?.rawValue)
    try values.text(performance?.routingReason)
    try values.object(request)
    try values.object(response)
    try values.text(errorCode)
    try values.text(errorMessage)
  }
}
