public import Foundation
public import Holdfast

/// The lists of models that are read in pages.
public enum ModelList: Sendable, Hashable {
  /// All, by name: case and accents do not matter.
  case all
  /// Those that one framework runs, by name.
  case framework(ModelFramework)
  /// Those of one format, by name.
  case format(ModelFormat)
  /// Those whose file is here as far as anybody looked, by name.
  case downloaded
  /// Those whose file was here and is gone, by name.
  case missing
  /// Those with changes that the server has not acknowledged, the longest unchanged first.
  case pending

  var listing: Listing {
    let byName: [(String, PageKey.Part)] = [("name_key", .text), ("id", .text)]
    switch self {
    case .all: return Listing(columns: byName)
    case .framework(let framework): return Listing(condition: "framework = \(framework.rawValue)", columns: byName)
    case .format(let format): return Listing(condition: "format = \(format.rawValue)", columns: byName)
    case .downloaded: return Listing(condition: "local_path IS NOT NULL AND missing_since IS NULL", columns: byName)
    case .missing: return Listing(condition: "local_path IS NOT NULL AND missing_since IS NOT NULL", columns: byName)
    case .pending: return Listing(condition: Outbox.isPending, columns: [("updated_at", .number), ("id", .text)])
    }
  }
}

extension InferenceStore {
  /// Saves a model, in the place of the one with its id: it comes back equal in every field. An edit sets `updatedAt` to now:
  /// where people may override what a server sets, the newer edit wins by it.
  ///
  /// - Throws: `.constraint` for an empty id; `.invalidValue` for a value that no column holds.
  public func save(_ model: ModelMetadata) throws { try store.write { try Self.save(model, in: $0) } }
  public func save(_ model: ModelMetadata) async throws { try await store.write { try Self.save(model, in: $0) } }

  /// Saves models, all or none.
  ///
  /// - Throws: as for one.
  public func save(_ models: [ModelMetadata]) throws { try store.write { try Self.save(models, in: $0) } }
  public func save(_ models: [ModelMetadata]) async throws { try await store.write { try Self.save(models, in: $0) } }

  /// One model; nil when there is none with this id.
  public func model(_ id: String) throws -> ModelMetadata? { try store.read { try Self.model(id, in: $0) } }
  public func model(_ id: String) async throws -> ModelMetadata? { try await store.read { try Self.model(id, in: $0) } }

  /// All models, by name.
  public func models() throws -> [ModelMetadata] { try store.read { try Self.models(in: $0) } }
  public func models() async throws -> [ModelMetadata] { try await store.read { try Self.models(in: $0) } }

  /// A page of a list of models.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list.
  public func models(_ list: ModelList, after key: PageKey? = nil, limit: Int = 100) throws -> Page<ModelMetadata> {
    try store.read { try Self.models(list, after: key, limit: limit, in: $0) }
  }
  public func models(_ list: ModelList, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<ModelMetadata> {
    try await store.read { try Self.models(list, after: key, limit: limit, in: $0) }
  }

  /// Takes a model out of the registry; its file, its sessions and its usage stay. Returns whether there was one.
  @discardableResult
  public func deleteModel(_ id: String) throws -> Bool { try store.write { try Self.deleteModel(id, in: $0) } }
  @discardableResult
  public func deleteModel(_ id: String) async throws -> Bool { try await store.write { try Self.deleteModel(id, in: $0) } }

  /// Remembers where the file of a model is now, and that it is not missing.
  ///
  /// - Parameters:
  ///   - path: of the file or the folder; for a model in parts that of the first.
  ///   - date: when it was downloaded; nil is now.
  ///   - sizeBytes: of the file; nil leaves what is known.
  /// - Throws: `.notFound` when there is no such model; `.invalidValue` for a date that is not from the years 1 to 9999.
  public func recordDownload(of id: String, at path: String, date: Date? = nil, sizeBytes: Int64? = nil) throws {
    try store.write { try Self.recordDownload(of: id, at: path, date: date, sizeBytes: sizeBytes, in: $0) }
  }
  public func recordDownload(of id: String, at path: String, date: Date? = nil, sizeBytes: Int64? = nil) async throws {
    try await store.write { try Self.recordDownload(of: id, at: path, date: date, sizeBytes: sizeBytes, in: $0) }
  }

  /// Counts a use of a model. A use is no edit: `updatedAt`, which a merge compares, stays.
  ///
  /// - Parameters:
  ///   - tokens: how many it wrote.
  ///   - date: when; nil is now. One before the last use that is known does not take its place.
  /// - Throws: `.notFound` when there is no such model; `.invalidValue` for less than 0 tokens, and for a date that is not from the years 1
  ///   to 9999.
  public func recordUse(of id: String, tokens: Int64 = 0, date: Date? = nil) throws {
    try store.write { try Self.recordUse(of: id, tokens: tokens, date: date, in: $0) }
  }
  public func recordUse(of id: String, tokens: Int64 = 0, date: Date? = nil) async throws {
    try await store.write { try Self.recordUse(of: id, tokens: tokens, date: date, in: $0) }
  }

  /// All models now, by name, and after each change of one.
  public func modelUpdates() -> Updates<[ModelMetadata]> { store.updates(of: [ModelMetadata.table]) { try Self.models(in: $0) } }

  /// The first models of a list now, and after each change of one.
  public func modelUpdates(_ list: ModelList, limit: Int = 100) -> Updates<[ModelMetadata]> {
    store.updates(of: [ModelMetadata.table]) { try Self.models(list, limit: limit, in: $0).items }
  }

  /// One model now, and after each change of it; nil while there is none.
  public func modelUpdates(_ id: String) -> Updates<ModelMetadata?> {
    store.updates(of: [ModelMetadata.table]) { try Self.model(id, in: $0) }
  }

  public static func save(_ model: ModelMetadata, in tx: Writer) throws { try tx.upsert(model) }

  public static func save(_ models: [ModelMetadata], in tx: Writer) throws { for model in models { try tx.upsert(model) } }

  public static func model(_ id: String, in reader: Reader) throws -> ModelMetadata? {
    try reader.first(ModelMetadata.self, "WHERE id = \(id)")
  }

  public static func models(in reader: Reader) throws -> [ModelMetadata] { try reader.all(ModelMetadata.self, "ORDER BY name_key, id") }

  public static func models(
    _ list: ModelList, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<ModelMetadata> {
    try reader.page(
      "\(columns: ModelMetadata.self)", from: "model_metadata", list.listing, after: key, limit: limit, of: ModelMetadata.table,
      ModelMetadata.init(row:))
  }

  public static func deleteModel(_ id: String, in tx: Writer) throws -> Bool {
    try tx.execute("DELETE FROM model_metadata WHERE id = \(id)") > 0
  }

  public static func recordDownload(
    of id: String, at path: String, date: Date? = nil, sizeBytes: Int64? = nil, in tx: Writer
  ) throws {
    let now = tx.currentDate()
    let changed = try tx.execute(
      """
      UPDATE model_metadata SET local_path = \(path), missing_since = NULL, downloaded_at = \(date ?? now),
        size_bytes = ifnull(\(sizeBytes), size_bytes), updated_at = \(now) WHERE id = \(id)
      """)
    if changed == 0 { throw noModel(id) }
  }

  public static func recordUse(of id: String, tokens: Int64 = 0, date: Date? = nil, in tx: Writer) throws {
    guard tokens >= 0 else { throw StoreError(.invalidValue, "\(tokens) tokens cannot be counted") }
    // Where a sum ends, it stays: SQLite would make it a number with a point.
    let changed = try tx.execute(
      """
      UPDATE model_metadata SET last_used_at = max(ifnull(last_used_at, \(date ?? tx.currentDate())), \(date ?? tx.currentDate())),
        usage_count = min(usage_count, \(Int64.max - 1)) + 1,
        total_tokens_generated = min(total_tokens_generated, \(Int64.max - tokens)) + \(tokens) WHERE id = \(id)
      """)
    if changed == 0 { throw noModel(id) }
  }

  private static func noModel(_ id: String) -> StoreError {
    StoreError(.notFound, "there is no model \(id)", suggestion: "Save the model first.")
  }
}
