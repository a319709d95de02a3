public import Foundation

extension Store {
  /// The tables whose rows would differ after `restore(snapshot:)`: `added` are rows that the restore brings back. Verifies the snapshot
  /// as a restore does, and changes nothing. Migrations that the snapshot lacks are not run for the comparison.
  ///
  /// - Throws: `.notFound`, `.verificationFailed` when the snapshot has changed since it was made; the errors of reading; `.closed`;
  ///   `.misuse` for a store in memory, and inside the closure of another call on this store.
  public func restorePlan(snapshot id: String) throws -> [TableDifference] {
    try OpenDoor.check(self)
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    do {
      try connections.checkOpen(path)
      let chosen = try Snapshot.verified(id, files, options)
      return try StoreDifference.between(files.url, chosen.file(files), options)
    } catch {
      throw failure(error)
    }
  }

  /// The same without blocking the caller.
  public func restorePlan(snapshot id: String) async throws -> [TableDifference] {
    try await offTask { _ in try self.restorePlan(snapshot: id) }
  }
}

extension Snapshot {
  /// Copies a snapshot to a file of its own, at `file`, which must not exist, after verifying the snapshot as `verify(_:of:options:)` does.
  /// The hash of the copy is compared, too. Any SQLite can read the file; the store and the snapshot stay as they are.
  ///
  /// - Parameter options: for their key, and for the folder of the snapshots.
  /// - Throws: the errors of `verify(_:of:options:)`; `.cannotCreate` when there is such a file already; `.misuse` for a file of the store
  ///   itself; `.diskFull`, `.permissionDenied`, `.inputOutput`. No new file is left then.
  @discardableResult
  public static func restore(_ id: String, of url: URL, at file: URL, options: StoreOptions = .production) throws -> Snapshot {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    do {
      try files.checkIsNotOwn(file)
      let chosen = try verified(id, files, options)
      try DurableFile.copy(chosen.file(files), to: file)
      do {
        guard try SHA256Hex.ofFile(at: file) == chosen.sha256 else {
          throw StoreError(.verificationFailed, "the copy \(file.path) differs from the snapshot \(id)")
        }
      } catch {
        _ = try? DurableFile.remove(file)
        throw error
      }
      return chosen
    } catch {
      throw StoreError(error, path: files.path)
    }
  }
}
