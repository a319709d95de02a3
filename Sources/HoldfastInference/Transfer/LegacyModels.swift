import Foundation
import Holdfast
import HoldfastTransfer

/// Models and what they did on a day, in both databases.
enum ModelFields {
  /// The JSON of the first database. A time that is missing there is made up by its reader: when it was downloaded, or changed.
  static let json: [LegacyField<ModelMetadata>] = [
    LegacyField.text("id", \.id).required,
    LegacyField.text("name", \.name).required,
    .text("format", \.format.rawValue),
    LegacyField.text("framework", \.framework.rawValue).required,
    .filledText("localPath", \.localPath),
    .int64OrNil("estimatedMemory", \.estimatedMemoryBytes),
    .intOrNil("contextLength", \.contextLength),
    .int64OrNil("downloadSize", \.downloadSizeBytes),
    .textOrNil("checksum", \.checksum),
    .textOrNil("author", \.author),
    .textOrNil("license", \.license),
    .textOrNil("description", \.description),
    .texts("tags", \.tags),
    .dateOrNil("downloadedAt", \.downloadedAt, .since2001),
    .dateOrNil("lastUsed", \.lastUsedAt, .since2001),
    .int("usageCount", \.usageCount),
    .bool("supportsThinking", \.supportsThinking),
    .thinkingTags("thinkingTags", \.thinkingTags),
    .date("createdAt", \.createdAt, .since2001),
    .date("updatedAt", \.updatedAt, .since2001),
  ]

  /// The app stored the memory that a model needs as `size_bytes`, and nothing as quantization and version.
  static let columns: [LegacyField<ModelMetadata>] = [
    LegacyField.text("id", \.id).required,
    LegacyField.text("name", \.name).required,
    .text("format", \.format.rawValue),
    LegacyField.text("framework", \.framework.rawValue).required,
    .int64OrNil("size_bytes", \.estimatedMemoryBytes),
    .filledText("quantization", \.quantizationText),
    .filledText("version", \.version),
    .textOrNil("sha256_hash", \.checksum),
    .object("capabilities", \.capabilities),
    .objectOrNil("requirements", \.requirements),
    .textOrNil("download_url", \.downloadURL),
    .filledText("local_path", \.localPath),
    .dateOrNil("download_date", \.downloadedAt, .sqlText),
    .dateOrNil("last_used_at", \.lastUsedAt, .sqlText),
    .int("use_count", \.usageCount),
    .int64("total_tokens_generated", \.totalTokensGenerated),
    .date("created_at", \.createdAt, .sqlText),
    .date("updated_at", \.updatedAt, .sqlText),
    // After the path and the time.
    .bool("is_downloaded", \.hasFile),
  ]

  static func table(_ fields: [LegacyField<ModelMetadata>]) -> LegacyTable<ModelMetadata> {
    LegacyTable(
      kind: ModelMetadata.table, fields: fields, idColumn: "id", key: { $0.id }, updatedAt: { $0.updatedAt },
      find: { try $1.first(ModelMetadata.self, "WHERE id = \($0.id)") }, put: { try $1.upsert($0) })
  }

  static let usage: [LegacyField<ModelUsage>] = [
    LegacyField.text("model_metadata_id", \.modelID).required,
    day("date"),
    .int("generation_count", \.generationCount),
    .int64("total_tokens", \.totalTokens),
    .double("total_cost", \.totalCost),
    .double("total_latency_ms", \.totalLatencyMilliseconds),
    .int("error_count", \.errorCount),
  ]

  static let usageTable = LegacyTable<ModelUsage>(
    kind: ModelUsage.table, fields: usage, idColumn: nil, key: { "\($0.modelID)/\($0.day)" },
    find: { try $1.first(ModelUsage.self, "WHERE model_id = \($0.modelID) AND day = \($0.day)") }, put: { try $1.upsert($0) })

  private static func day(_ name: String) -> LegacyField<ModelUsage> {
    LegacyField(name, "a day such as 2025-08-05", .fails, \.day, get: JSONValue.string) { value in
      // A date of GRDB has a time: midnight.
      guard case .string(let text) = value, let date = DateCodec.parseSQLText(text), date % 86_400_000 == 0 else { return nil }
      return Written(value: String(text.prefix(10)), text: .string(String(text.prefix(10))))
    }
  }
}

extension ModelMetadata {
  fileprivate var quantizationText: String? {
    get { quantization?.rawValue }
    set { quantization = newValue.map(Quantization.init(rawValue:)) }
  }

  /// A model that is not downloaded, and has a path, has no file there.
  fileprivate var hasFile: Bool {
    get { isDownloaded }
    set { missingSince = newValue || localPath == nil ? nil : missingSince ?? updatedAt }
  }
}
