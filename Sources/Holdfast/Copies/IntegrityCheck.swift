public import Foundation
internal import GRDB
import Logging

extension Store {
  /// Checks the store at `url` without opening it for use: changes no byte of the file, its log or its journal, and migrates nothing.
  ///
  /// Also checks the files themselves: a damaged log, and a log of another file or without a file are findings. Finishes a restore that was
  /// interrupted. Checks a file that SQLite would have to recover in a private copy, which needs free space in the temporary folder.
  /// - Throws: `.notFound`, `.notADatabase`, `.wrongKind`, `.damaged`, `.busy`, `.diskFull`: the file cannot be looked at; `.cancelled`.
  public static func check(
    at url: URL, schemas: [StoreSchema], options: StoreOptions = .production, quick: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) throws -> IntegrityReport {
    try Encryption.probe(options.key)
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    do {
      var looking = options
      (looking.opensReadOnly, looking.migrating) = (true, .never)
      func checked(_ look: StoreLook) throws -> IntegrityReport {
        let findings = look.findings(files)
        guard look.isReadable else { return IntegrityReport(findings: findings, checked: [.files]) }
        // Throws for a file with other schemas.
        _ = try Opening(files, schemas, looking)
        let report = try look.withFileToCheck(files, options) { file in
          let queue = try ConnectionFactory(file, options).checker(tidies: !file.hasLog)
          let store = Store(writer: queue, files: files, schemas: schemas, options: options, access: .readOnly(reason: "it is checked"))
          defer { try? store.close() }
          return try store.integrityCheck(quick: quick, onWriter: DurableFile.mayWrite(file.path), isCancelled)
        }
        return IntegrityReport(findings: findings + report.findings, checked: [.files] + report.checked, unread: report.unread)
      }
      let report = try checked(StoreLook(files, options))
      // The log of another time makes a sound file look damaged.
      guard files.hasLog, report.findings.contains(where: { $0.part == .file }) else { return report }
      let look = try StoreLook(files, options, thoroughly: true)
      return look.log.isForeign ? try checked(look) : report
    } catch {
      throw StoreError(error, path: files.path).recoverable(files)
    }
  }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public static func check(
    at url: URL, schemas: [StoreSchema], options: StoreOptions = .production, quick: Bool = false
  ) async throws -> IntegrityReport {
    try await offTask { isCancelled in
      try Store.check(at: url, schemas: schemas, options: options, quick: quick, isCancelled: isCancelled)
    }
  }

  /// Checks the file, foreign keys, full-text indexes, schema and the library's invariants, and reads every row. Changes nothing.
  ///
  /// Reads go on meanwhile. Writes of this process wait for the whole check; writes of other processes wait only while the full-text
  /// indexes are compared.
  ///
  /// In a store that is open read-only, SQLite checks neither full-text indexes nor CHECK constraints. In a damaged file no full-text index
  /// is checked: `checked` says so.
  ///
  /// - Parameters:
  ///   - quick: skips the comparison of indexes with their tables, which takes most of the time.
  ///   - isCancelled: called repeatedly, within long statements too; true ends the check with `.cancelled`. Older versions of SQLite read
  ///     all pages of the file in one step and do not call it meanwhile. It must not use the store. Default: whether the task is cancelled.
  /// - Throws: only when the check cannot run, or is cancelled; damage is a finding. Lists at most 100 findings of each part.
  public func integrityCheck(
    quick: Bool = false, isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) throws -> IntegrityReport {
    try integrityCheck(quick: quick, onWriter: access == .readWrite, isCancelled)
  }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public func integrityCheck(quick: Bool = false) async throws -> IntegrityReport {
    try await offTask { isCancelled in try self.integrityCheck(quick: quick, isCancelled: isCancelled) }
  }

  private func integrityCheck(quick: Bool, onWriter: Bool, _ isCancelled: @escaping () -> Bool) throws -> IntegrityReport {
    try OpenDoor.check(self)
    var report = IntegrityReport(findings: [], checked: IntegrityReport.Part.allCases.filter { $0 != .files })
    if schemas.allSatisfy(\.records.isEmpty) { report.checked.removeAll { $0 == .records } }
    if (try? inspect { db in try strangers(db) })?.isEmpty ?? false { report.checked.removeAll { $0 == .kinds } }
    report.unread = (try? inspect { db in try otherLibraries(db).sorted() }) ?? []
    do {
      // SQLite's full-text check is an INSERT statement, so it needs the writer. The transaction is rolled back.
      if onWriter {
        try self.onWriter { db in
          let connection = try connections.connection(of: db)
          // `isCancelled` may not call this store, like any other closure that runs inside it.
          func interruptible(_ body: () throws -> [IntegrityReport.Finding]) throws -> [IntegrityReport.Finding] {
            try OpenDoor.within(self) { try connection.interrupting(when: isCancelled, body) }
          }
          try db.inTransaction(.deferred) {
            report.findings = try interruptible { try findings(db, quick: quick) }
            return .rollback
          }
          // Older versions of SQLite end the process at some damaged pages of a full-text index.
          guard !report.findings.contains(where: { $0.part == .file }) else { return report.checked.removeAll { $0 == .fullText } }
          // A `WriteTransaction` would mark a log that it begins. A check must write nothing.
          try db.inTransaction(.immediate) {
            let indexes = try SearchIndex.all(db.texts)
            report.findings += try interruptible { try indexes.flatMap { try fullTextFindings(db, $0) } }
            return .rollback
          }
          let found = report.findings
          report.findings = IntegrityReport.Part.allCases.flatMap { part in found.filter { $0.part == part } }
        }
      } else {
        report.checked.removeAll { $0 == .fullText }
        report.findings = try inspect { db in
          try connections.connection(of: db).interrupting(when: isCancelled) { try findings(db, quick: quick) }
        }
      }
    } catch {
      let failure = failure(error)
      // SQLite cannot run a statement of the check: the file's tables are not as the kit made them.
      guard [.damaged, .notADatabase, .misuse].contains(failure.code) else { throw failure }
      report.findings.append(.init(part: .file, message: failure.message))
    }
    if !report.isHealthy { logger.error("integrity check", metadata: ["findings": "\(report.findings.count)"]) }
    return report
  }

  private func findings(_ db: Database, quick: Bool) throws -> [IntegrityReport.Finding] {
    var found: [IntegrityReport.Finding] = []
    found += try Snapshot.damage(db.texts, quick: quick).map { .init(part: .file, message: $0) }
    for row in try GRDB.Row.fetchAll(db, sql: "PRAGMA foreign_key_check").prefix(100) {
      let parent: String = row["parent"] ?? ""
      found.append(
        .init(
          part: .foreignKeys, table: row["table"], row: (row["rowid"] as Int64?).map(String.init),
          message: "points at a row of \(parent) that is gone"))
    }
    let runner = Self.runner(schemas, options)
    let expected = try runner.expectedShape()
    let others = try otherLibraries(db)
    let shape = try SchemaShape(db)
    let reader = Reader(db, try connections.connection(of: db))
    defer { reader.isOpen = false }
    // In a file of a newer version, only the columns that this version needs can be checked.
    let differences =
      try newerSchema(in: reader) == nil
      ? shape.differences(from: expected, again: runner.notAsDeclared(db.texts))
      : shape.missingColumns(of: expected).map { "the column \($0) is missing" }
    // Another library in the same file declares its own objects.
    found += differences.filter { others.isEmpty || !$0.hasSuffix(SchemaShape.notDeclared) }.prefix(100).map {
      .init(part: .schema, message: $0)
    }
    for record in schemas.flatMap(\.records) {
      found += try Self.checked(.records, record.table, "the rows") { try Self.unreadable(record, in: reader) }
    }
    found += try Self.checked(.kinds, StoreDescription.name, "the description of the tables") {
      let description = try StoreDescription(db.texts)
      return try strangers(db).flatMap { table in
        try Self.checked(.kinds, table.name, "the values") { try description.findings(table, in: reader) }
      }
    }
    for invariant in schemas.flatMap(\.invariants) {
      found += try Self.checked(.invariants, invariant.table, invariant.name) { try Self.broken(invariant, in: reader) }
    }
    found += try Self.checked(.invariants, "holdfast_audit", "the chain of the audit") { try reader.checkAudit().findings }
    return found
  }

  private func otherLibraries(_ db: Database) throws -> Set<String> {
    try Set(db.texts("SELECT name FROM holdfast_schemas").compactMap { $0.first ?? nil }).subtracting(
      schemas.map(\.name) + [StoreSchema.kit.name])
  }

  /// The tables that the file describes and no declared record reads.
  private func strangers(_ db: Database) throws -> [SQLTable] {
    let description = try StoreDescription(db.texts)
    let known = Set(schemas.flatMap(\.records).map { ColumnName.folded(ColumnName.bare($0.table)) })
    return try SQLTable.all(db.texts).filter { description.describes($0.name) && !known.contains(ColumnName.folded($0.name)) }
  }

  /// The findings of `body`; one finding when `body` cannot read what it checks.
  private static func checked(
    _ part: IntegrityReport.Part, _ table: String, _ what: String, _ body: () throws -> [IntegrityReport.Finding]
  ) throws -> [IntegrityReport.Finding] {
    do {
      return try Array(body().prefix(100))
    } catch {
      let error = (error as? StoreError) ?? StoreError(error)
      guard [.misuse, .decoding, .damaged].contains(error.code) else { throw error }
      // A table or column is missing or unreadable, or a page is damaged.
      let part = error.code == .damaged ? .file : part
      return [.init(part: part, table: table, message: "cannot be checked: \(what) (\(error.message))")]
    }
  }

  private static func unreadable<Record: StoredRecord>(_ type: Record.Type, in reader: Reader) throws -> [IntegrityReport.Finding] {
    var found: [IntegrityReport.Finding] = []
    try reader.rows("SELECT \(columns: type) FROM \(raw: type.table)", of: type.table) { row in
      do {
        _ = try Record(row: &row)
      } catch let error as StoreError where error.code == .decoding {
        if found.count < 100 {
          found.append(.init(part: .records, table: type.table, row: error.row, message: "cannot be read: \(error.message)"))
        }
      }
    }
    return found
  }

  private func fullTextFindings(_ db: Database, _ index: SearchIndex) throws -> [IntegrityReport.Finding] {
    do {
      try db.execute(sql: index.comparing)
      return []
    } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
      let error = StoreError(error)
      guard let message = SearchIndex.finding(error) else {
        return [.init(part: .schema, table: index.name, message: "the search index cannot be checked by this program: \(error.message)")]
      }
      return [.init(part: .fullText, table: index.name, message: "\(message); `heal` makes it again")]
    }
  }

  private static func broken(_ invariant: Invariant, in reader: Reader) throws -> [IntegrityReport.Finding] {
    try reader.values(invariant.findings) { row in
      let place =
        switch try row.value() {
        case .text(let text): text
        case .integer(let number): String(number)
        default: "?"
        }
      return .init(part: .invariants, table: invariant.table, row: place, message: "breaks: \(invariant.name)")
    }
  }
}
