public import Foundation
import Logging

/// A complete, consistent copy of a store's file at one commit, restorable alone.
///
/// On disk: `<store>.holdfast/snapshots/<id>.sqlite`, one file in rollback-journal mode that any SQLite reads, and
/// `<id>.json` with what it was found to hold. The JSON is written last: a copy without it does not count.
public struct Snapshot: Sendable, Codable, Equatable {
  /// Its time in UTC and a number, for example `20261121T090512Z-1`.
  public let id: String
  /// To the millisecond, by the store's clock.
  public let createdAt: Date
  /// Why it was made, for people.
  public let label: String
  /// Made by the kit, before a migration or a restore. Of these the newest five are kept; those that an app or a person makes stay.
  public let isAutomatic: Bool
  /// The schemas in it, by name, with their versions.
  public let schemas: [String: Int]
  /// Rows per table, counted in the store and again in the copy.
  public let rows: [String: Int]
  /// What an integrity check found in the store and in the copy alike, a line each, at most 100. Empty: healthy.
  public let findings: [String]
  /// The size of the copy.
  public let bytes: Int64
  /// The hash of the whole copy, in hexadecimal.
  public let sha256: String

  /// The snapshots of the store at `url`, newest first. Copies that were never finished are not among them, nor those whose
  /// description cannot be read.
  ///
  /// - Throws: what following the path and listing the folder can throw; `.inputOutput` or `.outOfMemory` for a process that has no more
  ///   descriptors or memory. No folder: no snapshots.
  public static func all(of url: URL) throws -> [Snapshot] { try all(StoreFiles(url)) }

  /// The descriptions of snapshots of the store at `url` that cannot be read, by name. The copy beside such a file may be whole,
  /// but nothing says what it should hold: it is not put back, and any SQLite opens it.
  public static func unreadable(of url: URL) -> [URL] {
    (try? StoreFiles(url)).map(unreadable) ?? []
  }

  private static func unreadable(_ files: StoreFiles) -> [URL] {
    ((try? described(files)) ?? []).filter { (try? $0.snapshot.get()) == nil }.map(\.file).sorted { $0.path < $1.path }
  }

  static func all(_ files: StoreFiles) throws -> [Snapshot] { listed(try described(files)) }

  private typealias Described = (file: URL, snapshot: Result<Snapshot, any Error>)

  private static func listed(_ described: [Described]) -> [Snapshot] {
    described.compactMap { try? $0.snapshot.get() }.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  private static func described(_ files: StoreFiles) throws -> [Described] {
    guard DurableFile.stands(files.snapshots.path) else { return [] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: files.snapshots.path).filter { $0.hasSuffix(".json") }
    } catch {
      throw DurableFile.failure(error, files.snapshots)
    }
    let described = try names.map { name in
      let file = files.snapshots.appendingPathComponent(name)
      let read = Result { try Data(contentsOf: file) }
      // The process is at its limits, and the file is sound: a list without it would hide a whole snapshot.
      if case .failure(let error) = read, DurableFile.isOutOfResources(error) { throw DurableFile.failure(error, file) }
      let snapshot = Result {
        let content: Data
        do { content = try read.get() } catch { throw DurableFile.failure(error, file) }
        guard let snapshot = try? decoder.decode(Snapshot.self, from: content) else {
          let id = name.dropLast(".json".count)
          throw StoreError(.damaged, "\(file.path) is damaged: nothing says what the snapshot \(id) should hold")
        }
        guard snapshot.id + ".json" == name else { throw StoreError(.damaged, "\(file.path) describes another snapshot") }
        return snapshot
      }
      return (file, snapshot)
    }
    // Another process may have removed one since the folder was listed.
    return described.filter { DurableFile.stands($0.0.path) }
  }

  func file(_ files: StoreFiles) -> URL { files.snapshots.appendingPathComponent(id + ".sqlite") }
  private func description(_ files: StoreFiles) -> URL { files.snapshots.appendingPathComponent(id + ".json") }

  /// The snapshot with this id, read again as a whole and compared with what it was when it was made.
  ///
  /// - Throws: `.notFound`; `.damaged` when its description is damaged or another snapshot's; what reading it can throw;
  ///   `.verificationFailed` naming what differs.
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

  /// Makes a snapshot and proves it: copied at one commit, reopened, checked and counted against the store.
  ///
  /// A copy of a store with findings has the same ones, and is a snapshot all the same: it is as good as what it is of.
  static func make(_ files: StoreFiles, label: String, isAutomatic: Bool, _ options: StoreOptions) throws -> Snapshot {
    let now = DateCodec.rounded(options.now())
    try DurableFile.makeFolder(files.snapshots)
    try DurableFile.checkFreeSpace(files.bytes, in: files.snapshots, for: "a snapshot of \(files.path)")
    let folder = try WorkingFolder(in: files.snapshots, "copying")
    let working = folder.file("copy.sqlite")
    let source = try ConnectionFactory(files, options).examiner()
    let (rows, versions) = try copy(source, to: working, options)
    try StoreFiles(real: working).protect(options)
    try DurableFile.flush(working)
    let found = try examine(ConnectionFactory(working.path, options).working())
    guard found.rows == rows else { throw StoreError(.verificationFailed, "a copy of \(files.path) holds other rows than the store") }
    if !found.findings.isEmpty, try examine(source).findings != found.findings {
      throw StoreError(
        .verificationFailed, "a copy of \(files.path) failed its integrity check, and the store did not: \(found.findings.first ?? "")")
    }
    let sha256 = try SHA256Hex.ofFile(at: working)
    // Nothing has changed since: a migration that fails at every opening needs one snapshot. Its file is read again, for it may be damaged.
    if isAutomatic, let same = try all(files).first, same.sha256 == sha256, (try? SHA256Hex.ofFile(at: same.file(files))) == sha256 {
      return same
    }
    let bytes = DurableFile.size(working.path)
    let snapshot = Snapshot(
      id: try place(working, in: files.snapshots, at: now), createdAt: now, label: label, isAutomatic: isAutomatic, schemas: versions,
      rows: rows, findings: found.findings, bytes: bytes, sha256: sha256)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    encoder.dateEncodingStrategy = .millisecondsSince1970
    do {
      try DurableFile.replace(snapshot.description(files), with: try encoder.encode(snapshot))
    } catch {
      _ = try? DurableFile.remove(snapshot.file(files))
      throw error
    }
    if isAutomatic { prune(files, keeping: snapshot) }
    return snapshot
  }

  /// How many of the kit's own snapshots are kept.
  static let automaticOnes = 5

  /// The one just made stays, whatever its time: the clock may have been set back.
  private static func prune(_ files: StoreFiles, keeping made: Snapshot) {
    for old in ((try? all(files)) ?? []).filter({ $0.isAutomatic && $0.id != made.id }).dropFirst(automaticOnes - 1) {
      // The description first: a copy without it does not count.
      _ = try? DurableFile.remove(old.description(files))
      _ = try? DurableFile.remove(old.file(files))
    }
  }

  /// Copies the pages as of one read transaction, in which the rows are counted too.
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
    // The copied header says WAL; a snapshot is one file. SQLite answers "delete" also where it could not write that.
    let mode = try target.texts("PRAGMA journal_mode = DELETE").first?.first
    guard mode == "delete", try isOneFile(file, options) else {
      throw StoreError(.inputOutput, "\(file.path) could not be made one file")
    }
    // The copy may be of the middle of a log, and the next log follows the end of it. So no log follows a copy. Made of the content:
    // two copies of one state are equal, without a key. Of a damaged store the copy keeps what it has.
    if var line = try? LogLine.stored(target) {
      (line.mark, line.previous) = (String(try SHA256Hex.ofFile(at: file).prefix(16)), nil)
      try? line.write(to: target)
    }
    return (rows, versions)
  }

  /// By the header, which a key may encrypt.
  private static func isOneFile(_ file: URL, _ options: StoreOptions) throws -> Bool {
    guard options.key != nil else { return try FileBytes(file).read(2, at: 18) == Data([1, 1]) }
    return try ConnectionFactory(file.path, options).working().texts("PRAGMA journal_mode").first?.first == "delete"
  }

  private static func versions(_ connection: RawConnection) throws -> [String: Int] {
    var versions: [String: Int] = [:]
    for row in try connection.texts("SELECT name, version FROM holdfast_schemas") {
      if let name = row[0], name != StoreSchema.kit.name { versions[name] = row[1].flatMap(Int.init) ?? 0 }
    }
    return versions
  }

  /// Checks a database wholly, and counts its rows.
  static func examine(_ connection: RawConnection) throws -> (rows: [String: Int], findings: [String]) {
    var findings = try connection.texts("PRAGMA integrity_check(100)").compactMap { $0.first ?? nil }
    if findings == ["ok"] { findings = [] }
    findings += try connection.texts("PRAGMA foreign_key_check").prefix(100).map { row in
      "a row of \(row[0] ?? "?") points at a row of \(row.count > 2 ? row[2] ?? "?" : "?") that is gone: \(row[1] ?? "?")"
    }
    return (try rowCounts(connection.texts), findings)
  }

  /// Gives a finished copy the first free name of this second, and returns its id.
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
  /// Makes a snapshot and proves it: copied at one commit, reopened, checked, counted against the store.
  ///
  /// Blocks the caller, not the writers. Needs as much free space as the store's file is long.
  /// - Throws: `.diskFull`, `.verificationFailed`, `.inputOutput`; a failed copy is removed. `.misuse` in memory.
  @discardableResult
  public func snapshot(label: String = "by hand") throws -> Snapshot { try snapshot(label: label, isAutomatic: false) }

  func snapshot(label: String, isAutomatic: Bool) throws -> Snapshot {
    try OpenDoor.check(self)
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    do {
      try connections.checkOpen(path)
      let snapshot = try Snapshot.make(files, label: label, isAutomatic: isAutomatic, options)
      logger.info("snapshot", metadata: ["id": "\(snapshot.id)", "bytes": "\(snapshot.bytes)", "findings": "\(snapshot.findings.count)"])
      return snapshot
    } catch {
      throw failure(error)
    }
  }

  /// The snapshots of this store, newest first. Empty in memory.
  public func snapshots() throws -> [Snapshot] { try files.map(Snapshot.all) ?? [] }
}
