public import Foundation
internal import GRDB
import Logging

extension Store {
  /// Opens the store at `url`. Makes or migrates it where that is needed and allowed.
  ///
  /// First looks at the file through a read-only connection. A file of another program or of another library, or one that is not SQLite, is
  /// refused, and no byte of it changes. A file of a newer app, or one without permission to write, opens read-only when it has every
  /// declared column; `access` says so. A migration takes a verified snapshot first. When the snapshot or the migration fails, the file is
  /// unchanged; it opens read-only when it has every declared column, and `openingError` is set. Only the owner may read new files.
  ///
  /// A log that a killed process left is examined before SQLite may read it. A log that is damaged, belongs to another file, or has lost
  /// its file is kept in the quarantine. An interrupted restore is finished. `notices` reports each of these.
  ///
  /// - Throws: `.notFound`, `.cannotCreate`, `.permissionDenied`, `.notADatabase`, `.wrongKind`, `.newerSchema`, `.editedMigration`,
  ///   `.migrationFailed`, `.migrationLostRows`, `.damaged`, `.busy`, `.diskFull`, `.inputOutput`; `.wrongKey`, `.keyNeeded`,
  ///   `.notEncrypted`, `.encryptionUnavailable`. The file is then unchanged, and `recoveryOptions` lists what can be done.
  public static func open(at url: URL, schemas: [StoreSchema], options: StoreOptions = .production) throws -> Store {
    try Encryption.probe(options.key)
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    do {
      let store = try Opening(files, schemas, options).open()
      store.logger.info(
        "opened", metadata: ["path": "\(files.path)", "access": "\(store.access)", "durability": "\(options.durability.rawValue)"])
      for notice in store.notices {
        store.logger.warning("found", metadata: ["path": "\(files.path)", "what": "\(notice.kind.rawValue)"])
      }
      return store
    } catch {
      let failure = StoreError(error, path: files.path)
      options.logger.error("opening failed", metadata: ["path": "\(files.path)", "code": "\(failure.code.rawValue)"])
      throw failure.recoverable(files, options)
    }
  }

  /// Opens a store in memory, which is gone when the value is released.
  public static func inMemory(schemas: [StoreSchema], options: StoreOptions = .testing) throws -> Store {
    try Encryption.probe(options.key)
    try MigrationRunner.validate(schemas)
    let queue: DatabaseQueue
    do {
      queue = try ConnectionFactory("in memory", options).memory()
      try queue.writeWithoutTransaction { db in try runner(schemas, options).migrate(db) }
    } catch {
      throw StoreError(error)
    }
    let store = Store(writer: queue, files: nil, schemas: schemas, options: options, access: .readWrite)
    try store.checkRetention()
    return store
  }

  /// Opens a new store in a temporary folder of its own, which is removed when the value is released.
  public static func temporary(schemas: [StoreSchema], options: StoreOptions = .testing) throws -> Store {
    try Encryption.probe(options.key)
    let folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "store")
    do {
      return try Opening(StoreFiles(folder.file("store.sqlite")), schemas, options).open(ownedFolder: folder)
    } catch {
      throw StoreError(error, path: folder.url.path)
    }
  }

  /// The schemas in the file by name, with their versions. Empty for a file that does not exist or holds no tables. Changes nothing, but
  /// finishes an interrupted replacement of the file.
  ///
  /// - Parameter options: for their key and their busy timeout.
  /// - Throws: `.notADatabase`; `.wrongKind` for another program's database; `.damaged`; `.wrongKey`, `.keyNeeded`, `.notEncrypted`, `.encryptionUnavailable`; the errors of reading a file.
  public static func kinds(at url: URL, options: StoreOptions = .production) throws -> [String: Int] {
    try Encryption.probe(options.key)
    let files = try StoreFiles(url)
    let look: StoreLook
    do { look = try StoreLook(files, options) } catch { throw StoreError(error, path: files.path).recoverable(files) }
    switch look.content {
    case .empty where look.log != .sound: throw Opening.nothingWithoutLog(files)
    case .missing, .empty: return [:]
    case .logWithoutFile:
      throw StoreError(
        .damaged, "the file \(files.path) is gone, and its log is still there",
        suggestion: "Restore a snapshot, or put the file back beside its log."
      ).recoverable(files)
    case .foreign(let tables): throw Opening.foreign(files.path, tables)
    case .store(let bookkeeping, _):
      let kinds = bookkeeping.versions.filter { $0.key != StoreSchema.kit.name }
      guard !kinds.isEmpty || bookkeeping.isWhole else {
        throw StoreError(.damaged, "\(files.path): the kit's record of the schemas is damaged").recoverable(files)
      }
      return kinds
    }
  }

  static func runner(_ schemas: [StoreSchema], _ options: StoreOptions) -> MigrationRunner {
    MigrationRunner(schemas, now: options.now(), appVersion: options.appVersion, logger: options.logger)
  }
}
