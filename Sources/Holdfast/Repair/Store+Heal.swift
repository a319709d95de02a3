internal import CHoldfast
public import Foundation
internal import GRDB
internal import GRDBSQLite
import Logging

extension Store {
  /// Heals a damaged store that is not open, also one that cannot be opened any more, or is gone.
  ///
  /// Works on copies, and takes the first way that ends in a sound store: damaged pages from the archive, with the commits of the log;
  /// pages that the archive does not know stay, and `HealReport.mayBeLost` names what could not be proven; indexes made again where only those are damaged; else every row that can be read, as
  /// `salvage(_:to:schemas:options:)` does, and the rows of lost pages from the newest sound state of the archive or the newest snapshot;
  /// else that state itself. The result is verified, and then replaces the store. The damaged files move unchanged to
  /// `<store>.holdfast/quarantine/<time>/`, with the rows that were set aside. After a kill in between, the next opening finishes the work.
  ///
  /// A sound store stays as it is. So does one that differs from its archive while all checks pass, because another program may have changed
  /// it; unless every page that differs is as it was at an earlier time, as after a lost log.
  /// Needs free space for four copies beside the store.
  /// - Parameters:
  ///   - schemas: the app's schemas. Without any, the file must still tell its tables where rows have to be salvaged.
  ///   - trustsArchive: whether every difference from the archive is damage, because no program writes to the store without archiving.
  /// - Throws: `.damaged` when nothing helps; `.notFound` when nothing helps and the file is gone; `.busy` when the store is open, here or
  ///   in another process; `.wrongKind`, `.diskFull`, `.permissionDenied`, `.inputOutput`; `.keyNeeded`, `.wrongKey`, `.notEncrypted`. The
  ///   store is then as it was.
  @discardableResult
  public static func heal(
    at url: URL, schemas: [StoreSchema], options: StoreOptions = .production, trustsArchive: Bool = false
  ) throws -> HealReport { try heal(url, schemas, options, trustsArchive, replaces: true) {} }

  /// The same without blocking the caller. When the task is cancelled before the store is replaced, it throws `.cancelled`.
  @discardableResult
  public static func heal(
    at url: URL, schemas: [StoreSchema], options: StoreOptions = .production, trustsArchive: Bool = false
  ) async throws -> HealReport {
    try await offTask { isCancelled in
      try heal(url, schemas, options, trustsArchive, replaces: true) {
        if isCancelled() { throw StoreError(.cancelled, "the healing was cancelled; nothing was changed") }
      }
    }
  }

  /// What `heal(at:schemas:options:trustsArchive:)` would do. Changes nothing, but finishes a restore that was interrupted.
  ///
  /// - Throws: as `heal`.
  public static func healPlan(
    at url: URL, schemas: [StoreSchema], options: StoreOptions = .production, trustsArchive: Bool = false
  ) throws -> HealReport { try heal(url, schemas, options, trustsArchive, replaces: false) {} }

  private static func heal(
    _ url: URL, _ schemas: [StoreSchema], _ options: StoreOptions, _ trustsArchive: Bool, replaces: Bool, check: () throws -> Void
  ) throws -> HealReport {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    return try files.telling {
      let finished = try Replacement.finish(files, options)
      guard !DurableFile.isFolder(files.path), !DurableFile.isSpecial(files.path) else { throw DurableFile.noFile(files.path) }
      let folder = try WorkingFolder(for: files, "healing")
      let copy = StoreFiles(real: folder.file("present.sqlite"))
      let state = try files.copyUnchanged(to: copy.url, options)
      var healing = try Healing(files, copy: copy, schemas, options, trustsArchive: trustsArchive, folder)
      let healed = try healing.run(check: check)
      var report = healing.report
      if let finished { (report.kept, report.notes) = (finished.kept, [finished.message] + report.notes) }
      guard let healed else { return try report.orDamaged(files) }
      if report.means == .rows { report.notes += try Self.forgetStamps(in: healed, options) }
      guard replaces else {
        report.salvage?.setAside = nil
        return report
      }
      try check()
      try files.checkMayReplace()
      let aside = try report.moveSetAside(to: folder.url)
      report.kept = try Replacement.run(
        WayBack(files: files, options: options, reason: report.reason, file: healed, aside: aside, since: state))
      report.wereKept(aside)
      options.logger.notice("healed", metadata: ["means": "\(report.means.rawValue)", "path": "\(files.path)"])
      return report
    }
  }
}

// MARK: While the store is open

extension Store {
  /// Heals this store while it is open. Reads go on; writes wait.
  ///
  /// As `heal(at:schemas:options:trustsArchive:)`, on a copy of the present state. Where this store writes its archive, every difference from
  /// the archive is damage, also one that no check sees. The result replaces the content in one transaction, and every live update is read
  /// again. The damaged state is kept in the quarantine folder. A file whose beginning is destroyed cannot be healed while it is open, nor,
  /// without an archive that reaches to now, an encrypted one with a damaged page: close the store, and use the other form.
  ///
  /// - Throws: `.damaged` when nothing helps; `.busy` when another process goes on writing; `.readOnly`, `.closed`, `.diskFull`,
  ///   `.inputOutput`; `.misuse` for a store in memory, and inside the closure of another call on this store. The store is then
  ///   unchanged.
  @discardableResult
  public func heal() throws -> HealReport {
    try OpenDoor.check(self)
    try checkWritable()
    guard let files else { throw StoreError(.misuse, "a store in memory has no file that could be damaged") }
    return try telling {
      // The archive may have to take commits first; then it reports that by itself.
      let archiver = try? writtenArchive()
      let folder = try WorkingFolder(beside: files.url, "healing")
      let report = try durably { try onWriter { db in try heal(db, files, archiver, folder) } }
      if report.means != .none {
        watches.wakeAll()
        // The damaged pages stay in the file until then.
        _ = try? checkpoint(.truncate)
        logger.notice("healed", metadata: ["means": "\(report.means.rawValue)", "path": "\(path)"])
      }
      return report
    }
  }

  /// The same without blocking the caller. A healing that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func heal() async throws -> HealReport { try await offTask { _ in try self.heal() } }

  private func heal(_ db: Database, _ files: StoreFiles, _ archiver: Archiver?, _ folder: WorkingFolder) throws -> HealReport {
    let examiner = try ConnectionFactory(files, options).examiner()
    let copy = StoreFiles(real: folder.file("present.sqlite"))
    let version = try present(of: examiner, archiver, files, at: copy.url)
    let commit = try archiver?.presentCommit()
    var healing = try Healing(files, copy: copy, schemas, options, trustsArchive: archiver != nil, lastCommit: commit, folder)
    let healed = try healing.run {}
    var report = healing.report
    guard let healed else { return try report.orDamaged(files) }
    if report.means == .rows { report.notes += try Self.forgetStamps(in: healed, options) }
    let undecryptable = try healing.undecryptable()
    let connection = try ConnectionFactory(healed.path, options).working()
    if try SchemaShape(connection.texts).isConnected {
      // A sync that runs notices by its node, and begins anew: what it has pulled, and the answer for which it waits, are of another state.
      try connection.run("UPDATE holdfast_sync SET node = 0")
    }
    let line = try LogLine.stored(connection)
    try Snapshot.makeStandAlone(connection, healed, options)
    try line?.save(in: connection)
    let way = WayBack(files: files, options: options, reason: report.reason, file: try fit(healed, "the healed store", files))
    // Before the content is replaced: whatever ends this program after that, the damaged files are kept.
    let kept = try files.newQuarantine(because: way.reason, at: options.now())
    do {
      for suffix in [""] + StoreFiles.logs where DurableFile.stands(copy.path + suffix) {
        try DurableFile.place(copy.beside(suffix), at: kept.appendingPathComponent(files.url.lastPathComponent + suffix))
      }
      let aside = try report.moveSetAside(to: kept)
      try replaceContent(way, db) {
        guard try examiner.texts("PRAGMA data_version") == version else { throw files.changedMeanwhile }
        try Self.write(undecryptable, db)
      }
      report.kept = kept
      report.wereKept(aside)
      return report
    } catch {
      _ = try? DurableFile.remove(kept)
      guard options.key != nil, StoreError(error).code == .damaged else { throw error }
      throw StoreError(
        .damaged, "\(files.path) can be healed, and not while it is open: SQLite writes over no encrypted page that is damaged",
        suggestion: "Close the store, and call `Store.heal(at:schemas:)`, or use `holdfast heal`.", cause: error)
    }
  }

  /// Rows from elsewhere prove nothing about the stamps of a connected store: they merge with the server as rows that were there before it was
  /// connected, and a row that is missing comes back from it. The next opening makes the triggers, and registers for the rows.
  ///
  /// - Returns: for the notes, that the store is connected no more: the space's state, or a table of sync, was lost.
  private static func forgetStamps(in healed: URL, _ options: StoreOptions) throws -> [String] {
    let connection = try ConnectionFactory(healed.path, options).working()
    // The file alone takes the store's place, without a log.
    try connection.run("PRAGMA journal_mode = DELETE")
    let found = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'").compactMap { $0.first ?? nil })
    guard !found.isDisjoint(with: SyncTables.all) else { return [] }
    for name in try connection.texts(SyncTables.triggers).compactMap({ $0.first ?? nil }) {
      try connection.run("DROP TRIGGER \(quoted(name))")
    }
    guard try found.isSuperset(of: SyncTables.all) && !connection.texts("SELECT 1 FROM \(SyncTables.state)").isEmpty else {
      let lost = try [("parked", "parked rows"), ("lost", "lost values"), ("aside", "rows kept beside parked ones")].compactMap {
        name, noun in
        guard found.contains("holdfast_sync_\(name)") else { return nil as String? }
        let count = try connection.texts("SELECT count(*) FROM holdfast_sync_\(name)").first?[0] ?? "0"
        return count == "0" ? nil : "\(count) \(noun)"
      }
      // Without its one row the triggers would note nothing, and nobody would learn of it.
      for table in SyncTables.all { try connection.run("DROP TABLE IF EXISTS \(table)") }
      return ["the store is connected to no space any more: the damage took what it knew of it"]
        + (lost.isEmpty ? [] : ["with that went \(lost.joined(separator: ", ")): only the damaged file in the quarantine has them"])
    }
    try connection.run("UPDATE holdfast_sync SET epoch = NULL, cursor = 0, is_resync = iif(is_resync = 2, 2, 1)")
    for table in ["cell", "row"] {
      try connection.run(
        """
        DELETE FROM holdfast_sync_\(table) WHERE NOT EXISTS (
          SELECT 1 FROM holdfast_sync_parked p WHERE p.tbl = holdfast_sync_\(table).tbl AND p.key = holdfast_sync_\(table).key)
        """)
    }
    try connection.run("UPDATE holdfast_sync_row SET sequence = 0, dirty = (SELECT is_resync <> 2 FROM holdfast_sync)")
    return []
  }

  /// Writes pages into the store's file that SQLite cannot read there, and so would not write over. Nobody else writes meanwhile: this store
  /// has the write lock, and these pages are not in the log. Readers find what they would have found before the damage.
  private static func write(_ pages: [Int: [UInt8]], _ db: Database) throws {
    guard let handle = db.sqliteConnection else { return }
    for (number, page) in pages {
      let code = holdfast_write(handle, page, Int32(page.count), Int64(number - 1) * Int64(page.count))
      guard code == SQLITE_OK else { throw StoreError(sqlite: handle, code) }
    }
  }

  /// Copies the pages of the present state, whose commits are in the archive then. Returns what changes when another process commits.
  private func present(of examiner: RawConnection, _ archiver: Archiver?, _ files: StoreFiles, at url: URL) throws -> [[String?]] {
    for _ in 0..<5 {
      let version = try examiner.texts("PRAGMA data_version")
      let commit = try archiver?.presentCommit()
      _ = try DurableFile.remove(url)
      _ = try DurableFile.create(url.path)
      let state = StoreFiles.State(files)
      do {
        let target = try ConnectionFactory(url.path, options).working()
        try PageCopy(from: examiner, to: target.handle).finish()
      } catch let error as StoreError where options.key != nil && error.code == .damaged {
        // SQLite gives no encrypted page that is damaged, and counts its version anew after that.
        _ = try DurableFile.remove(url)
        try files.copy(to: url)
        let version = try examiner.texts("PRAGMA data_version")
        guard try archiver?.presentCommit() == commit, state == StoreFiles.State(files) else { continue }
        return version
      }
      // Commits of other processes are in the copy, and may not have been in the archive.
      if try archiver?.presentCommit() == commit, try examiner.texts("PRAGMA data_version") == version { return version }
    }
    throw files.changedMeanwhile
  }
}

extension HealReport {
  /// - Throws: `.damaged` when the store is damaged, or `.notFound` when it is gone, and nothing helped.
  fileprivate func orDamaged(_ files: StoreFiles) throws -> HealReport {
    guard !damage.isEmpty else { return self }
    throw StoreError(
      DurableFile.stands(files.path) ? .damaged : .notFound,
      "\(files.path) is damaged, and nothing could heal it: \((damage.prefix(1) + notes).joined(separator: "; "))",
      suggestion: "The files are as they were. Keep them, and look for a copy on another disk.")
  }

  /// What was done, for the quarantine and the archive's history.
  fileprivate var reason: String { "healed (\(means.rawValue))" }

  /// Moves the file with the rows that were set aside to a folder, and returns it there; empty when there is none.
  fileprivate func moveSetAside(to folder: URL) throws -> [URL] {
    guard let file = salvage?.setAside else { return [] }
    let place = folder.appendingPathComponent("set-aside.\(file.pathExtension)")
    try DurableFile.place(file, at: place)
    return [place]
  }

  /// They are with the damaged files now.
  fileprivate mutating func wereKept(_ aside: [URL]) {
    salvage?.setAside = aside.first.flatMap { file in kept?.appendingPathComponent(file.lastPathComponent) }
  }
}
