import Foundation
import Holdfast
import HoldfastTransfer

/// Sessions and generations, in both databases.
enum HistoryFields {
  static let jsonSessions: FieldTable<GenerationSession> = [
    .required("id", \.id, .id),
    .required("modelId", \.modelID, .text),
    .required("sessionType", \.type, .word),
    .required("startTime", \.startedAt, .since2001),
    .optional("endTime", \.endedAt, .since2001),
    .kept("generationCount", \.generationCount, .int),
    .kept("totalInputTokens", \.inputTokens, .int64),
    .kept("totalOutputTokens", \.outputTokens, .int64),
    .optional("averageTimeToFirstToken", \.averageTimeToFirstTokenMilliseconds, .secondsAsMilliseconds),
    .optional("averageTokensPerSecond", \.averageTokensPerSecond, .double),
    .kept("totalDuration", \.totalDurationMilliseconds, .secondsAsMilliseconds),
    .required("updatedAt", \.updatedAt, .since2001),
  ]

  static let sessionColumns: FieldTable<GenerationSession> = [
    .required("id", \.id, .id),
    .required("model_metadata_id", \.modelID, .text),
    .required("session_type", \.type, .word),
    .kept("total_tokens", \.totalTokens, .int64),
    .kept("total_cost", \.totalCost, .double),
    .optional("message_count", \.messageCount, .int),
    .optional("context_data", \.context, .object),
    .required("started_at", \.startedAt, .sqlText),
    .optional("ended_at", \.endedAt, .sqlText),
    .required("updated_at", \.updatedAt, .sqlText),
  ]

  static func sessions(_ fields: FieldTable<GenerationSession>) -> LegacyTable<GenerationSession> {
    LegacyTable(
      kind: .sent(
        GenerationSession.table, fields, key: { IDCodec.lowercase($0.id) }, updatedAt: { $0.updatedAt },
        find: { try $1.find(GenerationSession.self, id: $0.row.id) }, put: { try $1.upsert($0) }))
  }

  static let jsonGenerations: FieldTable<Generation> = [
    .required("id", \.id, .id),
    .required("sessionId", \.sessionID, .id),
    .required("sequenceNumber", \.sequenceNumber, .int),
    .required("timestamp", \.createdAt, .since2001),
    .optional("performance.modelId", \.modelID, .text).required(in: "performance"),
    .optional("performance.executionTarget", \.target, .text).required(in: "performance"),
    .optional("performance.totalGenerationTime", \.latency, .secondsAsMilliseconds).required(in: "performance"),
    .optional("performance.inputTokens", \.promptTokens, .int).required(in: "performance"),
    .optional("performance.outputTokens", \.completionTokens, .int).required(in: "performance"),
    .optional("performance.timeToFirstToken", \.measured.timeToFirstTokenMilliseconds, .secondsAsMilliseconds),
    .optional("performance.tokensPerSecond", \.measured.tokensPerSecond, .double),
    .optional("performance.routingFramework", \.measured.routingFramework, .word),
    .optional("performance.routingReason", \.measured.routingReason, .text),
  ]

  /// A row with any of these columns has all of them.
  static let measures = ["execution_target", "latency_ms", "prompt_tokens", "completion_tokens"]
  static let measured = "measured"

  /// The model is the session's. The app's first version wrote `device` instead of `onDevice`.
  static let generationColumns: FieldTable<Generation> = [
    .required("id", \.id, .id),
    .required("generation_sessions_id", \.sessionID, .id),
    .required("sequence_number", \.sequenceNumber, .int),
    .optional("model_metadata_id", \.modelID, .text).required(in: measured),
    .optional("execution_target", \.target, .text([("device", ExecutionTarget.onDevice.rawValue)])).required(in: measured),
    .optional("latency_ms", \.latency, .double).required(in: measured),
    .optional("prompt_tokens", \.promptTokens, .int).required(in: measured),
    .optional("completion_tokens", \.completionTokens, .int).required(in: measured),
    .optional("time_to_first_token_ms", \.measured.timeToFirstTokenMilliseconds, .double),
    .optional("tokens_per_second", \.measured.tokensPerSecond, .double),
    .optional("framework_used", \.measured.routingFramework, .word),
    .optional("routing_reason", \.measured.routingReason, .text),
    .kept("cost", \.cost, .double),
    .kept("cost_saved", \.costSaved, .double),
    .optional("request_data", \.request, .object),
    .optional("response_data", \.response, .object),
    .optional("error_code", \.errorCode, .text),
    .optional("error_message", \.errorMessage, .text),
    .required("created_at", \.createdAt, .sqlText),
  ]

  static func generations(_ fields: FieldTable<Generation>) -> LegacyTable<Generation> {
    LegacyTable(
      kind: .sent(
        Generation.table, fields, key: { IDCodec.lowercase($0.id) },
        parent: { .init(kind: GenerationSession.table, key: IDCodec.lowercase($0.sessionID)) },
        find: { try $1.find(Generation.self, id: $0.row.id) },
        check: {
          if $0.sessionID != $1.sessionID { throw StoreError(.constraint, "its id belongs to a generation of another session") }
        }, put: { try $1.upsert($0) }))
  }
}

extension GenerationSession {
  static let blank = GenerationSession(id: .zero, modelID: "", type: .chat, startedAt: .unset)

  fileprivate var inputTokens: Int64 {
    get { totalInputTokens }
    set { (totalInputTokens, totalTokens) = (newValue, newValue.adding(totalOutputTokens)) }
  }

  fileprivate var outputTokens: Int64 {
    get { totalOutputTokens }
    set { (totalOutputTokens, totalTokens) = (newValue, totalInputTokens.adding(newValue)) }
  }
}

/// The measured values, one at a time, the required ones first. Without those nothing was measured.
extension Generation {
  static let blank = Generation(id: .zero, sessionID: .zero, sequenceNumber: 0, createdAt: .unset)

  private static let nothing = Performance(
    modelID: "", executionTarget: ExecutionTarget(rawValue: ""), latencyMilliseconds: 0, promptTokens: 0, completionTokens: 0)

  /// An optional value that is nil measures nothing.
  fileprivate var measured: Performance {
    get { performance ?? Self.nothing }
    set { if performance != nil || newValue != Self.nothing { performance = newValue } }
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
}
