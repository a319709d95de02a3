public import Holdfast

extension InferenceStore {
  /// A page of the models' usage by day, the newest day first; within a day by model id, descending.
  ///
  /// Counted when generations are recorded. Generations that are deleted later stay counted.
  /// - Parameters:
  ///   - modelID: only this model; nil for all.
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func usage(of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<ModelUsage> {
    try await store.read { try Self.usage(of: modelID, after: key, limit: limit, in: $0) }
  }

  /// The usage on the newest days now, and after each generation.
  public func usageUpdates(of modelID: String? = nil, limit: Int = 100) -> Updates<[ModelUsage]> {
    store.updates { try Self.usage(of: modelID, limit: limit, in: $0).items }
  }

  /// Reads a page of the models' usage by day inside your transaction; as `usage(of:after:limit:)`.
  public static func usage(
    of modelID: String? = nil, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<ModelUsage> {
    let condition: BoundSQL = modelID.map { "model_id = \($0)" } ?? "true"
    let listing = Listing(condition: condition, columns: [("day", .text), ("model_id", .text)], isDescending: true)
    return try reader.page(ModelUsage.self, listing, after: key, limit: limit)
  }
}
