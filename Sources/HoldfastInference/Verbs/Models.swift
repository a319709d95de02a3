public import Foundation
public import Holdfast

/// The lists of models that are read in pages.
public enum ModelList: Sendable, Hashable {
  /// All models, by name; case and accents do not matter.
  case all
  /// Models of one framework, by name.
  case framework(ModelFramework)
  /// Models of one format, by name.
  case format(ModelFormat)
  /// Models whose file is on this device by the last check, by name.
  case downloaded
  /// Models whose file was there and is missing, by name.
  case missing
  /// Models whose name, id, author or tags contain each word of a text, also inside a word, by name; case and accents do not matter. Only
  /// the first 64 words count. A text without words finds nothing.
  case matching(String)
  /// Models with changes that the server has not acknowledged, the longest unchanged first.
  case pending

  var listing: Listing {
    let byName: [(String, PageKey.Part)] = [("name_key", .text), ("id", .text)]
    switch self {
    case .all: return Listing(columns: byName)
    case .framework(let framework): return Listing(condition: "framework = \(framework.rawValue)", columns: byName)
    case .format(let format): return Listing(condition: "format = \(format.rawValue)", columns: byName)
    case .downloaded: return Listing(condition: "local_path IS NOT NULL AND missing_since IS NULL", columns: byName)
    case .missing: return Listing(condition: "local_path IS NOT NULL AND missing_since IS NOT NULL", columns: byName)
    case .matching(let text):
      let words = SortText.folded(text).split(whereSeparator: \.isWhitespace).prefix(SearchText.maximumWords)
      let isFound: BoundSQL = words.reduce("true") { "\(sql: $0) AND instr(search_key, \(String($1))) > 0" }
      return Listing(condition: words.isEmpty ? "false" : isFound, columns: byName)
    case .pending: return Listing(condition: Outbox.isPending, columns: [("updated_at", .number), ("id", .text)])
    }
  }
}

extension InferenceStore {
  /// Saves a model, and replaces the one with its id; it is loaded equal in every field. Set `updatedAt` to now with each edit:
  /// if people may override a server's values, the newer edit wins.
  ///
  /// - Throws: `.constraint` for an empty id; `.invalidValue` for a value that a column cannot hold.
  public func save(_ model: ModelMetadata) async throws { try await store.write { try Self.save(model, in: $0) } }

  /// Saves models, all or none.
  ///
  /// - Throws: as for one model.
  public func save(_ models: [ModelMetadata]) async throws { try await store.write { try Self.save(models, in: $0) } }

  /// One model; nil when there is none with this id.
  public func model(_ id: String) async throws -> ModelMetadata? { try await store.read { try Self.model(id, in: $0) } }

  /// All models, by name.
  public func models() async throws -> [ModelMetadata] { try await store.read { try Self.models(in: $0) } }

  /// A page of a list of models.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func models(_ list: ModelList, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<ModelMetadata> {
    try await store.read { try Self.models(list, after: key, limit: limit, in: $0) }
  }

  /// Removes a model from the registry; its file, its sessions and its usage stay. Returns whether there was one.
  @discardableResult
  public func deleteModel(_ id: String) async throws -> Bool { try await store.write { try Self.deleteModel(id, in: $0) } }

  /// Records the place of a model's file, and that the file is not missing.
  ///
  /// - Parameters:
  ///   - path: the path of the file or folder; for a model in parts the first part.
  ///   - date: when it was downloaded; nil for now.
  ///   - sizeBytes: the size of the file; nil keeps the known size.
  /// - Throws: `.notFound` when there is no such model; `.invalidValue` for a date outside the years 1 to 9999.
  public func recordDownload(of id: String, at path: String, date: Date? = nil, sizeBytes: Int64? = nil) async throws {
    try await store.write { try Self.recordDownload(of: id, at: path, date: date, sizeBytes: sizeBytes, in: $0) }
  }

  /// Counts a use of a model. A use is not an edit: `updatedAt`, which a merge compares, stays.
  ///
  /// - Parameters:
  ///   - tokens: how many tokens the model generated.
  ///   - date: the time of the use; nil for now. An earlier date than the stored one does not replace it.
  /// - Throws: `.notFound` when there is no such model; `.invalidValue` for less than 0 tokens, and for a date outside the
  ///   years 1 to 9999.
  public func recordUse(of id: String, tokens: Int64 = 0, date: Date? = nil) async throws {
    try await store.write { try Self.recordUse(of: id, tokens: tokens, date: date, in: $0) }
  }

  /// All models now, by name, and after each change of one.
  public func modelUpdates() -> Updates<[ModelMetadata]> { store.updates { try Self.models(in: $0) } }

  /// The first models of a list now, and after each change of one.
  public func modelUpdates(_ list: ModelList, limit: Int = 100) -> Updates<[ModelMetadata]> {
    store.updates { try Self.models(list, limit: limit, in: $0).items }
  }

  /// One model now, and after each change of it; nil while there is none.
  public func modelUpdates(_ id: String) -> Updates<ModelMetadata?> {
    store.updates { try Self.model(id, in: $0) }
  }

  /// Saves a model inside your transaction; as `save(_:)`.
  public static func save(_ model: ModelMetadata, in tx: Writer) throws { try tx.upsert(model) }

  /// Saves models inside your transaction; as `save(_:)`.
  public static func save(_ models: [ModelMetadata], in tx: Writer) throws { for model in models { try tx.upsert(model) } }

  /// Reads one model inside your transaction; as `model(_:)`.
  public static func model(_ id: String, in reader: Reader) throws -> ModelMetadata? {
    try reader.first(ModelMetadata.self, "WHERE id = \(id)")
  }

  /// Reads all models inside your transaction; as `models()`.
  public static func models(in reader: Reader) throws -> [ModelMetadata] { try reader.all(ModelMetadata.self, "ORDER BY name_key, id") }

  /// Reads a page of a list of models inside your transaction; as `models(_:after:limit:)`.
  public static func models(
    _ list: ModelList, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<ModelMetadata> {
    try reader.page(ModelMetadata.self, list.listing, after: key, limit: limit)
  }

  /// Removes a model from the registry inside your transaction; as `deleteModel(_:)`.
  public static func deleteModel(_ id: String, in tx: Writer) throws -> Bool {
    try tx.execute("DELETE FROM model_metadata WHERE id = \(id)") > 0
  }

  /// Records the place of a model's file inside your transaction; as `recordDownload(of:at:date:sizeBytes:)`.
  public static func recordDownload(
    of id: String, at path: String, date: Date? = nil, sizeBytes: Int64? = nil, in tx: Writer
  ) throws {
    guard !path.isEmpty else { throw StoreError(.invalidValue, "the path of the model \(id) is empty") }
    let now = tx.currentDate()
    let changed = try tx.execute(
      """
      UPDATE model_metadata SET local_path = \(path), missing_since = NULL, downloaded_at = \(date ?? now),
        size_bytes = ifnull(\(sizeBytes), size_bytes), updated_at = \(now) WHERE id = \(id)
      """)
    if changed == 0 { throw noModel(id) }
  }

  /// Counts a use of a model inside your transaction; as `recordUse(of:tokens:date:)`.
  public static func recordUse(of id: String, tokens: Int64 = 0, date: Date? = nil, in tx: Writer) throws {
    guard tokens >= 0 else { throw StoreError(.invalidValue, "\(tokens) tokens cannot be counted") }
    guard try countUse(of: id, tokens: tokens, date: date ?? tx.currentDate(), in: tx) else { throw noModel(id) }
  }

  /// Counts a use of a model; false when there is no such model. `updated_at` stays, because a use is not an edit.
  static func countUse(of id: String, tokens: Int64, date: Date, in tx: Writer) throws -> Bool {
    // The sum stops at the greatest Int64: SQLite would turn a larger one into a floating-point number.
    try tx.execute(
      """
      UPDATE model_metadata SET last_used_at = max(ifnull(last_used_at, \(date)), \(date)),
        usage_count = min(usage_count, \(Int64.max - 1)) + 1,
        total_tokens_generated = min(total_tokens_generated, \(Int64.max - max(0, tokens))) + \(tokens) WHERE id = \(id)
      """) > 0
  }

  private static func noModel(_ id: String) -> StoreError {
    StoreError(.notFound, "there is no model \(id)", suggestion: "Save the model first.")
  }
}
