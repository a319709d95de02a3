import Foundation
internal import GRDB
import Logging

/// A new content for a store, built and verified beside the store. Every way back leads here. The content then takes its place: by
/// `Replacement` for a closed store, by `Store.replaceContent` in an open one.
struct WayBack {
  let files: StoreFiles
  /// Of the new content: with its key.
  let options: StoreOptions
  /// What is done, for people: in the quarantine, and in the history of the archive.
  let reason: String
  /// The content: one file without a log, in a working folder.
  let file: URL
  /// Other files that were made, such as rows that were set aside. They are kept with the replaced files.
  var aside: [URL] = []
  /// The state of the store's files from which the content was made; nil where it does not depend on them.
  var since: StoreFiles.State?
}

extension Store {
  /// Goes back with a store that is not open. `build` makes the content at the URL that it gets, and returns its result and the reason.
  static func replace<T>(
    _ url: URL, _ options: StoreOptions, build: (StoreFiles, URL) throws -> (T, reason: String)
  ) throws -> (result: T, kept: URL?) {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    return try files.telling {
      // Nothing is built for a file that may not be replaced.
      try files.checkMayReplace()
      try checkIsRecovery(files, options)
      let folder = try WorkingFolder(beside: files.url, "replacing")
      let file = folder.file("new.sqlite")
      let (result, reason) = try build(files, file)
      let kept = try Replacement.run(WayBack(files: files, options: options, reason: reason, file: file))
      options.logger.notice("replaced", metadata: ["path": "\(files.path)", "by": "\(reason)"])
      return (result, kept)
    }
  }

  /// Goes back with this open store. `build` makes the content at the URL that it gets, and returns its result, the reason, and a name for the
  /// content. The schemas' migrations that it lacks run. `keep` keeps the replaced state; no commit comes between the two.
  func replace<T, K>(
    build: (StoreFiles, URL) throws -> (T, reason: String, name: String), keep: (StoreFiles) throws -> K
  ) throws -> (result: T, kept: K) {
    guard let files else { throw StoreError(.misuse, "a store in memory has no earlier states") }
    return try telling {
      try checkKnowsWhatSyncs(files)
      let folder = try WorkingFolder(beside: files.url, "replacing")
      let file = folder.file("new.sqlite")
      let (result, reason, name) = try build(files, file)
      let way = WayBack(files: files, options: options, reason: reason, file: try fit(file, name, files))
      let kept = try durably {
        try onWriter { db in
          let check = try carrySyncOver(to: way.file, files)
          return try replaceContent(way, db) {
            try check?()
            return try keep(files)
          }
        }
      }
      watches.wakeAll()
      logger.notice("replaced", metadata: ["by": "\(reason)"])
      return (result, kept)
    }
  }

  /// Makes a file fit for the content of this store: the migrations that it lacks run, and its pages get the size of the store's. Returns
  /// the file, or another one beside it. `name` is for errors.
  func fit(_ file: URL, _ name: String, _ files: StoreFiles) throws -> URL {
    try Self.migrate(file, name, schemas, options)
    let source = try ConnectionFactory(file.path, options).working()
    let sizes = try [ConnectionFactory(files, options).examiner(), source].map { try $0.texts("PRAGMA page_size").first?[0] ?? "" }
    guard let size = sizes.first, sizes[1] != size else { return file }
    // Another program gave the store or the file larger or smaller pages. SQLite does not change them in an open store.
    let fitted = file.deletingLastPathComponent().appendingPathComponent("fitted.sqlite")
    try DurableFile.checkFreeSpace(DurableFile.size(file.path), in: fitted.deletingLastPathComponent(), for: "a copy of \(name)")
    try source.run("PRAGMA page_size = \(size)")
    try source.rows("VACUUM INTO \(fitted.path)") { _ in }
    let copy = try ConnectionFactory(fitted.path, options).working()
    guard try copy.texts("PRAGMA page_size").first?.first == size, try copy.contentHashes() == source.contentHashes() else {
      throw StoreError(.verificationFailed, "written anew with pages of \(size) bytes, \(name) differs")
    }
    return fitted
  }

  /// Migrates a copy to the declared schemas. `name` is for errors.
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

  /// Replaces the content of this open store in one transaction: readers in this and other processes see the old state or the new one.
  /// Takes the write lock first, so that what `keep` keeps is exactly the replaced state. `db` is the writer's connection.
  func replaceContent<T>(_ way: WayBack, _ db: Database, keep: () throws -> T) throws -> T {
    guard let handle = db.sqliteConnection else { throw StoreError(.closed, "\(path) is closed") }
    let files = way.files
    // The whole content goes through the log.
    try DurableFile.checkFreeSpace(DurableFile.size(way.file.path), in: files.parent, for: "replacing the content of \(files.path)")
    let factory = ConnectionFactory(files, options)
    let copyFactory = ConnectionFactory(way.file.path, options)
    let tables = archiver == nil ? [] : try ordinaryTables(copyFactory.copySource().texts).filter { !$0.hasPrefix("holdfast_") }
    while true {
      // The copy gets the store's line, so that the log, which began with the store's mark, still belongs to the file.
      let line = try storedLine(factory)
      if let line { try line.save(in: copyFactory.working()) }
      let copy = try PageCopy(from: copyFactory.copySource(), to: handle)
      guard try storedLine(factory) == line else { continue }
      let kept = try keep()
      try withReadersPaused {
        let checkpoints = try connections.connection(of: db).checkpoints
        checkpoints.listen()
        checkpoints.replacing(tables, remark: way.reason)
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
