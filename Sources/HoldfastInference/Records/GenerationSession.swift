public import Foundation
public import Holdfast

/// Consecutive generations with one model: a conversation, or work on a document.
///
/// The verbs that record generations keep its totals; see `InferenceStore.record(_:)`.
public struct GenerationSession: StoredRecord, Hashable, Identifiable {
  /// The table of these rows.
  public static let table = "generation_sessions"
  /// The columns, in the order in which `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = [
    "id", "model_id", "type", "started_at", "ended_at", "generation_count", "message_count", "total_input_tokens", "total_output_tokens",
    "total_tokens", "total_cost", "average_time_to_first_token_ms", "average_tokens_per_second", "total_duration_ms", "context",
    "updated_at",
  ]

  /// Unique. New ones come from `NewID`.
  public var id: UUID
  /// The model's id; it need not be registered.
  public var modelID: String
  /// The purpose of the session.
  public var type: SessionType
  /// To the millisecond. History is ordered by it, newest first.
  public var startedAt: Date
  /// To the millisecond; nil while the session is open, or when unknown.
  public var endedAt: Date?
  /// How many generations were recorded.
  public var generationCount: Int
  /// How many messages the session has; nil when not counted.
  public var messageCount: Int?
  /// Tokens of all prompts.
  public var totalInputTokens: Int64
  /// Tokens of all answers.
  public var totalOutputTokens: Int64
  /// Tokens of prompts and answers; a source may give only this number.
  public var totalTokens: Int64
  /// The cost of all generations, in the currency of the bill.
  public var totalCost: Double
  /// The mean over the generations with a value; nil without any.
  public var averageTimeToFirstTokenMilliseconds: Double?
  /// The mean over the generations with a value; nil without any.
  public var averageTokensPerSecond: Double?
  /// The sum of all latencies.
  public var totalDurationMilliseconds: Double
  /// The app's own data about the session; nil for none.
  public var context: [String: JSONValue]?
  /// To the millisecond.
  public var updatedAt: Date

  /// A session. Without `totalTokens` it is the sum of the other two, at most the greatest Int64. Dates are rounded to the
  /// millisecond, so that a loaded value equals the saved one.
  public init(
    id: UUID, modelID: String, type: SessionType, startedAt: Date, endedAt: Date? = nil, generationCount: Int = 0,
    messageCount: Int? = nil, totalInputTokens: Int64 = 0, totalOutputTokens: Int64 = 0, totalTokens: Int64? = nil, totalCost: Double = 0,
    averageTimeToFirstTokenMilliseconds: Double? = nil, averageTokensPerSecond: Double? = nil, totalDurationMilliseconds: Double = 0,
    context: [String: JSONValue]? = nil, updatedAt: Date? = nil
  ) {
    self.id = id
    self.modelID = modelID
    self.type = type
    self.startedAt = DateCodec.rounded(startedAt)
    self.endedAt = endedAt.map(DateCodec.rounded)
    self.generationCount = generationCount
    self.messageCount = messageCount
    self.totalInputTokens = totalInputTokens
    self.totalOutputTokens = totalOutputTokens
    self.totalTokens = totalTokens ?? totalInputTokens.adding(totalOutputTokens)
    self.totalCost = totalCost
    self.averageTimeToFirstTokenMilliseconds = averageTimeToFirstTokenMilliseconds
    self.averageTokensPerSecond = averageTokensPerSecond
    self.totalDurationMilliseconds = totalDurationMilliseconds
    self.context = context
    self.updatedAt = DateCodec.rounded(updatedAt ?? startedAt)
  }

  /// - Throws: `.decoding` for a value that is damaged.
  public init(row: inout StoredRow) throws {
    id = try row.id()
    modelID = try row.text()
    type = SessionType(rawValue: try row.text())
    startedAt = try row.date()
    endedAt = try row.dateOrNil()
    generationCount = try row.int()
    messageCount = try row.intOrNil()
    totalInputTokens = try row.int64()
    totalOutputTokens = try row.int64()
    totalTokens = try row.int64()
    totalCost = try row.double()
    averageTimeToFirstTokenMilliseconds = try row.doubleOrNil()
    averageTokensPerSecond = try row.doubleOrNil()
    totalDurationMilliseconds = try row.double()
    context = try row.objectOrNil()
    updatedAt = try row.date()
  }

  /// - Throws: `.invalidValue` for a number that is not finite and a date that cannot be stored.
  public func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(modelID)
    try values.text(type.rawValue)
    try values.date(startedAt)
    try values.date(endedAt)
    try values.int(generationCount)
    try values.int(messageCount)
    try values.int64(totalInputTokens)
    try values.int64(totalOutputTokens)
    try values.int64(totalTokens)
    try values.finite(totalCost)
    try values.finite(averageTimeToFirstTokenMilliseconds)
    try values.finite(averageTokensPerSecond)
    try values.finite(totalDurationMilliseconds)
    try values.object(context)
    try values.date(updatedAt)
  }
}
