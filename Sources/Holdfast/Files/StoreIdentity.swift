import Foundation

// Whose a file, a snapshot or an archive is: a new store gets an id, which stands in `holdfast_store` and in every copy of its file.
extension StoreFiles {
  /// The id in a database file; nil where it cannot be read. A file that was copied has its original's.
  static func id(in file: URL, _ key: StoreKey?) -> String? {
    guard DurableFile.size(file.path) > 0 else { return nil }
    // No log changes it.
    return try? LogLine.stored(ConnectionFactory(file.path, .production(key)).look(ignoringLog: true))?.store
  }

  /// Call before a copy of a store with the id `owner` is used for this one. Throws `.wrongKind` when it is of another store; not where
  /// one of the ids is not known. `name`: of the copy, for people.
  func checkIsOwn(_ owner: @autoclosure () throws -> String?, _ name: String, _ key: StoreKey?) throws {
    guard let own = Self.id(in: url, key), let owner = try owner(), owner != own else { return }
    throw StoreError(
      .wrongKind, "\(name) is of another store: that has the id \(owner), and \(path) has \(own)",
      suggestion: "Move \(folder.path) to the store that it belongs to.")
  }

  /// The id of the store whose archive or snapshots lie here; nil where there are none, or they do not tell.
  func ownerOfCopies(_ key: StoreKey?) -> String? {
    if let owner = ArchiveFolder(self, key).owner() { return owner }
    for snapshot in (try? Snapshot.all(self)) ?? [] { if let owner = Self.id(in: snapshot.file(self), key) { return owner } }
    return nil
  }

  /// Sets an archive of another store aside, before this store would go on with it. Returns notices.
  func settleArchive(_ options: StoreOptions) throws -> [StoreNotice] {
    let archive = ArchiveFolder(self, options.key)
    guard archive.exists, let owner = archive.owner(), let own = Self.id(in: url, options.key), own != owner,
      // Held by another process: that settles it.
      let lock = try? FolderLock(archive.url, busy: archivedElsewhere)
    else { return [] }
    defer { withExtendedLifetime(lock) {} }
    let reason = "the archive beside \(path) is of another store, with the id \(owner)"
    let kept = try newQuarantine(because: reason, at: options.now())
    do {
      try DurableFile.place(archive.url, at: kept.appendingPathComponent(archive.url.lastPathComponent))
      // Archiving goes on, with the present state.
      try DurableFile.makeFolder(archive.url)
    } catch {
      if archive.exists { _ = try? DurableFile.remove(kept) }
      throw error
    }
    return [.init(.foreignArchive, "\(reason); it was set aside", kept: kept)]
  }
}

extension LogLine {
  /// Gives the store in a file the id of the archive and snapshots beside its final name: it takes the place of their store, which is gone.
  static func adopt(_ owner: String?, by file: URL, _ options: StoreOptions) throws {
    guard let owner else { return }
    let connection = try ConnectionFactory(file.path, options).working()
    guard var line = try? stored(connection), line.store != owner else { return }
    line.store = owner
    try line.save(in: connection)
  }
}
