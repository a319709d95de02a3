public import Foundation
public import Holdfast

extension InferenceStore {
  /// The models whose files should be deleted, so that the others and `bytes` more fit into the storage settings of a configuration, in
  /// the order of its `evictionPolicy`. Empty when everything fits. Nothing is changed: pass the ids to `evict(_:relativeTo:)`.
  ///
  /// The limit is `maxCacheSizeBytes`, and with `freeBytes` also `minimumFreeSpaceBytes`. Models that were not used for
  /// `modelRetentionDays` come first, also when everything fits. An unknown policy counts as `leastRecentlyUsed`; a model without a use
  /// counts as used when it was downloaded. Only downloaded models count, by `sizeBytes`, or else by `downloadSizeBytes`; one of unknown
  /// size counts as 0 bytes and makes no room. When to ask is up to the app: the store has no timer for the automatic clean-up.
  /// - Parameters:
  ///   - bytes: the size of the next download; 0 only checks the present models.
  ///   - freeBytes: the free space of the disk; nil leaves `minimumFreeSpaceBytes` out.
  ///   - kept: the ids of models that stay, such as the loaded one.
  ///   - configurationID: the configuration with the settings; the defaults apply when there is none.
  /// - Throws: `.diskFull` when too little fits even without all these models; `.invalidValue` for less than 0 bytes.
  public func modelsToEvict(
    toFit bytes: Int64, freeBytes: Int64? = nil, keeping kept: Set<String> = [],
    by configurationID: String = InferenceConfiguration.defaultID
  ) async throws -> [ModelMetadata] {
    try await store.read {
      try Self.modelsToEvict(toFit: bytes, freeBytes: freeBytes, keeping: kept, by: configurationID, at: store.options.now(), in: $0)
    }
  }

  /// Marks models as not downloaded, and returns their files, which the app then deletes. The models, their sessions and their usage stay.
  ///
  /// One transaction. Models that are not registered or not downloaded are passed over. A model in parts has several files, and a folder
  /// may be a model; links come with the files that they lead to. Files that another model needs are left out, however its path is
  /// written; so is every folder that contains `folder`, the current folder or the person's home. A returned file may be missing already.
  /// - Parameter folder: the folder of relative paths; nil for the current folder.
  public func evict(_ ids: [String], relativeTo folder: URL? = nil) async throws -> [URL] {
    try await store.write { try Self.evict(ids, relativeTo: folder, in: $0) }
  }

  /// Finds the models to evict inside your transaction; as `modelsToEvict(toFit:freeBytes:keeping:by:)`.
  ///
  /// - Parameter date: the present time.
  public static func modelsToEvict(
    toFit bytes: Int64, freeBytes: Int64? = nil, keeping kept: Set<String> = [],
    by configurationID: String = InferenceConfiguration.defaultID, at date: Date, in reader: Reader
  ) throws -> [ModelMetadata] {
    guard bytes >= 0 else { throw StoreError(.invalidValue, "\(bytes) bytes cannot be downloaded") }
    // Only this part: the rest of the configuration may be damaged.
    let storage = try reader.first(StorageRow.self, "WHERE configuration_id = \(configurationID)")?.storage ?? .init()
    let models = try models(.downloaded, limit: .max, in: reader).items
    let used = models.reduce(bytes) { $0.adding($1.bytesOnDisk) }
    var excess = used.adding(-max(0, storage.maxCacheSizeBytes))
    if let freeBytes { excess = max(excess, bytes.adding(max(0, storage.minimumFreeSpaceBytes)).adding(-max(0, freeBytes))) }
    let unused = storage.modelRetentionDays.map { date.addingTimeInterval(-86_400 * Double(max(0, $0))) } ?? .distantPast
    let candidates = storage.evictionPolicy.sorted(models.filter { !kept.contains($0.id) })
    var evicted = candidates.filter { $0.lastTouched < unused }
    excess = evicted.reduce(excess) { $0.adding(-$1.bytesOnDisk) }
    for model in candidates where excess > 0 && model.bytesOnDisk > 0 && model.lastTouched >= unused {
      excess = excess.adding(-model.bytesOnDisk)
      evicted.append(model)
    }
    guard excess <= 0 else {
      throw StoreError(
        .diskFull, "\(bytes) bytes more do not fit: \(excess) bytes are missing even without all models that may go",
        suggestion: "Allow a larger cache in the configuration, or free space on the disk.")
    }
    return evicted
  }

  /// Marks models as not downloaded, and returns their files, inside your transaction; as `evict(_:relativeTo:)`.
  public static func evict(_ ids: [String], relativeTo folder: URL? = nil, in tx: Writer) throws -> [URL] {
    var paths: [String] = []
    for id in ids {
      let stored = try tx.value("SELECT local_path FROM model_metadata WHERE id = \(id) AND local_path IS NOT NULL") { try $0.text() }
      guard let stored else { continue }
      try tx.execute(
        """
        UPDATE model_metadata SET local_path = NULL, missing_since = NULL, downloaded_at = NULL, updated_at = \(tx.currentDate())
        WHERE id = \(id)
        """)
      paths += ModelFiles(stored, in: folder).paths.flatMap(ModelFiles.places)
    }
    // What stays: other models' files, and the folders in which the app works.
    var kept = [folder?.path ?? "", FileManager.default.currentDirectoryPath, NSHomeDirectory()].flatMap(ModelFiles.places)
    let folders = kept.count
    try tx.rows("SELECT local_path FROM model_metadata WHERE local_path IS NOT NULL ORDER BY name_key, id") { row in
      let path = try row.text()
      kept += ModelFiles(path, in: folder).paths.flatMap(ModelFiles.places)
    }
    var files: [String] = []
    for path in paths where !files.contains(where: { ModelFiles.isInside(path, $0) }) {
      let isShared = kept.indices.contains { place in
        ModelFiles.isInside(kept[place], path) || place >= folders && ModelFiles.isInside(path, kept[place])
      }
      guard !isShared else { continue }
      files.removeAll { ModelFiles.isInside($0, path) }
      files.append(path)
    }
    return files.map { URL(fileURLWithPath: $0) }
  }
}

extension ModelFiles {
  /// The real place of a path, and those of the files that it leads to: the path may be a link, or a folder of links as in Hugging Face's
  /// cache.
  fileprivate static func places(_ path: String) -> [String] {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    guard url.path != "/" else { return ["/"] }
    let real = url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: real.path)) ?? []
    let linked = ([real] + names.sorted().map(real.appendingPathComponent)).filter { $0.resolvingSymlinksInPath().path != $0.path }
    return [real.path] + linked.map { $0.resolvingSymlinksInPath().path }
  }

  fileprivate static func isInside(_ path: String, _ folder: String) -> Bool {
    path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
  }
}

extension CacheEviction {
  /// The models in the order in which they go.
  fileprivate func sorted(_ models: [ModelMetadata]) -> [ModelMetadata] { models.sorted { place(of: $0) < place(of: $1) } }

  private func place(of model: ModelMetadata) -> (Int64, Date, String) {
    switch self {
    case .leastFrequentlyUsed: (Int64(model.usageCount), model.lastTouched, model.id)
    case .firstInFirstOut: (0, model.downloadedAt ?? model.createdAt, model.id)
    case .largestFirst: (-model.bytesOnDisk, model.lastTouched, model.id)
    default: (0, model.lastTouched, model.id)
    }
  }
}

extension ModelMetadata {
  fileprivate var bytesOnDisk: Int64 { max(0, sizeBytes ?? downloadSizeBytes ?? 0) }
  fileprivate var lastTouched: Date { lastUsedAt ?? downloadedAt ?? createdAt }
}
