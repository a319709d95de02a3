public import Foundation
internal import GRDB
import Logging

extension Store {
  /// Puts a snapshot back while the store is open: its content replaces the store's in one SQLite transaction, so readers
  /// in this and other processes see the old state or the new. The replaced state is kept as a snapshot, which is returned.
  /// Migrations that the snapshot lacks run again, and every live update is delivered anew.
  ///
  /// - Throws: `.notFound`, `.verificationFailed` when the snapshot is not what was made, `.readOnly`, `.busy`,
  ///   `.diskFull`; the store is then as before.
  @discardableResult
  public func restore(snapshot id: String) throws -> Snapshot {
    try OpenDoor.check(self)
    try checkWritable()
    guard let url else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    let chosen = try Self.verifiedSnapshot(id, of: url)
    try checkKnown(chosen, url)
    let replaced = try snapshot(label: "before restoring \(id)")
    do {
      try alone { db in
        connections.finalize()
        try Self.copy(chosen, of: url, into: db)
        do {
          try Self.runner(schemas, options).migrate(db)
        } catch {
          try Self.copy(replaced, of: url, into: db)
          throw error
        }
      }
      // Whoever watches anything reads again.
      try write { tx in try tx.database.notifyChanges(in: .fullDatabase) }
    } catch {
      throw failure(error)
    }
    logger.notice("restored", metadata: ["snapshot": "\(id)", "replaced": "\(replaced.id)"])
    return replaced
  }

  /// Puts a snapshot back into a file that is not open: also one that cannot be opened any more.
  ///
  /// What stood there is moved, not deleted: to `<store>.holdfast/quarantine/<time>/`, whose URL is returned; nil when
  /// there was no file. Migrations run at the next opening.
  /// - Throws: `.notFound`, `.verificationFailed`, `.busy` when another process has the file open, `.inputOutput`; the
  ///   file is then as before.
  @discardableResult
  public static func restore(at url: URL, snapshot id: String, options: StoreOptions = .production) throws -> URL? {
    let url = try DurableFile.real(url)
    let chosen = try verifiedSnapshot(id, of: url)
    let working = url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString).restoring")
    defer { try? FileManager.default.removeItem(at: working) }
    try DurableFile.copy(chosen.file(of: url), to: working)
    guard try SHA256Hex.ofFile(at: working) == chosen.sha256 else {
      throw StoreError(.verificationFailed, "the copy of the snapshot \(id) differs from it")
    }
    try checkUnused(url, options)
    let kept = try setAside(url, at: options.now())
    do {
      try DurableFile.move(working, to: url)
    } catch {
      if let kept { try? putBack(from: kept, to: url) }
      throw error
    }
    options.logger.notice("restored", metadata: ["snapshot": "\(id)", "path": "\(url.path)"])
    return kept
  }

  /// A snapshot of a newer version would leave this code writing into a schema that it does not know.
  private func checkKnown(_ snapshot: Snapshot, _ url: URL) throws {
    let runner = Self.runner(schemas, options)
    let look = try FileLook(snapshot.file(of: url).path, busyTimeout: options.busyTimeout, key: options.key)
    guard case .store(_, let ran, _) = look.content else {
      throw StoreError(.verificationFailed, "the snapshot \(snapshot.id) holds no library")
    }
    let unknown = runner.unknown(ran)
    guard unknown.isEmpty else {
      throw StoreError(
        .newerSchema, "the snapshot \(snapshot.id) was made by a newer version, which ran \(unknown.joined(separator: ", "))",
        recoveryOptions: [.updateApp])
    }
    _ = try runner.pending(after: ran)
  }

  /// Replaces everything in `db`, in one transaction of SQLite's own.
  private static func copy(_ snapshot: Snapshot, of url: URL, into db: Database) throws {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    let source = try DatabaseQueue(path: snapshot.file(of: url).path, configuration: configuration)
    defer { try? source.close() }
    try source.read { copy in try copy.backup(to: db) }
  }

  private static func verifiedSnapshot(_ id: String, of url: URL) throws -> Snapshot {
    let all = try Snapshot.all(of: url)
    guard let chosen = all.first(where: { $0.id == id }) else {
      let known = all.isEmpty ? "it has none" : "it has \(all.prefix(5).map(\.id).joined(separator: ", "))"
      throw StoreError(.notFound, "\(url.path) has no snapshot \(id): \(known)")
    }
    try chosen.verify(of: url)
    return chosen
  }

  /// Other processes would go on writing into the file that is moved away. A file that is no database cannot be in use.
  private static func checkUnused(_ url: URL, _ options: StoreOptions) throws {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do {
      var configuration = GRDB.Configuration()
      configuration.busyMode = .timeout(options.busyTimeout.inSeconds)
      let queue = try DatabaseQueue(path: url.path, configuration: configuration)
      defer { try? queue.close() }
      try queue.writeWithoutTransaction { db in
        // Folds the log into the file, which takes every lock that another reader or writer would hold.
        try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
      }
    } catch {
      let failure = StoreError(error, path: url.path)
      if failure.code == .busy { throw failure }
    }
  }

  /// Moves the file, its log and its index away together: a log must never stand beside another file.
  private static func setAside(_ url: URL, at now: Date) throws -> URL? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    let time = DateCodec.iso8601(DateCodec.milliseconds(now) ?? 0, fraction: true).filter { $0 != "-" && $0 != ":" && $0 != "." }
    let base = url.deletingLastPathComponent().appendingPathComponent("\(url.lastPathComponent).holdfast/quarantine")
    var folder = base.appendingPathComponent(time)
    var number = 2
    while FileManager.default.fileExists(atPath: folder.path) {
      folder = base.appendingPathComponent("\(time)-\(number)")
      number += 1
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      // The log first: a file without its log is older; a log without its file harms nobody.
      for suffix in ["-wal", "-journal", "-shm", ""] where FileManager.default.fileExists(atPath: url.path + suffix) {
        let kept = folder.appendingPathComponent(url.lastPathComponent + suffix)
        try FileManager.default.moveItem(atPath: url.path + suffix, toPath: kept.path)
      }
      try DurableFile.flushFolder(of: url)
    } catch {
      try? putBack(from: folder, to: url)
      throw DurableFile.failure(error, url)
    }
    return folder
  }

  private static func putBack(from folder: URL, to url: URL) throws {
    for suffix in ["", "-shm", "-journal", "-wal"] {
      let kept = folder.appendingPathComponent(url.lastPathComponent + suffix)
      if FileManager.default.fileExists(atPath: kept.path) {
        try FileManager.default.moveItem(atPath: kept.path, toPath: url.path + suffix)
      }
    }
  }
}
