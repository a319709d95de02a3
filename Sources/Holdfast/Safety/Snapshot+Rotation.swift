public import Foundation

extension Snapshot {
  /// The snapshots of the store at `url` that `policy` does not keep, newest first. The newest snapshot without findings is never among
  /// them. Changes nothing.
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

  /// Removes the automatic snapshots that the options do not keep. `made` stays, and the newest without findings.
  ///
  /// - Parameter query: reads the store, for the paths of the copies of imported sources.
  static func rotate(_ files: StoreFiles, after made: Snapshot, _ options: SnapshotOptions, _ query: TextQuery) {
    // The new one counts as the newest, whatever its time: the clock may have been set back.
    let all = [made] + ((try? all(files)) ?? []).filter { $0.id != made.id }
    let stays = [made.id, all.first { $0.isSound(files) }?.id]
    let automatic = all.filter(\.isAutomatic)
    var given = options.policy.surplus(automatic).filter { !stays.contains($0.id) }
    if let maximum = options.maximumBytes {
      // The order of giving way: the oldest automatic snapshots first. Copies that may not be missed never give way.
      var bytes = CopyBytes(files, query).total - given.reduce(0) { $0 + $1.bytes }
      for oldest in automatic.reversed() where bytes > maximum && !stays.contains(oldest.id) && !given.contains(oldest) {
        given.append(oldest)
        bytes -= oldest.bytes
      }
    }
    for old in given { try? old.remove(files) }
  }
}

/// The bytes of all copies of a store.
struct CopyBytes: Equatable {
  let snapshots: Int64
  let archive: Int64
  let quarantine: Int64
  let sources: Int64

  var total: Int64 { snapshots + archive + quarantine + sources }

  init(_ files: StoreFiles, _ query: TextQuery) {
    func bytes(_ folder: URL) -> Int64 {
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
      return names.map { folder.appendingPathComponent($0).path }.reduce(0) { $0 + (DurableFile.isFolder($1) ? 0 : DurableFile.size($1)) }
    }
    (snapshots, archive, quarantine) = (bytes(files.snapshots), bytes(files.archive), bytes(files.quarantine))
    let paths = try? query("SELECT DISTINCT backup_path FROM holdfast_imports WHERE backup_path IS NOT NULL")
    sources = (paths ?? []).compactMap { $0.first ?? nil }.reduce(0) { sum, path in
      ([""] + StoreFiles.logs).reduce(sum) { $0 + DurableFile.size(path + $1) }
    }
  }
}
