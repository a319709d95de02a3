public import Foundation
public import Holdfast
import Logging

extension Store {
  /// Imports a source into the store at `url`. Makes the store when there is none.
  ///
  /// Write, verification and commit are one transaction. A new store is built under a working name and renamed when it is complete, so a
  /// crash leaves no store or a complete one. The source is never modified. It is copied to `<name>.backup` beside it. The copy goes beside
  /// the store if the source's folder is not writable or belongs to a bundle, or if the format asks for that. There is no copy of a source
  /// from which nothing came in, that is only the beginning of a file, or whose format excludes it. Importing the same source again changes nothing. An import that
  /// changes a store with rows takes a snapshot of the state before, which needs as much free space as the store.
  /// `ImportOptions.importing(_:)` runs it without blocking the caller.
  /// - Throws: `.verificationFailed`, `.invalidSource`, `.newerSource`, `.cancelled`, and the errors of opening and writing a store. The
  ///   store is then unchanged, and no copy of the source is left, unless the disk became full only when a new store was finished.
  public static func importing<Format: ImportFormat>(
    _ format: Format, from source: ImportSource, into url: URL, schemas: [StoreSchema], options: ImportOptions = ImportOptions(),
    storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let files = try StoreFiles(url, snapshots: storeOptions.snapshots.folder)
    let destination = try ImportDestination(files, schemas, options, storeOptions)
    // For a new store the source is copied first. If that fails, nothing has begun.
    let backup =
      try destination.isNew
      ? SourceBackup.Kept(of: source, format, orBeside: files.url, options) : nil
    do {
      let (result, notices) = try destination.fill(schemas, storeOptions, options) { store in
        guard let backup else { return try store.importing(format, from: source, options: options) }
        return try store.importing(format, from: source, options: options, backup: backup)
      }
      var report = result
      for notice in notices { report.note(notice.message) }
      return report
    } catch {
      backup?.backup?.discard()
      throw error
    }
  }

  /// Imports a source into this store; see the static form.
  public func importing<Format: ImportFormat>(
    _ format: Format, from source: ImportSource, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    try checkWritable()
    let backup = try SourceBackup.Kept(of: source, format, orBeside: url, options)
    return try importing(format, from: source, options: options, backup: backup)
  }

  private func importing<Format: ImportFormat>(
    _ format: Format, from source: ImportSource, options: ImportOptions, backup kept: SourceBackup.Kept
  ) throws -> ImportReport {
    do {
      let report: ImportReport
      do {
        report = try run(format, source, options, kept, isCareful: false)
      } catch is HalfWrittenRecord {
        report = try run(format, source, options, kept, isCareful: true)
      }
      logger.info(
        "imported", metadata: ["format": "\(format.name)", "problems": "\(report.problemCount)", "dry_run": "\(options.dryRun)"])
      return report
    } catch {
      logger.error("the import failed", metadata: ["format": "\(format.name)", "code": "\(StoreError(error).code.rawValue)"])
      kept.backup?.discard()
      throw error
    }
  }

  /// Runs the import in one transaction, whose commit is flushed.
  private func run<Format: ImportFormat>(
    _ format: Format, _ source: ImportSource, _ options: ImportOptions, _ kept: SourceBackup.Kept, isCareful: Bool
  ) throws -> ImportReport {
    // Where no copy was made, the hash is taken now, before other writers have to wait.
    _ = try source.sha256
    return try durably {
      try write(as: "import") { tx in
        tx.rollsBack = options.dryRun
        // Random ids change pages everywhere in the indexes. With SQLite's small default cache, most pages would be read many times.
        try tx.setCacheSize(kibibytes: 16_384)
        defer { try? tx.setCacheSize(kibibytes: 2_000) }
        let id = IDCodec.lowercase(tx.makeID())
        // For few records, dropping and making triggers costs more time than it saves.
        let isLarge = format.total >= 2_000
        let search = try isLarge ? SearchPause(in: tx) : nil
        let indexes = try isLarge ? IndexPause(format.laterIndexes, in: tx) : nil
        let format = try format.settled(in: tx)
        let broken = try brokenInvariants(tx)
        var run = try ImportRun(format, source: source, options: options, importID: id)
        run.isCareful = isCareful
        var report = try tx.stamped(at: source.modifiedAt, by: source.sha256) { try run.run(in: tx) }
        try indexes?.end(in: tx)
        try search?.end(in: tx)
        try source.proveReading()
        if let new = try brokenInvariants(tx).subtracting(broken).min() {
          throw StoreError(
            .verificationFailed, "with this source the store would break the rule \(new)",
            suggestion: "Import it into a new store; this one was left as it is.")
        }
        let isTaken = report.counts.values.contains { $0.imported + $0.merged > 0 }
        // Here and not before the import: a refused source costs no copy, and no commit can come between the snapshot and the import.
        if !options.dryRun, report.problemCount > 0 || isTaken {
          try snapshotLastCommit(label: "before the import of \(source.url.lastPathComponent)", isCancelled: options.isCancelled)
        }
        // A source from which nothing came in needs no copy.
        if let backup = kept.backup, isTaken || backup.isThere { report.backup = try backup.keep().path } else { kept.backup?.discard() }
        if let names = SourceFiles(source.url).otherNames { report.note(names) }
        if let reason = kept.noCopy { report.note("no copy of the source is kept: \(reason)") }
        try Self.enter(report, source, id: id, tx)
        return report
      }
    }
  }

  /// The broken invariants, each with the row that breaks it.
  private func brokenInvariants(_ reader: Reader) throws -> Set<String> {
    var broken: Set<String> = []
    for invariant in schemas.flatMap(\.invariants) {
      try reader.rows(invariant.findings) { row in broken.insert("\(invariant.name) (\(try row.value()))") }
    }
    return broken
  }

  /// Restores the copy of an imported source to the source's path.
  ///
  /// A file that is there now is kept as a numbered copy. Returns the restored path.
  /// - Throws: `.notFound` when no import of this source is known, or its copy is missing; `.verificationFailed` when the copy has changed
  ///   since the import.
  @discardableResult
  public func restoreBackup(ofSource url: URL) throws -> URL {
    let found = try read { reader in
      try reader.value(
        """
        SELECT backup_path, source_sha256 FROM holdfast_imports
        WHERE source_path = \(url.path) AND backup_path IS NOT NULL ORDER BY imported_at DESC, id DESC LIMIT 1
        """
      ) { row in (path: try row.text(), sha256: try row.text()) }
    }
    guard let found, FileManager.default.fileExists(atPath: found.path) else {
      throw StoreError(.notFound, "there is no copy of \(url.path)")
    }
    let folder = try WorkingFolder(beside: url, "restoring")
    let working = folder.file(url.lastPathComponent)
    guard try SourceFiles(URL(fileURLWithPath: found.path)).copy(to: working) == found.sha256 else {
      throw StoreError(.verificationFailed, "\(found.path) has changed since it was imported")
    }
    if FileManager.default.fileExists(atPath: url.path) { try ImportSource(url).keepCopy() }
    try SourceFiles(working).move(to: url)
    return url
  }

  /// Removes the copy of an imported source. Only this call removes such copies. Returns false when there was no copy.
  ///
  /// - Throws: `.permissionDenied`, `.inputOutput`; the copy is then still there. `.readOnly`.
  @discardableResult
  public func removeBackup(ofSource url: URL) throws -> Bool {
    try checkWritable()
    let paths = try read { reader in
      try reader.values("SELECT DISTINCT backup_path FROM holdfast_imports WHERE source_path = \(url.path) AND backup_path IS NOT NULL") {
        row in try row.text()
      }
    }
    var removed = false
    for path in paths {
      for suffix in [""] + StoreFiles.logs where try DurableFile.remove(URL(fileURLWithPath: path + suffix)) { removed = true }
    }
    try write { tx in
      _ = try tx.execute("UPDATE holdfast_imports SET backup_path = NULL WHERE source_path = \(url.path)")
    }
    return removed
  }

  private static func enter(_ report: ImportReport, _ source: ImportSource, id: String, _ tx: Writer) throws {
    let text = try StoredJSON(report).text
    try tx.execute(
      """
      INSERT INTO holdfast_imports (id, format, format_version, source_path, source_sha256, source_bytes, source_modified_at,
        backup_path, imported_at, report)
      VALUES (\(id), \(report.format), \(report.formatVersion), \(report.source), \(source.sha256), \(source.bytes),
        \(source.modifiedAt), \(report.backup), \(tx.currentDate()), \(text))
      """)
  }
}
