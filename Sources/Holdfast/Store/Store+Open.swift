public import Foundation
internal import GRDB
internal import GRDBSQLite
import Logging

extension Store {
  /// Opens the store at `url`, making or migrating it where that is needed and allowed.
  ///
  /// First looks at the file through a read-only connection. A file of another program, of another library or that is
  /// not SQLite is refused and not a byte of it changes. A file from a newer app, or one that may not be written to, opens
  /// read-only when every declared column is there; `access` says so. Migrations take a verified snapshot first; a file
  /// whose migration failed is as before and opens read-only when every declared column is there, with `openingError` set.
  /// New files are readable by their owner only.
  ///
  /// - Throws: `.notFound`, `.cannotCreate`, `.permissionDenied`, `.notADatabase`, `.wrongKind`, `.newerSchema`,
  ///   `.editedMigration`, `.migrationFailed`, `.migrationLostRows`, `.damaged`, `.busy`, `.diskFull`, `.inputOutput`,
  ///   `.wrongKey`, `.encryptionUnavailable`. The file is then as before, and `recoveryOptions` names ways out.
  public static func open(at url: URL, schemas: [StoreSchema], options: StoreOptions = .production) throws -> Store {
    try Encryption.probe(options.key)
    // SQLite keeps the log beside the file that a link leads to.
    let url = try DurableFile.real(url)
    let path = url.path
    var made = false
    do {
      let plan = try OpeningPlan(path: path, schemas: schemas, options: options)
      if plan.isNew, plan.readOnlyReason == nil { made = try DurableFile.create(path) }
      let store = try connectOrLook(url, plan: plan, schemas: schemas, options: options)
      store.logger.info(
        "opened", metadata: ["path": "\(path)", "access": "\(store.access)", "durability": "\(options.durability.rawValue)"])
      return store
    } catch {
      // Only while it holds nothing: another process may have found the new file and filled it.
      if made, StoreError(error).code != .busy, case .empty = try? FileLook(path, busyTimeout: .zero, key: options.key).content {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      }
      options.logger.error("opening failed", metadata: ["path": "\(path)", "code": "\(StoreError(error).code.rawValue)"])
      throw recoverable(StoreError(error, path: path), at: url)
    }
  }

  /// Opens a store that lives in memory and ends with the value.
  public static func inMemory(schemas: [StoreSchema], options: StoreOptions = .testing) throws -> Store {
    try Encryption.probe(options.key)
    try MigrationRunner.validate(schemas)
    let queue: DatabaseQueue
    do {
      queue = try DatabaseQueue(configuration: configuration(options, readOnly: false))
      try queue.writeWithoutTransaction { db in try runner(schemas, options).migrate(db) }
    } catch {
      throw StoreError(error)
    }
    return Store(writer: queue, url: nil, schemas: schemas, options: options, access: .readWrite)
  }

  /// Opens a new store in a folder of its own, which is removed when the value goes away.
  public static func temporary(schemas: [StoreSchema], options: StoreOptions = .testing) throws -> Store {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw DurableFile.failure(error, folder)
    }
    do {
      try Encryption.probe(options.key)
      let url = folder.appendingPathComponent("store.sqlite")
      let plan = try OpeningPlan(path: url.path, schemas: schemas, options: options)
      _ = try DurableFile.create(url.path)
      return try connect(url, plan: plan, schemas: schemas, options: options, ownedFolder: OwnedFolder(folder))
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw StoreError(error, path: folder.path)
    }
  }

  /// The schemas in the file by name, with their versions; empty for a file that does not exist or holds nothing.
  /// Looks only.
  ///
  /// - Throws: `.notADatabase`, `.wrongKind` for another program's database, and what reading a file can throw.
  public static func kinds(at url: URL, busyTimeout: Duration = .seconds(5)) throws -> [String: Int] {
    switch try FileLook(DurableFile.real(url).path, busyTimeout: busyTimeout, key: nil).content {
    case .missing, .empty: return [:]
    case .foreign(let tables): throw OpeningPlan.foreign(url.path, tables)
    case .store(let versions, _, _): return versions.filter { $0.key != StoreSchema.kit.name }
    }
  }

  /// A failed migration leaves the file as it was: where that is enough for this code, people can still see their data.
  private static func connectOrLook(_ url: URL, plan: OpeningPlan, schemas: [StoreSchema], options: StoreOptions) throws -> Store {
    do {
      return try connect(url, plan: plan, schemas: schemas, options: options)
    } catch let error as StoreError where error.code == .migrationFailed || error.code == .migrationLostRows {
      var looking = options
      looking.migrating = .never
      guard !plan.isNew, let plan = try? OpeningPlan(path: url.path, schemas: schemas, options: looking), plan.readOnlyReason != nil
      else { throw error }
      options.logger.error("migrating failed", metadata: ["path": "\(url.path)", "code": "\(error.code.rawValue)"])
      var failed = plan
      failed.readOnlyReason = error.message
      return try connect(url, plan: failed, schemas: schemas, options: options, openingError: recoverable(error, at: url))
    }
  }

  private static func connect(
    _ url: URL, plan: OpeningPlan, schemas: [StoreSchema], options: StoreOptions, ownedFolder: OwnedFolder? = nil,
    openingError: StoreError? = nil
  ) throws -> Store {
    if let reason = plan.readOnlyReason {
      // A connection that may not write leaves its -wal and -shm behind. One that may, and never does, takes them away again:
      // the doors refuse to write. Where there is a log already it would fold it into the file, so not there.
      let tidies = plan.readOnlyName == nil && FileLook.size(url.path + "-wal") == 0 && FileManager.default.isWritableFile(atPath: url.path)
      let queue = try DatabaseQueue(path: plan.readOnlyName ?? url.path, configuration: configuration(options, readOnly: !tidies))
      return Store(
        writer: queue, url: url, schemas: schemas, options: options, access: .readOnly(reason: reason), openingError: openingError)
    }
    // The log changes the file's counters just by being switched on; one connection leaves it as it is until something is committed.
    var setup = configuration(options, readOnly: false)
    if !options.opensOneConnection || !hasLog(url) { setup.journalMode = .wal }
    let writer = try DatabaseQueue(path: url.path, configuration: setup)
    let readers =
      options.opensOneConnection
      ? nil : ReaderPool(path: url.path, configuration: configuration(options, readOnly: true), limit: options.readerCount)
    let store = Store(
      writer: writer, readers: readers, url: url, schemas: schemas, options: options, access: .readWrite, ownedFolder: ownedFolder)
    do {
      try writer.writeWithoutTransaction { db in try setDurability(options.durability, db) }
      if plan.needsMigration {
        if !plan.isNew {
          try store.checkFreeSpace()
          try store.snapshot(label: "before migration")
        }
        try writer.writeWithoutTransaction { db in try runner(schemas, options).migrate(db, progress: options.onMigration) }
      }
      return store
    } catch {
      try? store.close()
      throw error
    }
  }

  /// Whether the file is one that keeps a log, by its header's write version. A restored snapshot is not.
  private static func hasLog(_ url: URL) -> Bool {
    guard let file = try? FileHandle(forReadingFrom: url) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 19))?.last == 2
  }

  static func configuration(_ options: StoreOptions, readOnly: Bool) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .callback(LockWait(options).goesOn)
    configuration.foreignKeysEnabled = true
    // The kit's prepared statements belong to the readers: GRDB must not close them behind its back.
    #if os(iOS)
      configuration.automaticMemoryManagement = false
    #endif
    configuration.label = "holdfast"
    let trace = options.trace
    let key = options.key
    configuration.prepareDatabase { db in
      if let key { try db.execute(sql: Encryption.pragma(key)) }
      try db.execute(sql: "PRAGMA recursive_triggers = ON")
      // Keeps a log that once grew large from staying so on disk: 16 MiB.
      if !readOnly { try db.execute(sql: "PRAGMA journal_size_limit = 16777216") }
      if let trace { db.trace { event in trace(event.description) } }
    }
    return configuration
  }

  /// Sets the policy and reads it back: GRDB sets NORMAL by itself with the log.
  private static func setDurability(_ durability: StoreOptions.Durability, _ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = \(durability == .durable ? "FULL" : "NORMAL")")
    #if canImport(Darwin)
      // A plain fsync on Apple platforms reaches the drive's cache only.
      if durability == .durable { try db.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1") }
    #endif
    let level = try Int.fetchOne(db, sql: "PRAGMA synchronous")
    guard level == (durability == .durable ? 2 : 1) else {
      throw StoreError(.misuse, "SQLite did not take the durability \(durability.rawValue)")
    }
  }

  static func runner(_ schemas: [StoreSchema], _ options: StoreOptions) -> MigrationRunner {
    MigrationRunner(schemas, now: options.now(), appVersion: options.appVersion, logger: options.logger)
  }

  /// Adds the ways out that exist for this file.
  private static func recoverable(_ error: StoreError, at url: URL) -> StoreError {
    var error = error
    switch error.code {
    case .damaged, .migrationFailed, .migrationLostRows, .editedMigration:
      if let newest = try? Snapshot.all(of: url).first { error.recoveryOptions.append(.restoreSnapshot(id: newest.id)) }
      if error.code != .damaged { error.recoveryOptions.append(.openReadOnly) }
    case .busy, .deviceLocked: error.recoveryOptions.append(.retry)
    default: break
    }
    return error
  }
}
