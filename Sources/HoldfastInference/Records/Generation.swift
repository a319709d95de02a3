public import Foundation
public import Holdfast

/// One answer of a model, and its measured performance.
public struct Generation: StoredRecord, Hashable, Identifiable {
  /// The table of these rows.
  public static let table = "generations"
  /// The columns, in the order in which `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = [
    "id", "session_id", "sequence_number", "created_at", "model_id", "execution_target", "latency_ms", "prompt_tokens",
    "completion_tokens", "time_to_first_token_ms", "tokens_per_second", "cost", "cost_saved", "routing_framework", "routing_reason",
    "request", "response", "error_code", "error_message",
  ]
  /// Columns that never change.
  public static let insertOnly = ["session_id"]

  /// Unique. New ones come from `NewID`.
  public var id: UUID
  /// The session's id.
  public var sessionID: UUID
  /// The place in the session; equal numbers are ordered by id.
  public var sequenceNumber: Int
  /// When the generation began, to the millisecond.
  public var createdAt: Date
  /// The measured performance; nil when it was not measured.
  public var performance: Performance?
  /// The cost, in the currency of the bill.
  public var cost: Double
  /// What the cloud would have cost, in the currency of the bill.
  public var costSaved: Double
  /// The request, if the app keeps it for debugging; nil otherwise.
  public var request: [String: JSONValue]?
  /// The answer, if the app keeps it for debugging; nil otherwise.
  public var response: [String: JSONValue]?
  /// The error's code; nil when there was no error.
  public var errorCode: String?
  /// The error's message; nil when there was no error.
  public var errorMessage: String?

  /// The measured performance of a generation.
  public struct Performance: Sendable, Hashable {
    /// The model that made the answer; it need not be registered, nor be the session's model.
    public var modelID: String
    /// Where it ran.
    public var executionTarget: ExecutionTarget
    /// From the request to the end of the answer.
    public var latencyMilliseconds: Double
    /// Tokens of the prompt.
    public var promptTokens: Int
    /// Tokens of the answer.
    public var completionTokens: Int
    /// From the request to the first token; nil when not measured.
    public var timeToFirstTokenMilliseconds: Double?
    /// Tokens of the answer in each second; nil when not measured.
    public var tokensPerSecond: Double?
    /// The framework that ran the model; nil when unknown.
    public var routingFramework: ModelFramework?
    /// Why it ran there, in the SDK's words; nil when unknown.
    public var routingReason: String?

    /// A performance with these values.
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

  /// A generation. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
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
    sequenceNumber = try row.int()
    createdAt = try row.date()
    let (modelID, target, latency) = (try row.textOrNil(), try row.textOrNil(), try row.doubleOrNil())
    let (prompt, completion) = (try row.intOrNil(), try row.intOrNil())
    let (firstToken, perSecond) = (try row.doubleOrNil(), try row.doubleOrNil())
    cost = try row.double()
    costSaved = try row.double()
    let (framework, reason) = (try row.textOrNil(), try row.textOrNil())
    // The table has all of these columns or none.
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
    try values.int(performance?.promptTokens)
    try values.int(performance?.completionTokens)
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
