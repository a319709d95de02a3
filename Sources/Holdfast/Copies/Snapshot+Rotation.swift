public import Foundation

extension Snapshot {
  /// The snapshots of the store at `url` that `policy` does not keep, newest first; never the newest without findings. Changes nothing.
  ///
  /// - Parameters:
  ///   - includesByHand: whether the policy also counts and gives up snapshots made by hand.
  ///   - folder: `SnapshotOptions.folder`.
  /// - Throws: the errors of `all(of:in:)`.
  public static func surplus(
    of url: URL, keeping policy: SnapshotPolicy, includesByHand: Bool = false, in folder: URL? = nil
  ) throws -> [Snapshot] {
    let files = try StoreFiles(url, snapshots: folder)
    let all = try all(files)
    let sound = all.first { $0.isSound(files) }
    return policy.surplus(all.filter { $0.isAutomatic || includesByHand }).filter { $0.id != sound?.id }
  }

  /// Removes snapshots of the store at `url`. A snapshot that is gone already is no error.
  ///
  /// - Parameter folder: `SnapshotOptions.folder`.
  /// - Throws: `.misuse` for the newest snapshot without findings, and nothing is removed then; `.permissionDenied`, `.inputOutput`.
  public static func remove(_ snapshots: [Snapshot], of url: URL, in folder: URL? = nil) throws {
    let files = try StoreFiles(url, snapshots: folder)
    if let sound = try all(files).first(where: { $0.isSound(files) }), snapshots.contains(where: { $0.id == sound.id }) {
      throw StoreError(
        .misuse, "\(sound.id) is the newest snapshot without findings of \(files.path), and is not removed",
        suggestion: "Make a new snapshot first.")
    }
    for snapshot in snapshots { try snapshot.remove(files) }
  }

  /// Verified without findings when it was made, and its copy still has its size.
  func isSound(_ files: StoreFiles) -> Bool { findings.isEmpty && DurableFile.size(file(files).path) == bytes }

  fileprivate func fileBytes(_ files: StoreFiles) -> Int64 {
    [file(files), description(files)].reduce(0) { $0 + DurableFile.size($1.path) }
  }

  // MARK: Giving way

  /// Removes the automatic snapshots that the options do not keep. `made` stays, and the newest without findings. Without `removes`, only
  /// notes which snapshot was made last. `query` reads the store, for the paths of the copies of imported sources.
  static func rotate(_ files: StoreFiles, after made: Snapshot, _ options: StoreOptions, _ query: TextQuery, removes: Bool) {
    // The new one counts as the newest, whatever its time: the clock may have been set back.
    let all = [made] + ((try? all(files)) ?? []).filter { $0.id != made.id }
    let isByTime = zip(all, all.dropFirst()).allSatisfy { $0.createdAt >= $1.createdAt }
    let lastMade = isByTime ? nil : all.map(\.id)
    if lastMade != SnapshotTimes(files).lastMade { try? SnapshotTimes.change(files) { $0.lastMade = lastMade } }
    // While damage is known, the older copies may be the only sound ones.
    guard removes, StoreHealth(files).damage == nil else { return }
    let mayGo = givingWay(all, files, options.key)
    let surplus = options.snapshots.policy.surplus(all.filter(\.isAutomatic)).filter { mayGo.contains($0) }
    for old in surplus { try? old.remove(files) }
    holdCap(files, all.filter { !surplus.contains($0) }, options, query)
  }

  /// Removes the oldest of these snapshots, given newest first, that may give way, while all copies are larger than `maximumBytes`.
  ///
  /// The archive's queue and the maker of a snapshot may do this at the same time. Both begin with the oldest, and each counts a snapshot's
  /// bytes before the total, so together they do not remove too many.
  static func holdCap(_ files: StoreFiles, _ all: [Snapshot], _ options: StoreOptions, _ query: TextQuery) {
    guard let maximum = options.snapshots.maximumBytes, StoreHealth(files).damage == nil else { return }
    let going = givingWay(all, files, options.key).reversed().map { (snapshot: $0, bytes: $0.fileBytes(files)) }
    var total = CopyBytes(files, query).total
    for oldest in going where total > maximum {
      try? oldest.snapshot.remove(files)
      total -= oldest.bytes
    }
  }

  /// The bytes that `maximumBytes` leaves to the archive when every snapshot that may give way is gone. Nil: no limit, or it is not known.
  static func roomForArchive(_ files: StoreFiles, _ options: StoreOptions, _ query: TextQuery) -> Int64? {
    guard let maximum = options.snapshots.maximumBytes, let snapshots = try? all(files) else { return nil }
    let giving = givingWay(snapshots, files, options.key)
    let copies = CopyBytes(files, query)
    // Not the bytes of the folder: another thread may be adding or removing a snapshot.
    let staying = snapshots.filter { !giving.contains($0) }.reduce(copies.quarantine + copies.sources) { $0 + $1.fileBytes(files) }
    return max(staying, maximum) - staying
  }

  /// Of these, newest first: the automatic ones of this store's own, without the newest of all, and the newest without findings.
  private static func givingWay(_ all: [Snapshot], _ files: StoreFiles, _ key: StoreKey?) -> [Snapshot] {
    let id = StoreFiles.id(in: files.url, key)
    let own = all.filter { snapshot in id.map { StoreFiles.id(in: snapshot.file(files), key) ?? $0 == $0 } ?? true }
    let stays = [own.first?.id, own.first { $0.isSound(files) }?.id]
    return own.filter { $0.isAutomatic && !stays.contains($0.id) }
  }
}

/// The bytes of all copies of a store. Copies that are still being made do not count, nor does the archive's ballast.
struct CopyBytes: Equatable {
  let snapshots: Int64
  let archive: Int64
  let quarantine: Int64
  let sources: Int64

  var total: Int64 { snapshots + archive + quarantine + sources }

  init(_ files: StoreFiles, _ query: TextQuery) {
    let ballast = ArchiveFolder(files).ballast.path
    func bytes(_ folder: URL) -> Int64 {
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
      let finished = names.filter { !"/\($0)".contains("/\(WorkingFolder.prefix)") }.map { folder.appendingPathComponent($0).path }
      return finished.filter { $0 != ballast }.reduce(0) { $0 + (DurableFile.isFolder($1) ? 0 : DurableFile.size($1)) }
    }
    // A kill may leave a snapshot's copy without its description; it is no snapshot.
    let described = (try? Snapshot.all(files)) ?? []
    snapshots = described.reduce(0) { $0 + $1.fileBytes(files) }
    (archive, quarantine) = (bytes(files.archive), bytes(files.quarantine))
    let paths = try? query("SELECT DISTINCT backup_path FROM holdfast_imports WHERE backup_path IS NOT NULL")
    sources = (paths ?? []).compactMap { $0.first ?? nil }.reduce(0) { sum, path in
      ([""] + StoreFiles.logs).reduce(sum) { $0 + DurableFile.size(path + $1) }
    }
  }
}
