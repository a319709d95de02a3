import Foundation
import Holdfast
import HoldfastTransfer

/// Models and their usage by day, in both databases.
enum ModelFields {
  /// The JSON of the first database. Its reader fills in a missing time: when the model was downloaded or changed.
  static let json: FieldTable<ModelMetadata> = [
    .required("id", \.id, .text),
    .required("name", \.name, .text),
    .kept("format", \.format, .word),
    .required("framework", \.framework, .word),
    .init("localPath", \.localPath, .filledText, .empties),
    .optional("estimatedMemory", \.estimatedMemoryBytes, .int64),
    .optional("contextLength", \.contextLength, .int),
    .optional("downloadSize", \.downloadSizeBytes, .int64),
    .optional("checksum", \.checksum, .text),
    .optional("author", \.author, .text),
    .optional("license", \.license, .text),
    .optional("description", \.description, .text),
    .kept("tags", \.tags, .texts),
    .optional("downloadedAt", \.downloadedAt, .since2001),
    .optional("lastUsed", \.lastUsedAt, .since2001),
    .kept("usageCount", \.usageCount, .int),
    .kept("supportsThinking", \.supportsThinking, .bool),
    .optional("thinkingTags", \.thinkingTags, .thinkingTags),
    .required("createdAt", \.createdAt, .since2001),
    .required("updatedAt", \.updatedAt, .since2001),
  ]

  /// The app stored the memory that a model needs in `size_bytes`, and never stored quantization and version.
  static let columns: FieldTable<ModelMetadata> = [
    .required("id", \.id, .text),
    .required("name", \.name, .text),
    .kept("format", \.format, .word),
    .required("framework", \.framework, .word),
    .optional("size_bytes", \.estimatedMemoryBytes, .int64),
    .init("quantization", \.quantization, quantization, .empties),
    .init("version", \.version, .filledText, .empties),
    .optional("sha256_hash", \.checksum, .text),
    .kept("capabilities", \.capabilities, .object),
    .optional("requirements", \.requirements, .object),
    .optional("download_url", \.downloadURL, .text),
    .init("local_path", \.localPath, .filledText, .empties),
    .optional("download_date", \.downloadedAt, .sqlText),
    .optional("last_used_at", \.lastUsedAt, .sqlText),
    .kept("use_count", \.usageCount, .int),
    .kept("total_tokens_generated", \.totalTokensGenerated, .int64),
    .required("created_at", \.createdAt, .sqlText),
    .required("updated_at", \.updatedAt, .sqlText),
    // After the path and the time, on which it depends.
    .kept("is_downloaded", \.hasFile, .bool),
  ]

  static func table(_ fields: FieldTable<ModelMetadata>) -> LegacyTable<ModelMetadata> {
    LegacyTable(
      kind: .sent(
        ModelMetadata.table, fields, key: { $0.id }, updatedAt: { $0.updatedAt },
        find: { try $1.first(ModelMetadata.self, "WHERE id = \($0.row.id)") }, put: { try $1.upsert($0) }))
  }

  static let usage: FieldTable<ModelUsage> = [
    .required("model_metadata_id", \.modelID, .text),
    .required("date", \.day, day),
    .kept("generation_count", \.generationCount, .int),
    .kept("total_tokens", \.totalTokens, .int64),
    .kept("total_cost", \.totalCost, .double),
    .kept("total_latency_ms", \.totalLatencyMilliseconds, .double),
    .kept("error_count", \.errorCount, .int),
  ]

  static let usageTable = LegacyTable<ModelUsage>(
    kind: RecordKind(
      ModelUsage.table, table: ModelUsage.table, usage, key: { "\($0.modelID)/\($0.day)" },
      find: { try $1.first(ModelUsage.self, "WHERE model_id = \($0.row.modelID) AND day = \($0.row.day)") }, save: { try $2.upsert($0) }))

  /// An empty text means none.
  private static let quantization = ValueForm<String?>.filledText.map {
    $0.map(Quantization.init(rawValue:))
  } back: {
    $0?.rawValue
  }

  private static let day = ValueForm<String>("a day such as 2025-08-05", write: JSONValue.string) { json in
    // GRDB writes a day as a time at midnight.
    guard case .string(let text) = json, let date = DateCodec.parseSQLText(text), date % 86_400_000 == 0 else { return nil }
    return Written(value: String(text.prefix(10)), text: .string(String(text.prefix(10))))
  }
}

extension ModelMetadata {
  static let blank = ModelMetadata(id: "", name: "", framework: ModelFramework(rawValue: ""), createdAt: .unset)

  /// False for a model with a path that is not downloaded: the file is not there.
  fileprivate var hasFile: Bool {
    get { isDownloaded }
    set { missingSince = newValue || localPath == nil ? nil : missingSince ?? updatedAt }
  }
}
