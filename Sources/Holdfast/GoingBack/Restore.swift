public import Foundation
internal import GRDB
import Logging

extension Store {
  /// Restores a snapshot while the store is open. The snapshot's content replaces the store's in one SQLite transaction, so readers in this
  /// and other processes see the old state or the new one. The old state is kept as a snapshot, which is returned; no commit can come
  /// between the two. Before that, in a copy of the snapshot, search indexes that differ from their text are made again, and migrations that
  /// it lacks run. Every live update is read again afterwards. A restore removes no snapshot: the next snapshot that another call makes
  /// removes those that the options do not keep.
  ///
  /// Needs free space for two copies beside the store. Only for stores in a file: in memory it throws `.misuse`.
  /// - Throws: `.notFound`, `.verificationFailed` when the snapshot has changed since it was made, `.newerSchema`, `.readOnly`, `.busy`,
  ///   `.diskFull`; the store is then unchanged.
  @discardableResult
  public func restore(snapshot id: String) throws -> Snapshot {
    try OpenDoor.check(self)
    try checkWritable()
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    let replaced: Snapshot
    do {
      let chosen = try Snapshot.verified(id, files, options)
      let folder = try WorkingFolder(beside: files.url, "restoring")
      let prepared = folder.file("restored.sqlite")
      try DurableFile.copy(chosen.file(files), to: prepared)
      try ConnectionFactory(prepared.path, options).working().remakeSearchIndexes()
      try Self.migrate(prepared, "the snapshot \(id)", schemas, options)
      replaced = try durably {
        try onWriter { db in
          try replaceContent(by: prepared, files, db, remark: "restored the snapshot \(id)") {
            // A person may try one snapshot after the other, so all of them stay.
            try Snapshot.make(files, label: "before restoring \(id)", isAutomatic: true, options, rotates: false)
          }
        }
      }
    } catch {
      throw failure(error)
    }
    watches.wakeAll()
    logger.notice("restored", metadata: ["snapshot": "\(id)", "replaced": "\(replaced.id)"])
    return replaced
  }

  /// The same without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func restore(snapshot id: String) async throws -> Snapshot { try await offTask { _ in try self.restore(snapshot: id) } }

  /// Restores a snapshot of a store that is not open, also of one that cannot be opened any more.
  ///
  /// The old files are moved unchanged to `<store>.holdfast/quarantine/<time>/`, and that URL is returned; nil when there was no file.
  /// After a kill or power loss in between, the next opening finishes the restore. Migrations run at the next opening, too. Search indexes
  /// that differ from their text are made again.
  /// - Throws: `.notFound`, `.verificationFailed`, `.busy` when another process has the file open, `.inputOutput`; the file is then
  ///   unchanged, or the message says that the next opening finishes the restore.
  @discardableResult
  public static func restore(at url: URL, snapshot id: String, options: StoreOptions = .production) throws -> URL? {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    do {
      let chosen = try Snapshot.verified(id, files, options)
      let kept = try Replacement.run(
        files, by: chosen.file(files), sha256: chosen.sha256, because: "replaced by the snapshot \(id)", options,
        remakesSearchIndexes: true)
      options.logger.notice("restored", metadata: ["snapshot": "\(id)", "path": "\(files.path)"])
      return kept
    } catch {
      throw StoreError(error, path: files.path)
    }
  }

  /// The same without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public static func restore(at url: URL, snapshot id: String, options: StoreOptions = .production) async throws -> URL? {
    try await offTask { _ in try Store.restore(at: url, snapshot: id, options: options) }
  }

  /// Migrates a copy to the declared schemas.
  ///
  /// - Parameter name: the copied file, for errors.
  static func migrate(_ copy: URL, _ name: String, _ schemas: [StoreSchema], _ options: StoreOptions) throws {
    let runner = runner(schemas, options)
    let bookkeeping: Bookkeeping
    switch try StoreLook(StoreFiles(real: copy), options).content {
    case .store(let found, _): bookkeeping = found
    case .missing: throw StoreError(.notFound, "another process removed \(copy.path) while it was restored", suggestion: "Try again.")
    default: throw StoreError(.verificationFailed, "\(name) holds no library")
    }
    let unknown = runner.unknown(bookkeeping.ran)
    guard unknown.isEmpty else {
      // This code would write into a schema that it does not know.
      throw StoreError(
        .newerSchema, "\(name) was made by a newer version, which ran \(unknown.joined(separator: ", "))",
        recoveryOptions: [.updateApp])
    }
    let queue = try ConnectionFactory(copy.path, options).writer(keepsLog: false)
    try queue.writeWithoutTransaction { db in try runner.migrate(db) }
    try queue.close()
  }

  /// Runs on the writer's connection. Takes the write lock first, so that what `keep` keeps is exactly the replaced state.
  ///
  /// - Parameter remark: a note in the archive's time line, behind the commit.
  func replaceContent<T>(
    by prepared: URL, _ files: StoreFiles, _ db: Database, remark: String, keep: () throws -> T
  ) throws -> T {
    guard let handle = db.sqliteConnection else { throw StoreError(.closed, "\(path) is closed") }
    // The whole content goes through the log.
    try DurableFile.checkFreeSpace(DurableFile.size(prepared.path), in: files.parent, for: "replacing the content of \(files.path)")
    let factory = ConnectionFactory(files, options)
    let copyFactory = ConnectionFactory(prepared.path, options)
    let tables = archiver == nil ? [] : try ordinaryTables(copyFactory.copySource().texts).filter { !$0.hasPrefix("holdfast_") }
    while true {
      // The copy gets the store's line, so that the log, which began with the store's mark, still belongs to the file.
      let line = try storedLine(factory)
      if let line { try line.write(to: copyFactory.working()) }
      let copy = try PageCopy(from: copyFactory.copySource(), to: handle)
      guard try storedLine(factory) == line else { continue }
      let kept = try keep()
      try withReadersPaused {
        let checkpoints = try connections.connection(of: db).checkpoints
        checkpoints.listen()
        checkpoints.replacing(tables, remark: remark)
        connections.finalize()
        try copy.finish()
        db.clearSchemaCache()
        // SQLite reports the commit of a copy to its hook at the end of the next statement. The content is replaced already, so an error of
        // this statement must not say that the restore failed. The hook is then called by a later statement.
        try? db.execute(sql: "SELECT 1")
        checkpoints.afterCommit()
      }
      damageWatch?.replaced()
      return kept
    }
  }

  /// Nil also where damage hides it: then the copy must have it already.
  private func storedLine(_ factory: ConnectionFactory) throws -> LogLine? {
    do {
      return try LogLine.stored(factory.examiner())
    } catch let error as StoreError where error.code == .damaged {
      return nil
    }
  }
}
