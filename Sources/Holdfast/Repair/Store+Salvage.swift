public import Foundation

extension Store {
  /// Builds a new store of every row that can be read in a damaged file, also where its header or its schema is destroyed, and where SQLite
  /// refuses the file. The last resort: a rewind or a snapshot brings back every row of a moment, a salvage only the rows that can still be
  /// read. See `WhenThingsGoWrong.md`.
  ///
  /// The damaged file and its log are read from a copy, and stay as they are; close the app that uses them before. Rows come in with every
  /// rule of their tables. Those that break a rule, point at a row that is gone, or may be of several tables are not lost: they are written
  /// as JSON lines to a file named like `url` with `.set-aside.jsonl` appended. For an encrypted file they go to the table `set_aside` of a
  /// database with the same key, named with `.set-aside.sqlite` appended. Search indexes are made again. A row whose bytes were changed
  /// without breaking its form cannot be told from a sound one.
  ///
  /// - Parameters:
  ///   - url: the new store, which must not exist.
  ///   - schemas: the app's schemas. They define the tables that the file does not tell any more, and the new store is opened and checked with
  ///     them. Without any, the file must still tell its tables.
  ///   - options: for the new store. `key` is the key of both files.
  /// - Throws: `.keyNeeded`, `.notEncrypted`; `.wrongKey` when no page can be read with the key; `.notFound`; `.cannotCreate` when there is a file at `url`; `.notADatabase` when no row can be read, or no table is known;
  ///   `.diskFull`, `.permissionDenied`, `.inputOutput`. No new file is left then.
  public static func salvage(
    _ file: URL, to url: URL, schemas: [StoreSchema] = [], options: StoreOptions = .production
  ) throws -> SalvageReport {
    do { return try salvage(file, to: url, schemas, options) {} } catch { throw StoreError(error, path: file.path) }
  }

  /// The same without blocking the caller. When the task is cancelled, it throws `.cancelled`, and no new file is left.
  public static func salvage(
    _ file: URL, to url: URL, schemas: [StoreSchema] = [], options: StoreOptions = .production
  ) async throws -> SalvageReport {
    try await offTask { isCancelled in
      do {
        return try salvage(file, to: url, schemas, options) {
          if isCancelled() { throw StoreError(.cancelled, "the salvage was cancelled; no file was made") }
        }
      } catch {
        throw StoreError(error, path: file.path)
      }
    }
  }

  /// - Parameter backup: a sound store whose rows fill what is lost; nil: none.
  static func salvage(
    _ file: URL, to url: URL, _ schemas: [StoreSchema], _ options: StoreOptions, filling backup: URL? = nil, check: () throws -> Void
  ) throws -> SalvageReport {
    let (source, target) = (try StoreFiles(file), try StoreFiles(url))
    _ = try Replacement.finish(source, options)
    try Encryption.check(source, options.key)
    try DurableFile.checkIsFree(target.path)
    var quiet = options.forCopy
    quiet.createsIfMissing = true
    let folder = try WorkingFolder(beside: target.url, "salvaging")
    let setAside = try SetAsideRows(beside: target.url, in: folder, options.key)
    let damaged = try DamagedFile(copying: source, into: folder, options.key)
    let model = schemas.isEmpty ? nil : folder.file("model.sqlite")
    if let model { try Store.open(at: model, schemas: schemas, options: quiet).close() }
    let known = try [model, backup].compactMap { try $0.map { try SalvageSchema(ConnectionFactory($0.path, quiet).working()) } }
    let (schema, origin) = try schema(of: damaged, known, source.path)
    let hints = Dictionary(known.last?.objects.map { ($0.name, $0.root) } ?? []) { first, _ in first }
    defer { setAside.end() }
    let report = try target.building(quiet) { new in
      let connection = try ConnectionFactory(new.path, quiet).working()
      try connection.run("PRAGMA journal_mode = MEMORY")
      let audits = schemas.flatMap(\.declarations).compactMap(\.audited)
      var salvage = Salvage(damaged, schema, into: connection, options.key, audits: audits, setAside: setAside.add)
      try salvage.run(hints: hints, backup: backup, check: check)
      try damaged.check()
      var report = salvage.report
      report.origin = origin
      if let words = damaged.ignoredLog { report.findings.append(words) }
      guard report.tables.contains(where: { $0.rows - $0.filled + $0.setAside > 0 }) else {
        throw StoreError(.notADatabase, "no row can be read in \(source.path)")
      }
      if let model = model ?? backup { report.findings += try connection.fillBookkeeping(from: model, options.key) }
      report.findings += try Snapshot.damage(connection) + connection.remakeSearchIndexes().findings
      report.setAside = setAside.place
      // First: a store under its name has all that was made with it.
      try setAside.finish()
      return report
    }.result
    setAside.belongs()
    return try checked(report, url, schemas, options)
  }

  /// What a damaged file still tells of itself: the schemas that it names, and its tables.
  ///
  /// - Parameter url: the file that will be made; a copy is read beside it.
  package static func salvagedNames(_ file: URL, beside url: URL, _ key: StoreKey?) throws -> (schemas: Set<String>, tables: Set<String>) {
    let source = try StoreFiles(file)
    _ = try Replacement.finish(source, .production(key))
    let folder = try WorkingFolder(for: StoreFiles(url), "salvaging")
    try Encryption.check(source, key)
    let damaged = try DamagedFile(copying: source, into: folder, key)
    let schema = SalvageSchema(damaged)
    let page = schema.root("holdfast_schemas").flatMap { RawPage($0, of: damaged) }
    let values = page?.rows(of: damaged).rows.flatMap(\.values) ?? []
    return (Set(values.compactMap { if case .text(let name) = $0 { name } else { nil } }), Set(schema.made("table").map(\.name)))
  }

  private static func schema(
    of damaged: DamagedFile, _ known: [SalvageSchema], _ path: String
  ) throws -> (SalvageSchema, SalvageReport.Origin) {
    let own = SalvageSchema(damaged)
    var mended = own
    // First that of the file's own version.
    for sound in known.sorted(by: { own.count(sharedWith: $0) > own.count(sharedWith: $1) }) { mended.mend(by: sound) }
    guard mended.hasTables else {
      throw StoreError(
        .notADatabase, "\(path) does not tell its tables any more", suggestion: "Name the library that made it: its schema tells them.")
    }
    return (mended, mended == own ? .file : own.hasTables ? .fileAndSchemas : .schemas)
  }

  /// Opens the new store as the app will. Its rows are there whatever this finds.
  private static func checked(
    _ report: SalvageReport, _ url: URL, _ schemas: [StoreSchema], _ options: StoreOptions
  ) throws -> SalvageReport {
    guard !schemas.isEmpty else { return report }
    var report = report
    do {
      let store = try open(at: url, schemas: schemas, options: options.forCopy)
      report.findings += try store.integrityCheck().findings.map(\.words)
      try store.close()
    } catch {
      report.findings.append("\(SalvageReport.notOpening)\(StoreError(error, path: url.path).message)")
    }
    return report
  }
}

extension RawConnection {
  /// Puts back rows of the kit's bookkeeping that are gone, from a store with the same schema. Returns what keeps it from that.
  fileprivate func fillBookkeeping(from model: URL, _ key: StoreKey?) throws -> [String] {
    // Of another version the migrations would count as run.
    let sound = try SchemaShape(ConnectionFactory(model.path, .production(key)).still().texts)
    guard try SchemaShape(texts).differences(from: sound).isEmpty else { return [] }
    try attach(model.path, as: "model", key)
    var findings: [String] = []
    for table in ["holdfast_schemas", "holdfast_migrations", "holdfast_store"] {
      do {
        try run("INSERT OR IGNORE INTO main.\(table) SELECT * FROM model.\(table)")
      } catch let error as StoreError where [.misuse, .constraint].contains(error.code) {
        findings.append("\(table) cannot be completed: \(error.message)")
      }
    }
    try run("DETACH model")
    return findings
  }
}
