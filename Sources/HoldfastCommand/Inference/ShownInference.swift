import Foundation
import Holdfast
import HoldfastInference

extension ShownLine {
  static let modelColumns: [TextTable.Column] = [
    .flexible("ID"), .flexible("MODEL"), .text("FORMAT"), .text("FRAMEWORK"), .text("WEIGHTS"), .number("SIZE"), .number("CONTEXT"),
    .text("FILE"), .number("USES"),
  ]
  static let sessionColumns: [TextTable.Column] = [
    .text("ID"), .text("STARTED"), .flexible("MODEL"), .text("TYPE"), .number("GENERATIONS"), .number("TOKENS"), .number("COST"),
  ]
  static let preferenceColumns: [TextTable.Column] = [.text("PREFERENCE"), .flexible("VALUE"), .text("CHANGED")]
  static let telemetryColumns: [TextTable.Column] = [
    .text("TYPE"), .number("EVENTS"), .number("TO BE SENT"), .number("SET ASIDE"), .text("LAST"),
  ]

  static let conflictColumns: [TextTable.Column] = [
    .text("KIND"), .text("ROW"), .text("FIELD"), .text("KEPT"), .flexible("LOST"), .text("NOTICED"),
  ]

  init(_ conflict: SyncConflict) {
    self.init(
      cells: [
        conflict.kind, DisplayText.cut(conflict.id, to: 40), conflict.field, conflict.kept.rawValue, conflict.lostValue ?? "",
        DisplayText.time(conflict.noticedAt),
      ],
      json: .object([
        "kind": .string(conflict.kind), "id": .string(conflict.id), "field": .string(conflict.field),
        "kept": .string(conflict.kept.rawValue), "lost": conflict.lostValue.map(JSONValue.stored) ?? .null,
        "noticed_at": .time(conflict.noticedAt),
      ]))
  }

  init(_ model: ModelMetadata) {
    self.init(
      cells: [
        model.id, model.name, Self.known(model.format.rawValue), Self.known(model.framework.rawValue), model.quantization?.rawValue ?? "",
        model.sizeBytes.map(DisplayText.size) ?? "", model.contextLength.map(String.init) ?? "", Self.file(of: model),
        model.usageCount > 0 ? String(model.usageCount) : "",
      ], json: .object(Self.members(of: model)))
  }

  init(_ session: GenerationSession) {
    self.init(
      cells: [
        IDCodec.lowercase(session.id), DisplayText.time(session.startedAt), session.modelID, session.type.rawValue,
        String(session.generationCount), String(session.totalTokens), InferenceWords.cost(session.totalCost),
      ], json: .object(Self.members(of: session)))
  }

  init(_ preference: UserPreference) {
    self.init(
      cells: [preference.name, preference.value, DisplayText.time(preference.updatedAt)],
      json: .object([
        "name": .string(preference.name), "value": .stored(preference.value), "created_at": .time(preference.createdAt),
        "updated_at": .time(preference.updatedAt),
      ]))
  }

  /// What a list says of a model.
  static func members(of model: ModelMetadata) -> [String: JSONValue] {
    [
      "id": .string(model.id), "name": .string(model.name), "format": .string(model.format.rawValue),
      "framework": .string(model.framework.rawValue), "quantization": .text(model.quantization?.rawValue),
      "size_bytes": .number(model.sizeBytes), "context_length": number(model.contextLength), "local_path": .text(model.localPath),
      "missing_since": .time(model.missingSince), "usage_count": .number(model.usageCount), "last_used_at": .time(model.lastUsedAt),
    ]
  }

  /// What a list says of a session.
  static func members(of session: GenerationSession) -> [String: JSONValue] {
    [
      "id": .id(session.id), "model_id": .string(session.modelID), "type": .string(session.type.rawValue),
      "started_at": .time(session.startedAt), "ended_at": .time(session.endedAt), "generations": .number(session.generationCount),
      "input_tokens": .integer(session.totalInputTokens), "output_tokens": .integer(session.totalOutputTokens),
      "total_tokens": .integer(session.totalTokens), "total_cost": .double(session.totalCost),
    ]
  }

  /// What is recorded of a model's file, in one word: a store may come from another device, so that nobody looks here.
  static func file(of model: ModelMetadata) -> String { model.isDownloaded ? "recorded" : model.localPath == nil ? "" : "gone" }

  private static func known(_ word: String) -> String { word == "unknown" ? "" : word }
}

/// Numbers of generations, in words.
enum InferenceWords {
  /// At most four digits behind the point; a bill has no unit here.
  static func cost(_ cost: Double) -> String {
    guard cost != 0 else { return "" }
    let parts = (cost * 10_000).rounded()
    guard parts != 0, abs(parts) < 1e15 else { return cost.description }
    return decimal(parts / 10_000)
  }

  /// `612.5 ms`.
  static func milliseconds(_ time: Double?) -> String { time.map { "\(decimal(($0 * 10).rounded() / 10)) ms" } ?? "" }

  static func rate(_ rate: Double?) -> String { rate.map { decimal(($0 * 10).rounded() / 10) } ?? "" }

  /// `612` rather than `612.0`.
  private static func decimal(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? number.description }
}
