import Foundation
import Holdfast
import HoldfastTransfer

/// Sessions and generations, in both databases.
enum HistoryFields {
  static let jsonSessions: [LegacyField<GenerationSession>] = [
    .id("id", \.id),
    LegacyField.text("modelId", \.modelID).required,
    LegacyField.text("sessionType", \.type.rawValue).required,
    .date("startTime", \.startedAt, .since2001),
    .dateOrNil("endTime", \.endedAt, .since2001),
    .int("generationCount", \.generationCount),
    .int64("totalInputTokens", \.inputTokens),
    .int64("totalOutputTokens", \.outputTokens),
    .secondsOrNil("averageTimeToFirstToken", \.averageTimeToFirstTokenMilliseconds),
    .doubleOrNil("averageTokensPerSecond", \.averageTokensPerSecond),
    .seconds("totalDuration", \.totalDurationMilliseconds),
    .date("updatedAt", \.updatedAt, .since2001),
  ]

  static let sessionColumns: [LegacyField<GenerationSession>] = [
    .id("id", \.id),
    LegacyField.text("model_metadata_id", \.modelID).required,
    LegacyField.text("session_type", \.type.rawValue).required,
    .int64("total_tokens", \.totalTokens),
    .double("total_cost", \.totalCost),
    .intOrNil("message_count", \.messageCount),
    .objectOrNil("context_data", \.context),
    .date("started_at", \.startedAt, .sqlText),
    .dateOrNil("ended_at", \.endedAt, .sqlText),
    .date("updated_at", \.updatedAt, .sqlText),
  ]

  static func sessions(_ fields: [LegacyField<GenerationSession>]) -> LegacyTable<GenerationSession> {
    LegacyTable(
      kind: GenerationSession.table, fields: fields, idColumn: "id",
      key: { IDCodec.lowercase($0.id) },
      updatedAt: { $0.updatedAt }, find: { try $1.find(GenerationSession.self, id: $0.id) }, put: { try $1.upsert($0) })
  }

  static let jsonGenerations: [LegacyField<Generation>] = [
    .id("id", \.id),
    .id("sessionId", \.sessionID),
    LegacyField.int("sequenceNumber", \.sequenceNumber).required,
    .date("timestamp", \.createdAt, .since2001),
    .textOrNil("performance.modelId", \.modelID).required(in: "performance"),
    .textOrNil("performance.executionTarget", \.target).required(in: "performance"),
    .secondsOrNil("performance.totalGenerationTime", \.latency).required(in: "performance"),
    .intOrNil("performance.inputTokens", \.promptTokens).required(in: "performance"),
    .intOrNil("performance.outputTokens", \.completionTokens).required(in: "performance"),
    .secondsOrNil("performance.timeToFirstToken", \.timeToFirstToken),
    .doubleOrNil("performance.tokensPerSecond", \.tokensPerSecond),
    .textOrNil("performance.routingFramework", \.framework),
    .textOrNil("performance.routingReason", \.reason),
  ]

  /// Where a row has any of these it has all.
  static let measures = ["execution_target", "latency_ms", "prompt_tokens", "completion_tokens"]
  static let measured = "measured"

  /// The model is that of the session; the app's first version wrote `device` for what is called `onDevice`.
  static let generationColumns: [LegacyField<Generation>] = [
    .id("id", \.id),
    .id("generation_sessions_id", \.sessionID),
    LegacyField.int("sequence_number", \.sequenceNumber).required,
    .textOrNil("model_metadata_id", \.modelID).required(in: measured),
    target("execution_target").required(in: measured),
    .doubleOrNil("latency_ms", \.latency).required(in: measured),
    .intOrNil("prompt_tokens", \.promptTokens).required(in: measured),
    .intOrNil("completion_tokens", \.completionTokens).required(in: measured),
    .doubleOrNil("time_to_first_token_ms", \.timeToFirstToken),
    .doubleOrNil("tokens_per_second", \.tokensPerSecond),
    .textOrNil("framework_used", \.framework),
    .textOrNil("routing_reason", \.reason),
    .double("cost", \.cost),
    .double("cost_saved", \.costSaved),
    .objectOrNil("request_data", \.request),
    .objectOrNil("response_data", \.response),
    .textOrNil("error_code", \.errorCode),
    .textOrNil("error_message", \.errorMessage),
    .date("created_at", \.createdAt, .sqlText),
  ]

  private static func target(_ name: String) -> LegacyField<Generation> {
    LegacyField(name, "a text", .empties, \.target) {
      JSONValue.text($0)
    } read: { value in
      guard case .string(let text) = value else { return nil }
      let target = text == "device" ? ExecutionTarget.onDevice.rawValue : text
      return Written(value: target, text: .string(target))
    }
  }

  static func generations(_ fields: [LegacyField<Generation>]) -> LegacyTable<Generation> {
    LegacyTable(
      kind: Generation.table, fields: fields, idColumn: "id", key: { IDCodec.lowercase($0.id) },
      find: { try $1.find(Generation.self, id: $0.id) },
      put: { generation, tx in
        if let stored = try tx.find(Generation.self, id: generation.id), stored.sessionID != generation.sessionID {
          throw StoreError(.constraint, "its id is that of another session's generation")
        }
        try tx.upsert(generation)
      })
  }
}

extension GenerationSession {
  fileprivate var inputTokens: Int64 {
    get { totalInputTokens }
    set {
      totalInputTokens = newValue
      totalTokens = totalInputTokens.adding(totalOutputTokens)
    }
  }

  fileprivate var outputTokens: Int64 {
    get { totalOutputTokens }
    set {
      totalOutputTokens = newValue
      totalTokens = totalInputTokens.adding(totalOutputTokens)
    }
  }
}

/// What was measured, a part at a time; what it must have comes first. Without that nothing was measured.
extension Generation {
  private var measured: Performance {
    performance
      ?? Performance(
        modelID: "", executionTarget: ExecutionTarget(rawValue: ""), latencyMilliseconds: 0, promptTokens: 0, completionTokens: 0)
  }

  private mutating func measure<Value>(_ value: Value?, _ path: WritableKeyPath<Performance, Value>) {
    guard let value else {
      performance = nil
      return
    }
    var measured = measured
    measured[keyPath: path] = value
    performance = measured
  }

  private mutating func measureOrNil<Value>(_ value: Value?, _ path: WritableKeyPath<Performance, Value?>) {
    guard value != nil || performance != nil else { return }
    var measured = measured
    measured[keyPath: path] = value
    performance = measured
  }

  var modelID: String? {
    get { performance?.modelID }
    set { measure(newValue, \.modelID) }
  }
  fileprivate var target: String? {
    get { performance?.executionTarget.rawValue }
    set { measure(newValue, \.executionTarget.rawValue) }
  }
  fileprivate var latency: Double? {
    get { performance?.latencyMilliseconds }
    set { measure(newValue, \.latencyMilliseconds) }
  }
  fileprivate var promptTokens: Int? {
    get { performance?.promptTokens }
    set { measure(newValue, \.promptTokens) }
  }
  fileprivate var completionTokens: Int? {
    get { performance?.completionTokens }
    set { measure(newValue, \.completionTokens) }
  }
  fileprivate var timeToFirstToken: Double? {
    get { performance?.timeToFirstTokenMilliseconds }
    set { measureOrNil(newValue, \.timeToFirstTokenMilliseconds) }
  }
  fileprivate var tokensPerSecond: Double? {
    get { performance?.tokensPerSecond }
    set { measureOrNil(newValue, \.tokensPerSecond) }
  }
  fileprivate var framework: String? {
    get { performance?.routingFramework?.rawValue }
    set { measureOrNil(newValue.map(ModelFramework.init(rawValue:)), \.routingFramework) }
  }
  fileprivate var reason: String? {
    get { performance?.routingReason }
    set { measureOrNil(newValue, \.routingReason) }
  }
}
