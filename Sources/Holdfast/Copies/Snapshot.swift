public import Foundation
internal import GRDBSQLite
import Logging

/// A complete, consistent copy of a store's file at one commit, which can be restored without other files.
///
/// On disk: `<store>.holdfast/snapshots/<id>.sqlite`, or in the folder of `SnapshotOptions`; one file in rollback-journal mode, which any SQLite can read if it is not encrypted, and its description
/// `<id>.json`. The description is written last: a copy without one does not count.
public struct Snapshot: Sendable, Codable, Equatable {
  /// The time of making in UTC, and a number, for example `20261121T090512Z-1`.
  public private(set) var id: String
  /// The time of making, to the millisecond, by the store's clock.
  public let createdAt: Date
  /// The reason for making it, for people.
  public let label: String
  /// True when the kit made it: before a migration, an import or a restore, or on the schedule. `SnapshotOptions.policy` says which of
  /// these stay; all other snapshots stay.
  public let isAutomatic: Bool
  /// The versions of the schemas in it, by name.
  public let schemas: [String: Int]
  /// The number of rows by table, counted in the store and again in the copy.
  public let rows: [String: Int]
  /// The findings that an integrity check made in the store and in the copy alike, one line each, at most 100. Empty: healthy.
  public let findings: [String]
  /// The size of the copy in bytes.
  public private(set) var bytes: Int64
  /// The SHA-256 of the whole copy, in lowercase hexadecimal.
  public private(set) var sha256: String

  /// The snapshots of the store at `url`, newest first. Leaves out unfinished copies, and snapshots with an unreadable description.
  ///
  /// - Parameter folder: `SnapshotOptions.folder`.
  /// - Throws: the errors of following the path and listing the folder; `.inputOutput` or `.outOfMemory` when the process has no more
  ///   descriptors or memory. A missing folder means no snapshots.
  public static func all(of url: URL, in folder: URL? = nil) throws -> [Snapshot] { try all(StoreFiles(url, snapshots: folder)) }

  /// The unreadable descriptions of snapshots of the store at `url`, by name. The copy beside such a file may be whole. It cannot be
  /// restored, because its content cannot be verified, but any SQLite can open it.
  ///
  /// - Parameter folder: `SnapshotOptions.folder`.
  public static func unreadable(of url: URL, in folder: URL? = nil) -> [URL] {
    guard let files = try? StoreFiles(url, snapshots: folder), let described = try? described(files) else { return [] }
    return described.filter { (try? $0.snapshot.get()) == nil }.map(\.file).sorted { $0.path < $1.path }
  }

  /// Reads the whole copy of the snapshot with this id, checks it, and compares hash, rows and findings with its description. Returns the
  /// snapshot. Its findings are the findings of the store when the snapshot was made.
  ///
  /// - Parameter options: for their key, and for the folder of the snapshots.
  /// - Throws: `.notFound`; `.damaged` for the description; `.verificationFailed` with the difference; the errors of reading.
  public static func verify(_ id: String, of url: URL, options: StoreOptions = .production) throws -> Snapshot {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    return try files.telling { try verified(id, files, options) }
  }

  /// The one of these, newest first, that a restore should choose: the newest without findings, or else the newest.
  package static func toRestore(_ all: [Snapshot]) -> Snapshot? { all.first { $0.findings.isEmpty } ?? all.first }

  static func toRestore(_ files: StoreFiles) throws -> Snapshot? { toRestore(try all(files)) }

  /// In the order of their making, the newest first. That is the order of their times, unless the clock was set back.
  static func all(_ files: StoreFiles) throws -> [Snapshot] {
    let all = listed(try described(files))
    let late = (SnapshotTimes(files).lastMade ?? []).compactMap { id in all.first { $0.id == id } }
    return late + all.filter { !late.contains($0) }
  }

  private typealias Described = (file: URL, snapshot: Result<Snapshot, any Error>)

  private static func listed(_ described: [Described]) -> [Snapshot] {
    described.compactMap { try? $0.snapshot.get() }.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  private static func described(_ files: StoreFiles) throws -> [Described] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let described = try DurableFile.names(in: files.snapshots).filter { $0.hasSuffix(".json") }.map { name in
      let file = files.snapshots.appendingPathComponent(name)
      // Read without SQLite: a snapshot's description, which is JSON.
      let read = Result { try DurableFile.content(of: file) }
      // The process has reached its limits, and the file may be sound. A list without it would hide a whole snapshot.
      if case .failure(let error) = read, DurableFile.isOutOfResources(error) { throw error }
      let snapshot = Result {
        let content = try read.get()
        guard let snapshot = try? decoder.decode(Snapshot.self, from: content) else {
          let id = name.dropLast(".json".count)
          throw StoreError(.damaged, "\(file.path) is damaged, so the snapshot \(id) cannot be verified")
        }
        guard snapshot.id + ".json" == name else { throw StoreError(.damaged, "\(file.path) describes another snapshot") }
        return snapshot
      }
      return (file, snapshot)
    }
    // Another process may have removed a snapshot since the folder was listed.
    return described.filter { DurableFile.stands($0.0.path) }
  }

  func file(_ files: StoreFiles) -> URL { files.snapshots.appendingPathComponent(id + ".sqlite") }
  func description(_ files: StoreFiles) -> URL { files.snapshots.appendingPathComponent(id + ".json") }

  func remove(_ files: StoreFiles) throws {
    // The description first, also after power loss, because a copy without one does not count.
    if try DurableFile.remove(description(files)) { try DurableFile.flushFolder(of: description(files)) }
    _ = try DurableFile.remove(file(files))
  }

  /// As `verify`.
  static func verified(_ id: String, _ files: StoreFiles, _ options: StoreOptions) throws -> Snapshot {
    let described = try described(files)
    guard let chosen = try described.first(where: { $0.file.lastPathComponent == id + ".json" })?.snapshot.get() else {
      let all = listed(described)
      let known = all.isEmpty ? "it has none" : "it has \(all.prefix(5).map(\.id).joined(separator: ", "))"
      throw StoreError(.notFound, "\(files.path) has no snapshot \(id): \(known)")
    }
    let file = chosen.file(files)
    guard DurableFile.stands(file.path) else { throw StoreError(.notFound, "the snapshot \(id) has no file") }
    guard try SHA256Hex.ofFile(at: file) == chosen.sha256 else {
      throw StoreError(.verificationFailed, "the snapshot \(id) is not the file that was made: its checksum differs")
    }
    try Encryption.Found(file).check(options.key, "the snapshot \(id)")
    try files.checkIsOwn(StoreFiles.id(in: file, options.key), "the snapshot \(id)", options.key)
    let copy = try ConnectionFactory(file.path, options).working()
    let found = try examine(copy)
    guard try versions(copy) == chosen.schemas else {
      throw StoreError(.verificationFailed, "the snapshot \(id) holds other libraries than when it was made")
    }
    guard found.rows == chosen.rows else {
      throw StoreError(.verificationFailed, "the snapshot \(id) holds other rows than when it was made")
    }
    guard found.findings == chosen.findings else {
      throw StoreError(.verificationFailed, "the snapshot \(id) is not as sound as when it was made: \(found.findings.first ?? "")")
    }
    return chosen
  }

  // MARK: Making

  /// As `Store.snapshot`. A copy of a store with findings has the same findings and still counts: it is as sound as the store.
  /// `rotates`: removes the automatic snapshots that the options do not keep. `isCancelled` is called after each reading of the whole file.
  static func make(
    _ files: StoreFiles, label: String, isAutomatic: Bool, _ options: StoreOptions, rotates: Bool = true,
    isCancelled: () -> Bool = { false }
  ) throws -> Snapshot {
    func goOn() throws {
      if isCancelled() { throw StoreError(.cancelled, "the task was cancelled; no snapshot of \(files.path) was made") }
    }
    let now = DateCodec.rounded(options.now())
    try files.makeSnapshotFolder(options)
    try DurableFile.checkFreeSpace(files.bytes, in: files.snapshots, for: "a snapshot of \(files.path)")
    let folder = try WorkingFolder(in: files.snapshots, "copying")
    let working = folder.file("copy.sqlite")
    let source = try ConnectionFactory(files, options).examiner()
    let (rows, versions) = try copy(source, to: working, options)
    try goOn()
    try StoreFiles(real: working).protect(options)
    try DurableFile.flush(working)
    let found = try examine(ConnectionFactory(working.path, options).working())
    guard found.rows == rows else { throw StoreError(.verificationFailed, "a copy of \(files.path) holds other rows than the store") }
    if !found.findings.isEmpty, try examine(source).findings != found.findings {
      throw StoreError(
        .verificationFailed, "a copy of \(files.path) failed its integrity check, and the store did not: \(found.findings.first ?? "")")
    }
    try goOn()
    let sha256 = try SHA256Hex.ofFile(at: working)
    try goOn()
    // A migration that fails at every opening needs one snapshot. The last one is read again: it may be damaged. Encrypted copies of
    // one state differ.
    if isAutomatic, let same = try all(files).first {
      let isEqual =
        options.key == nil
        ? same.sha256 == sha256 && (try? SHA256Hex.ofFile(at: same.file(files))) == sha256
        : same.rows == rows && (try? verified(same.id, files, options)) != nil
          && (try? StoreDifference.between(same.file(files), working, options)) == []
      if isEqual { return same }
    }
    let snapshot = try Snapshot(
      id: "", createdAt: now, label: label, isAutomatic: isAutomatic, schemas: versions, rows: rows, findings: found.findings,
      bytes: DurableFile.size(working.path), sha256: sha256
    ).placed(working, files)
    rotate(files, after: snapshot, options, source.texts, removes: rotates)
    return snapshot
  }

  /// Copies the pages and counts the rows in one read transaction.
  private static func copy(_ source: RawConnection, to file: URL, _ options: StoreOptions) throws -> (
    rows: [String: Int], versions: [String: Int]
  ) {
    _ = try DurableFile.create(file.path)
    let target = try ConnectionFactory(file.path, options).working()
    try source.run("BEGIN")
    let rows = try rowCounts(source.texts)
    let versions = try versions(source)
    try PageCopy(from: source, to: target.handle).finish()
    try source.run("COMMIT")
    try makeStandAlone(target, file, options)
    return (rows, versions)
  }

  /// Makes a copy of a store's pages one file that no log belongs to.
  static func makeStandAlone(_ target: RawConnection, _ file: URL, _ options: StoreOptions) throws {
    // A snapshot is one file, not in WAL mode. SQLite answers "delete" even when it could not write the header, of
    // which a key leaves these two bytes readable.
    let mode = try target.texts("PRAGMA journal_mode = DELETE").first?.first
    guard mode == "delete", try FileBytes(file).read(2, at: 18) == Data([1, 1]) else {
      throw StoreError(.inputOutput, "\(file.path) could not be taken out of WAL mode")
    }
    // The copy may come from the middle of a log, whose end does not belong to it. So the copy gets a mark that no log follows: a hash
    // of the content, so that without a key two copies of one state are equal. A copy of a damaged store keeps its mark.
    if var line = try? LogLine.stored(target) {
      (line.mark, line.previous) = (String(try SHA256Hex.ofFile(at: file).prefix(16)), nil)
      try? line.save(in: target)
    }
  }

  private static func versions(_ connection: RawConnection) throws -> [String: Int] {
    var versions: [String: Int] = [:]
    for row in try connection.texts("SELECT name, version FROM holdfast_schemas") {
      if let name = row[0], name != StoreSchema.kit.name { versions[name] = row[1].flatMap(Int.init) ?? 0 }
    }
    return versions
  }

  /// Checks the whole database, and counts its rows.
  static func examine(_ connection: RawConnection) throws -> (rows: [String: Int], findings: [String]) {
    let findings = try damage(connection) + dangling(connection)
    return (try rowCounts(connection.texts), findings)
  }

  /// What SQLite's integrity check finds: structure, indexes, NOT NULL, CHECK. `quick` leaves out comparing indexes with their tables.
  static func damage(_ connection: RawConnection, quick: Bool = false) throws -> [String] {
    try damage(connection.texts, quick: quick)
  }

  static func damage(_ query: TextQuery, quick: Bool = false) throws -> [String] {
    let check = quick ? "PRAGMA quick_check" : "PRAGMA integrity_check"
    var lines: [[String?]]
    do {
      lines = try query("\(check)(100)")
    } catch let error as StoreError where error.sqliteCode.map({ $0 & 0xFF }) == SQLITE_ERROR {
      // From SQLite 3.44 on, the check opens search indexes, and fails where one of them cannot be opened. The tables stand alone.
      let tables = try query("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
      lines = try tables.flatMap { try query("\(check)(\(quoted(($0.first ?? nil) ?? "")))") }
    }
    // It also looks into search indexes, which the kit checks by itself: they are made again from their text.
    return lines.compactMap { $0.first ?? nil }.filter { $0 != "ok" && !$0.contains(" FTS5 table ") && !$0.hasPrefix("fts5: ") }
  }

  /// Whether these findings say no more than that indexes do not fit their tables.
  static func isOnlyOfIndexes(_ damage: [String]) -> Bool {
    let words = ["missing from index", "wrong # of entries in index", "non-unique entry in index"]
    return damage.allSatisfy { finding in words.contains { finding.contains($0) } }
  }

  /// The rows that point at a row that is gone. SQL without foreign keys leaves them; the file is whole.
  static func dangling(_ connection: RawConnection) throws -> [String] {
    try connection.texts("PRAGMA foreign_key_check").prefix(100).map { row in
      "a row of \(row[0] ?? "?") points at a row of \(row.count > 2 ? row[2] ?? "?" : "?") that is gone: \(row[1] ?? "?")"
    }
  }

  /// Gives a finished copy its name, and describes it as this snapshot, with the id that it gets.
  private func placed(_ copy: URL, _ files: StoreFiles) throws -> Snapshot {
    var snapshot = self
    snapshot.id = try Self.place(copy, in: files.snapshots, at: createdAt)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    encoder.dateEncodingStrategy = .millisecondsSince1970
    do {
      try DurableFile.replace(snapshot.description(files), with: try encoder.encode(snapshot))
    } catch {
      _ = try? DurableFile.remove(snapshot.file(files))
      throw error
    }
    return snapshot
  }

  /// Adds this snapshot once more, with another file of the same content.
  func add(_ copy: URL, _ files: StoreFiles) throws {
    var other = self
    (other.bytes, other.sha256) = (DurableFile.size(copy.path), try SHA256Hex.ofFile(at: copy))
    _ = try other.placed(copy, files)
  }

  /// Whether both describe one state of the store.
  func isSame(as other: Snapshot) -> Bool {
    (createdAt, label, isAutomatic) == (other.createdAt, other.label, other.isAutomatic) && rows == other.rows && schemas == other.schemas
  }

  /// Renames a finished copy to the first free name of this second, and returns its id.
  private static func place(_ copy: URL, in folder: URL, at now: Date) throws -> String {
    let time = DateCodec.iso8601(DateCodec.milliseconds(now) ?? 0, fraction: false).filter { $0 != "-" && $0 != ":" }
    for number in 1..<10_000 {
      let id = "\(time)-\(number)"
      do {
        try DurableFile.place(copy, at: folder.appendingPathComponent(id + ".sqlite"))
        return id
      } catch let error as StoreError where error.code == .busy {
        continue
      }
    }
    throw StoreError(.cannotCreate, "\(folder.path) holds ten thousand snapshots of this second")
  }
}

extension Store {
  /// Makes a snapshot and verifies it: copies one commit, reopens the copy, checks it and compares its row counts with the store.
  ///
  /// Blocks the caller, but no writer. Needs as much free space as the store's file and log.
  /// - Throws: `.diskFull`, `.verificationFailed`, `.inputOutput`; a failed copy is removed. `.misuse` for a store in memory.
  @discardableResult
  public func snapshot(label: String = "by hand") throws -> Snapshot { try snapshot(label: label, isAutomatic: false) }

  /// The same without blocking the caller. When the task is cancelled, throws `.cancelled` after the step under way, and leaves no copy.
  @discardableResult
  public func snapshot(label: String = "by hand") async throws -> Snapshot {
    try await offTask { isCancelled in try self.snapshot(label: label, isAutomatic: false, isCancelled: isCancelled) }
  }

  func snapshot(label: String, isAutomatic: Bool, isCancelled: () -> Bool = { false }) throws -> Snapshot {
    try OpenDoor.check(self)
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    return try telling {
      try connections.checkOpen(path)
      damageWatch?.lookAtPages(of: self)
      let snapshot = try Snapshot.make(files, label: label, isAutomatic: isAutomatic, options, isCancelled: isCancelled)
      logger.info("snapshot", metadata: ["id": "\(snapshot.id)", "bytes": "\(snapshot.bytes)", "findings": "\(snapshot.findings.count)"])
      return snapshot
    }
  }

  /// Makes a snapshot of the last commit. Call it in a write transaction that changes rows, before its commit: other connections still see
  /// the state before. Does nothing and returns nil in memory, and when no table of a library had rows.
  @discardableResult
  package func snapshotLastCommit(
    label: String, isAutomatic: Bool = true, isCancelled: () -> Bool = { false }
  ) throws -> Snapshot? {
    guard let files else { return nil }
    let connection = try ConnectionFactory(files, options).examiner()
    let hadRows = try ordinaryTables(connection.texts).contains { table in
      try !table.hasPrefix("holdfast_") && !connection.texts("SELECT 1 FROM \(quoted(table)) LIMIT 1").isEmpty
    }
    guard hadRows else { return nil }
    let snapshot = try Snapshot.make(files, label: label, isAutomatic: isAutomatic, options, isCancelled: isCancelled)
    logger.info("snapshot", metadata: ["id": "\(snapshot.id)", "bytes": "\(snapshot.bytes)", "findings": "\(snapshot.findings.count)"])
    return snapshot
  }

  /// The snapshots of this store, newest first. Empty for a store in memory.
  public func snapshots() throws -> [Snapshot] { try files.map(Snapshot.all) ?? [] }
}
