public import Foundation
internal import GRDB
import Logging

/// What `Store.purge` did.
public struct PurgeReport: Sendable, Codable, Equatable {
  /// How many rows were deleted, by table, with the rows that referenced the purged one.
  public var rows: [String: Int]
  /// The ids of the snapshots that were removed, newest first; also of snapshots without a readable description or without a copy.
  public var snapshots: [String]
  /// How many folders of files that had been set aside were removed.
  public var setAside: Int
  /// How many quarantined records and fields were removed.
  public var quarantined: Int
  /// Whether the earlier commits of an archive were removed. A new archive has begun; with the mode `.off` there is none.
  public var beganArchiveAnew: Bool
  /// Copies of import sources, which the kit does not change. They may hold the row, as the sources themselves do.
  public var sourceBackups: [String]
}

extension Store {
  /// Takes a row, with the rows that reference it, out of the store, and out of every copy of the past that the kit keeps.
  ///
  /// Deletes the row and the rows that the schema's cascades delete; writes the full-text indexes and the file again, because both keep
  /// deleted text for a while; makes a new snapshot; begins a new archive. Then it removes all older snapshots, the older archive, and all
  /// files that were set aside. So no earlier moment can be restored afterwards: an old copy may hold the row in pages that no query shows.
  ///
  /// The kit's own tables forget the ids of all deleted rows, too: quarantined records and fields that contain such an id are removed, and
  /// so are its problems in import reports, and its entries in the ledger of imports; a damaged report is emptied. A later import of a
  /// source that still holds the row therefore brings it back: delete the source. An id is the UUID by which a table finds a row. Numbers
  /// and other keys are not looked for, and neither are quarantined records without an id.
  ///
  /// Entries of the audit that tell of such a row, or name such an id, stay without row and values, marked as purged; see `AuditEntry`.
  /// Their actor and verb stay.
  ///
  /// In a store that is connected to a space, the key of each synced row that is deleted stays in its tombstone for ever, and travels marked as
  /// purged. The other devices delete the row, and keep their own snapshots and archives until `StoreSync.forget()` there. This call forgets
  /// as well what other devices have purged. A parked row goes as it would have gone from its table; one that only refers to the row with SET
  /// NULL stays, and names its id until it comes back.
  ///
  /// It does not reach sources of imports and their backups, exports, or copies that an app or a system made; the report lists the backups.
  /// Snapshots in a folder that the options named earlier stay; delete them yourself.
  ///
  /// Blocks writers. Needs free space for three copies of the store. When it throws, some of this may be done; call it again: a row that is
  /// gone already is no error. But of a row that was deleted earlier by other means only its own id is known, not the ids of the rows that
  /// referenced it.
  /// - Throws: `.constraint` when other rows forbid the deletion; `.busy` when another process writes the archive, and nothing has changed
  ///   then, or holds a lock of the store; `.readOnly`, `.closed`; `.misuse` inside the closure of another call on this store; `.diskFull`;
  ///   `.decoding` for a damaged key or quarantined record; `.verificationFailed` when the new snapshot differs from the store;
  ///   `.inputOutput`, `.permissionDenied` and `.cannotCreate` when a folder cannot be listed or made, or a file cannot be read, written or
  ///   removed.
  @discardableResult
  public func purge<Record: StoredRecord>(_ type: Record.Type, id: UUID) throws -> PurgeReport {
    try purge("\(type.table)") { tx in
      let ids = try PurgedIDs(id, in: type.table, type.key.first ?? "id", tx)
      try tx.delete(type, id: id)
      return ids
    }
  }

  /// Forgets the rows that other devices have purged, as `purge` does, and ends a purge that was interrupted: the whole past of this store goes,
  /// and what the kit's own tables have of the rows. Nil, and nothing changes, where there are none.
  ///
  /// - Throws: as `purge`. The rows are then still marked; call it again.
  package func forgetPurged() throws -> PurgeReport? {
    guard try !read({ reader in try reader.unforgotten() }).isEmpty else { return nil }
    return try purge("") { _ in PurgedIDs(ids: []) }
  }

  /// - Parameter delete: deletes the rows, and returns their ids.
  private func purge(_ table: String, as verb: StaticString = #function, _ delete: (Writer) throws -> PurgedIDs) throws -> PurgeReport {
    try OpenDoor.check(self)
    try checkWritable()
    return try telling {
      try archiver?.takeOver()
      // Where this store does not archive, nobody may: nothing of the archive can be kept.
      let lock = try archiver == nil ? lockArchive() : nil
      defer { withExtendedLifetime(lock) {} }
      let before = try inspect { db in try rowCounts(db.texts) }
      let (quarantined, forgotten) = try write(as: verb) { tx in
        let before = try Set(tx.tombstones())
        let synced = schemas.flatMap { $0.declarations.compactMap(\.synced) }
        var ids = try delete(tx)
        try ids.ids.formUnion(PurgedIDs(of: tx.unforgotten(), synced, tx).ids)
        ids = try tx.purgeWaiting(ids, synced)
        let quarantined = try tx.forget(ids)
        try tx.mark(tombstonesSince: before, naming: ids)
        let forgotten = try tx.unforgotten()
        try tx.purgeAudit(ids, tx.purgeLost(forgotten, synced))
        return (quarantined, forgotten)
      }
      let after = try inspect { db in try rowCounts(db.texts) }
      var rows: [String: Int] = [:]
      for (table, count) in before where !table.hasPrefix("holdfast_") && count > after[table] ?? 0 {
        rows[table] = count - (after[table] ?? 0)
      }
      for index in try inspect({ db in try SearchIndex.all(db.texts) }) {
        try write(as: verb) { tx in _ = try tx.execute(BoundSQL(raw: index.filling)) }
      }
      try vacuum()
      try checkpoint(.truncate)
      let (snapshots, setAside, hasArchive) = try forgetPast(lock)
      // Not before the past is gone: a purge that was interrupted is told by `unforgotten()`, and ended by `forgetPurged()`.
      if !forgotten.isEmpty { try write(as: verb) { tx in try tx.noteForgotten(forgotten) } }
      let backups = try inspect { db in try db.texts("SELECT backup_path FROM holdfast_imports WHERE backup_path IS NOT NULL") }
      logger.notice("purged", metadata: ["table": "\(table)", "rows": "\(rows.values.reduce(0, +))"])
      return PurgeReport(
        rows: rows, snapshots: snapshots, setAside: setAside, quarantined: quarantined, beganArchiveAnew: hasArchive,
        sourceBackups: backups.compactMap { $0.first ?? nil })
    }
  }

  /// The same without blocking the caller. A purge that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func purge<Record: StoredRecord>(_ type: Record.Type, id: UUID) async throws -> PurgeReport {
    try await offTask { _ in try self.purge(type, id: id) }
  }

  private func lockArchive() throws -> FolderLock? {
    guard let files, ArchiveFolder(files).exists else { return nil }
    return try FolderLock(files.archive, busy: files.archivedElsewhere)
  }

  /// Removes every copy of an earlier state, after a new snapshot and a new base of the present one were made.
  private func forgetPast(_ lock: FolderLock?) throws -> (snapshots: [String], setAside: Int, hasArchive: Bool) {
    guard let files else { return ([], 0, false) }
    // Nothing is removed by the rules here: everything old goes below, and the report names it.
    let new = try Snapshot.make(files, label: "after purging", isAutomatic: true, options, rotates: false)
    // Also copies that no description names, and a copy that is being made of an earlier state.
    let old = try removeAll(in: files.snapshots, but: [new.file(files), new.description(files)].map(\.lastPathComponent))
    let copies = old.map { files.snapshots.appendingPathComponent($0) }.filter { ["sqlite", "json"].contains($0.pathExtension) }
    let snapshots = Set(copies.map { $0.deletingPathExtension().lastPathComponent }).sorted(by: >)
    let setAside = try removeAll(in: files.quarantine)
    guard ArchiveFolder(files).exists else { return (snapshots, setAside.count, false) }
    guard let archiver else {
      // Another process may have begun it meanwhile.
      let lock = try lock ?? lockArchive()
      defer { withExtendedLifetime(lock) {} }
      try DurableFile.remove(ArchiveFolder(files).url)
      return (snapshots, setAside.count, true)
    }
    try archiver.beginAnew(because: ArchiveGap.purged.rawValue)
    _ = try archive()
    try archiver.removeOlderGenerations()
    return (snapshots, setAside.count, true)
  }

  /// Removes everything in a folder but `kept`, and returns the names. No folder is an empty one.
  private func removeAll(in folder: URL, but kept: [String] = []) throws -> [String] {
    guard DurableFile.stands(folder.path) else { return [] }
    let names = try DurableFile.names(in: folder)
    let old = names.filter { !kept.contains($0) }
    // The descriptions first, also after power loss, because a copy without one does not count.
    for isDescription in [true, false] {
      for name in old where name.hasSuffix(".json") == isDescription { try DurableFile.remove(folder.appendingPathComponent(name)) }
      try DurableFile.flushFolder(of: folder.appendingPathComponent("old"))
    }
    return old
  }
}
