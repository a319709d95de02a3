public import Holdfast

extension InferenceStore {
  /// A page of what models did on each day, the newest day first; the models of a day by id, the last first.
  ///
  /// Kept as generations are recorded, and longer than they are: what is deleted later stays counted here.
  /// - Parameters:
  ///   - modelID: only of this model; nil is all.
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list; `.decoding`.
  public func usage(of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100) throws -> Page<ModelUsage> {
    try store.read { try Self.usage(of: modelID, after: key, limit: limit, in: $0) }
  }
  public func usage(of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<ModelUsage> {
    try await store.read { try Self.usage(of: modelID, after: key, limit: limit, in: $0) }
  }

  /// What models did on the newest days now, and after each generation.
  public func usageUpdates(of modelID: String? = nil, limit: Int = 100) -> Updates<[ModelUsage]> {
    store.updates(of: [ModelUsage.table]) { try Self.usage(of: modelID, limit: limit, in: $0).items }
  }

  public static func usage(
    of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<ModelUsage> {
    let condition: BoundSQL = modelID.map { "model_id = \($0)" } ?? "true"
    let listing = Listing(condition: condition, columns: [("day", .text), ("model_id", .text)], isDescending: true)
    return try reader.page(
      "\(columns: ModelUsage.self)", from: "model_usage_stats", listing, after: key, limit: limit, of: ModelUsage.table,
      ModelUsage.init(row:))
  }
}
