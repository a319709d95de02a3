public import Foundation

extension Store {
  /// Restores a snapshot while the store is open. The snapshot's content replaces the store's in one SQLite transaction, so readers in this
  /// and other processes see the old state or the new one. The old state is kept as a snapshot, which is returned; no commit can come
  /// between the two. Before that, in a copy of the snapshot, search indexes that differ from their text are made again, and migrations that
  /// it lacks run. Every live update is read again afterwards. A restore removes no snapshot: the next snapshot that another call makes
  /// removes those that the options do not keep.
  ///
  /// Needs free space for two copies beside the store. Only for stores in a file: in memory it throws `.misuse`.
  /// - Throws: `.notFound`, `.verificationFailed` when the snapshot has changed since it was made, `.newerSchema`, `.readOnly`, `.busy`,
  ///   `.diskFull`; the store is then unchanged.
  @discardableResult
  public func restore(snapshot id: String) throws -> Snapshot {
    try OpenDoor.check(self)
    try checkWritable()
    return try replace { files, file in
      try (Snapshot.build(id, files, options, at: file), "restored the snapshot \(id)", "the snapshot \(id)")
    } keep: { files in
      // A person may try one snapshot after the other, so all of them stay.
      try Snapshot.make(files, label: "before restoring \(id)", isAutomatic: true, options, rotates: false)
    }.kept
  }

  /// The same without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func restore(snapshot id: String) async throws -> Snapshot { try await offTask { _ in try self.restore(snapshot: id) } }

  /// Restores a snapshot of a store that is not open, also of one that cannot be opened any more.
  ///
  /// The old files are moved unchanged to `<store>.holdfast/quarantine/<time>/`, and that URL is returned; nil when there was no file.
  /// After a kill or power loss in between, the next opening or command finishes the restore. Migrations run at the next opening, too. Search
  /// indexes that differ from their text are made again.
  ///
  /// For a damaged store that is connected to a space for sync, this is a recovery: the store gets the sync state of that time, sends what
  /// was not sent then, and receives what the server got since. Edits that only the replaced file had are in the quarantine. A store that
  /// is connected and not damaged is restored while it is open: there it is an edit, which the other devices get.
  /// - Throws: `.notFound`, `.verificationFailed`, `.busy` when another process has the file open, `.inputOutput`; `.misuse` for a store that
  ///   is connected and not damaged; the file is then unchanged, or the message says that the next opening finishes the restore.
  @discardableResult
  public static func restore(at url: URL, snapshot id: String, options: StoreOptions = .production) throws -> URL? {
    try replace(url, options) { files, file in
      try (Snapshot.build(id, files, options, at: file), "replaced by the snapshot \(id)")
    }.kept
  }

  /// The same without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public static func restore(at url: URL, snapshot id: String, options: StoreOptions = .production) async throws -> URL? {
    try await offTask { _ in try Store.restore(at: url, snapshot: id, options: options) }
  }

  /// The tables whose rows would differ after `restore(snapshot:)`: `added` are rows that the restore brings back. Verifies the snapshot
  /// as a restore does, and changes nothing. Migrations that the snapshot lacks are not run for the comparison.
  ///
  /// - Throws: `.notFound`, `.verificationFailed` when the snapshot has changed since it was made; the errors of reading; `.closed`;
  ///   `.misuse` for a store in memory, and inside the closure of another call on this store.
  public func restorePlan(snapshot id: String) throws -> [TableDifference] {
    try OpenDoor.check(self)
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    return try telling {
      try connections.checkOpen(path)
      let chosen = try Snapshot.verified(id, files, options)
      return try StoreDifference.between(files.url, chosen.file(files), options)
    }
  }

  /// The same without blocking the caller.
  public func restorePlan(snapshot id: String) async throws -> [TableDifference] {
    try await offTask { _ in try self.restorePlan(snapshot: id) }
  }
}

extension Snapshot {
  /// Copies a snapshot to a file of its own, at `file`, which must not exist, after verifying the snapshot as `verify(_:of:options:)` does.
  /// The hash of the copy is compared, too. The file gets its name once it is complete. Any SQLite can read it; the store and the snapshot
  /// stay as they are. If the store was connected to a space, so is the copy: opened and synced, it is one more device, and gets the later
  /// changes.
  ///
  /// - Parameter options: for their key, and for the folder of the snapshots.
  /// - Throws: the errors of `verify(_:of:options:)`; `.cannotCreate` when there is such a file already; `.misuse` for a file of the store
  ///   itself; `.diskFull`, `.permissionDenied`, `.inputOutput`. No new file is left then.
  @discardableResult
  public static func restore(_ id: String, of url: URL, at file: URL, options: StoreOptions = .production) throws -> Snapshot {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    return try files.telling {
      try files.checkIsNotOwn(file)
      return try DurableFile.making(file) { try copy(id, files, options, to: $0) }
    }
  }

  /// Copies the verified snapshot, and makes search indexes again that differ from their text.
  static func build(_ id: String, _ files: StoreFiles, _ options: StoreOptions, at file: URL) throws -> Snapshot {
    let chosen = try copy(id, files, options, to: file)
    let connection = try ConnectionFactory(file.path, options).working()
    // Older versions of SQLite end the process at some damaged pages of a search index.
    if try chosen.findings.isEmpty || damage(connection).isEmpty { try connection.remakeSearchIndexes() }
    return chosen
  }

  private static func copy(_ id: String, _ files: StoreFiles, _ options: StoreOptions, to file: URL) throws -> Snapshot {
    let chosen = try verified(id, files, options)
    var sum = SHA256Sum()
    try DurableFile.copy(chosen.file(files), to: file) { sum.add($0) }
    guard sum.hex == chosen.sha256 else {
      throw StoreError(.verificationFailed, "the copy \(file.path) differs from the snapshot \(id)")
    }
    return chosen
  }
}
