public import Foundation
internal import GRDB
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
  /// The schemas in it, by name, with their versions.
  public let schemas: [String: Int]
  /// Rows per table, counted in the store and again in the copy.
  public let rows: [String: Int]
  /// Of the copy.
  public let bytes: Int64
  /// Of the whole file, in hexadecimal.
  public let sha256: String

  /// The snapshots of the store at `url`, newest first. Copies that were never finished are not among them, nor those whose
  /// description cannot be read.
  public static func all(of url: URL) throws -> [Snapshot] {
    described(of: url).compactMap { try? $0.snapshot.get() }.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  /// The descriptions of snapshots of the store at `url` that cannot be read, by name. The copy beside such a file may be whole,
  /// but nothing says what it should hold: it is not put back, and any SQLite opens it.
  public static func unreadable(of url: URL) -> [URL] {
    described(of: url).filter { (try? $0.snapshot.get()) == nil }.map(\.file).sorted { $0.path < $1.path }
  }

  private static func described(of url: URL) -> [(file: URL, snapshot: Result<Snapshot, any Error>)] {
    let folder = folder(of: url)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return names.filter { $0.hasSuffix(".json") }.map { name in
      let file = folder.appendingPathComponent(name)
      return (file, Result { try decoder.decode(Snapshot.self, from: Data(contentsOf: file)) })
    }
  }

  static func folder(of url: URL) -> URL {
    url.deletingLastPathComponent().appendingPathComponent(url.lastPathComponent + ".holdfast/snapshots")
  }

  func file(of url: URL) -> URL { Self.folder(of: url).appendingPathComponent(id + ".sqlite") }

  /// Reads the whole copy again and compares it with what it was when it was made.
  ///
  /// - Throws: `.verificationFailed` naming what differs; `.notFound` when its file is gone.
  func verify(of url: URL) throws {
    let file = file(of: url)
    guard FileManager.default.fileExists(atPath: file.path) else { throw StoreError(.notFound, "the snapshot \(id) has no file") }
    guard try SHA256Hex.ofFile(at: file) == sha256 else {
      throw StoreError(.verificationFailed, "the snapshot \(id) is not the file that was made: its checksum differs")
    }
    let counted = try Self.examine(file)
    guard counted == rows else { throw StoreError(.verificationFailed, "the snapshot \(id) holds other rows than when it was made") }
  }

  /// Opens a finished copy by itself, checks it wholly, and counts its rows.
  static func examine(_ file: URL) throws -> [String: Int] {
    // Not read-only, though nothing is written: SQLite leaves constraints out of the check on a read-only connection.
    let queue = try DatabaseQueue(path: file.path)
    defer { try? queue.close() }
    return try queue.read { db in
      let answer = try String.fetchOne(db, sql: "PRAGMA integrity_check(1)")
      guard answer == "ok" else { throw StoreError(.verificationFailed, "\(file.path) failed its integrity check: \(answer ?? "")") }
      guard try GRDB.Row.fetchOne(db, sql: "PRAGMA foreign_key_check") == nil else {
        throw StoreError(.verificationFailed, "\(file.path) holds rows that point at rows that are gone")
      }
      return try db.rowCounts()
    }
  }
}

extension Store {
  /// Makes a snapshot and proves it: copied at one commit, reopened, checked, counted against the store.
  ///
  /// Blocks the caller, not the writers. Needs as much free space as the store's file is long.
  /// - Throws: `.diskFull`, `.verificationFailed`, `.inputOutput`; a failed copy is removed. `.misuse` in memory.
  @discardableResult
  public func snapshot(label: String = "by hand") throws -> Snapshot {
    try OpenDoor.check(self)
    guard let url else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    let folder = Snapshot.folder(of: url)
    let now = DateCodec.rounded(options.now())
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw DurableFile.failure(error, folder)
    }
    Self.removeAbandoned(in: folder, prefix: "copying-")
    // A name of its own: two processes that are about to migrate make their snapshots in the same second.
    let working = folder.appendingPathComponent("copying-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    defer { for suffix in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: working.path + suffix) } }
    do {
      let (counts, versions) = try copy(to: working)
      try DurableFile.flush(working)
      guard try Snapshot.examine(working) == counts else {
        throw StoreError(.verificationFailed, "a copy of \(path) holds other rows than the store")
      }
      let bytes = FileLook.size(working.path)
      let sha256 = try SHA256Hex.ofFile(at: working)
      let id = try place(working, in: folder, at: now)
      let snapshot = Snapshot(
        id: id, createdAt: now, label: label, schemas: versions, rows: counts, bytes: bytes, sha256: sha256)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      encoder.dateEncodingStrategy = .millisecondsSince1970
      try DurableFile.replace(folder.appendingPathComponent("\(id).json"), with: try encoder.encode(snapshot))
      logger.info("snapshot", metadata: ["id": "\(id)", "bytes": "\(snapshot.bytes)"])
      return snapshot
    } catch {
      throw failure(error)
    }
  }

  /// The snapshots of this store, newest first. Empty in memory.
  public func snapshots() throws -> [Snapshot] { try url.map(Snapshot.all(of:)) ?? [] }

  /// Copies the pages as of one read transaction, in which the rows are counted too.
  private func copy(to file: URL) throws -> (rows: [String: Int], versions: [String: Int]) {
    _ = try DurableFile.create(file.path)
    let target = try DatabaseQueue(path: file.path)
    defer { try? target.close() }
    let found = try inspect { db -> (rows: [String: Int], versions: [String: Int]) in
      let rows = try db.rowCounts()
      var versions: [String: Int] = [:]
      for row in try GRDB.Row.fetchAll(db, sql: "SELECT name, version FROM holdfast_schemas") where row["name"] != StoreSchema.kit.name {
        versions[row["name"] ?? ""] = row["version"] ?? 0
      }
      try target.writeWithoutTransaction { copy in try db.backup(to: copy) }
      return (rows, versions)
    }
    // The copied header says WAL; a snapshot is one file.
    try target.writeWithoutTransaction { db in
      guard try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
        throw StoreError(.inputOutput, "\(file.path) could not be made one file")
      }
    }
    return found
  }

  /// Before a migration or a vacuum: a copy beside the store, and as much again in the log.
  func checkFreeSpace() throws {
    guard let url else { return }
    let needed = 2 * (FileLook.size(url.path) + FileLook.size(url.path + "-wal"))
    let folder = url.deletingLastPathComponent()
    let free = try? FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? NSNumber
    guard let free, free.int64Value < needed else { return }
    throw StoreError(.diskFull, "\(url.path) needs \(needed) bytes of free space, and \(free.int64Value) are left")
  }

  /// Gives a finished copy the first free name of this second, and returns its id.
  private func place(_ copy: URL, in folder: URL, at now: Date) throws -> String {
    let milliseconds = DateCodec.milliseconds(now) ?? 0
    let time = DateCodec.iso8601(milliseconds, fraction: false).filter { $0 != "-" && $0 != ":" }
    for number in 1..<10_000 {
      let id = "\(time)-\(number)"
      let target = folder.appendingPathComponent(id + ".sqlite")
      guard !FileManager.default.fileExists(atPath: target.path) else { continue }
      do {
        try DurableFile.place(copy, at: target)
        return id
      } catch let error as StoreError where error.code == .busy {
        // Another process took this name meanwhile.
        continue
      }
    }
    throw StoreError(.cannotCreate, "\(folder.path) holds ten thousand snapshots of this second")
  }
}
