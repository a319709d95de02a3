internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// What was found at a store's path. Looking changes no byte of the file, its log or its journal; only an interrupted replacement of the file,
/// which is certain, is finished first.
package struct StoreLook {
  package enum Content {
    /// No file, and no log or journal with content.
    case missing
    /// No file, but a log or journal with content: the file is gone.
    case logWithoutFile
    /// A database without any table, or a file of zero bytes.
    case empty
    /// A database that Holdfast did not make.
    case foreign(tables: [String])
    /// A store.
    case store(Bookkeeping, shape: SchemaShape)
  }

  package var content: Content
  /// That an interrupted replacement was finished.
  private(set) var finished: StoreNotice?
  /// The judgement of the log. `.sound` while another connection has the file open.
  var log: LeftLog.Verdict = .sound
  /// A log is there, and no connection has the file open.
  private(set) var hasLeftLog = false
  /// The file cannot be read as it is; opening it for writing recovers it first. `content` was read from a recovered private copy.
  var needsRecovery = false
  var isConnected: Bool { if case .store(_, let shape) = content { shape.isConnected } else { false } }

  /// - Parameter thoroughly: as for `LeftLog`. A store that cannot be read with its log is judged so anyway.
  /// - Throws: `.notADatabase`, `.damaged`, `.busy`, `.permissionDenied`, `.wrongKey`, `.keyNeeded`, `.notEncrypted`; `.inputOutput` when a pipe or a folder stands where
  ///   SQLite keeps its log; `.diskFull` when the file must be recovered first and there is no room for a copy.
  package init(_ files: StoreFiles, _ options: StoreOptions, thoroughly: Bool = false) throws {
    let path = files.path
    finished = try Replacement.finish(files, options)
    // SQLite would open it, and might wait for ever for what a pipe gives.
    for url in StoreFiles.sidecars.map(files.beside) where DurableFile.isSpecial(url.path) || DurableFile.isFolder(url.path) {
      throw DurableFile.notAFile(url)
    }
    guard DurableFile.stands(path) else {
      content = files.hasLog || files.hasJournal ? .logWithoutFile : .missing
      return
    }
    guard !DurableFile.isFolder(path), !DurableFile.isSpecial(path) else { throw DurableFile.noFile(path) }
    guard access(path, R_OK) == 0 else { throw DurableFile.posix(path, .permissionDenied) }
    guard DurableFile.size(path) > 0 else {
      // An empty file is a new one, not filled yet. With a log, or a journal of a file that had pages, the file was not empty before.
      guard !files.hasLog, try Self.pagesBefore(files.journal) ?? 0 == 0 else {
        throw StoreError(.damaged, "\(path) is empty, and the log beside it is not: the file was cut off")
      }
      guard !files.mayHaveSnapshots else {
        throw StoreError(.damaged, "\(path) is empty, and \(files.snapshots.path) holds snapshots or cannot be read").recoverable(files)
      }
      content = .empty
      return
    }
    do {
      let header = try DatabaseHeader(of: files.url)
      let found = Encryption.Found(header)
      try found.check(options.key, path)
      // SQLite reads these bytes, and the cipher does not prove them. The log or the journal may have the first page once more.
      if options.key != nil, found == .unknown, !files.hasLog, !files.hasJournal {
        throw StoreError(.damaged, "the beginning of \(path) is damaged, or this is no store")
      }
      guard options.key != nil || found == .plain else {
        // The journal may have to put the first page back. Or the file is new and its first page was never written.
        let pages = files.hasJournal ? try Self.pagesBefore(files.journal) : nil
        guard let pages, pages > 0 || header.isEmpty else {
          throw StoreError(.notADatabase, "\(path) is not a SQLite database")
        }
        (content, needsRecovery) = (try Self.recovered(files, options), true)
        return
      }
      guard !files.hasLog || files.hasRoomForIndex else { throw StoreError(.diskFull, "\(path) has no room for an index of its log") }
      if let left = try LeftLog(files, options, thoroughly: thoroughly) { (log, hasLeftLog) = (left.verdict, true) }
      content = try Self.read(files, options, keepsLog: header.keepsLog, log: log)
    } catch let error as StoreError where error.code == .diskFull {
      let (copy, folder) = try files.privateCopy(options)
      defer { withExtendedLifetime(folder) {} }
      let look = try StoreLook(copy, options)
      (content, log, needsRecovery) = (look.content, look.log, true)
    } catch let error as StoreError where Self.wantsRecovery(error) && (files.hasLog || files.hasJournal) {
      (content, needsRecovery) = (try Self.recovered(files, options), true)
    } catch  where hasLeftLog && !thoroughly && Self.told(StoreError(error, path: path), path).code == .damaged {
      let told = finished
      self = try StoreLook(files, options, thoroughly: true)
      finished = told
    } catch {
      throw Self.told(StoreError(error, path: path), path)
    }
  }

  private static func read(_ files: StoreFiles, _ options: StoreOptions, keepsLog: Bool, log: LeftLog.Verdict) throws -> Content {
    let factory = ConnectionFactory(files, options)
    // A look at a file without a log takes no lock, and leaves no -wal and -shm behind. In another journal mode its program may be writing.
    let isQuiet = !files.hasLog && !files.hasJournal && keepsLog
    let changedAt = DurableFile.changedAt(files.path)
    let found = Result { try content(try factory.look(ignoringLog: log.isForeign || isQuiet), files) }
    // Without a lock, another process may have opened and changed the file during the look, which then mixes two states. Look again.
    let isOpen = DurableFile.stands(files.log.path) && files.hasRoomForIndex
    guard isQuiet, isOpen || DurableFile.changedAt(files.path) != changedAt else { return try found.get() }
    return try content(try factory.look(ignoringLog: false), files)
  }

  private static func content(_ look: RawConnection, _ files: StoreFiles) throws -> Content {
    // One transaction, so one state: another process may be migrating the file.
    try look.run("BEGIN")
    defer { try? look.run("COMMIT") }
    let tables = try look.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").compactMap { $0.first ?? nil }
    guard ["holdfast_schemas", "holdfast_migrations", "holdfast_store"].allSatisfy(tables.contains) else {
      guard !tables.isEmpty else { return .empty }
      // One of the names may be damaged by a single bit. A snapshot beside the file also shows that the file was a store.
      guard tables.count(where: { $0.hasPrefix("holdfast_") }) < 2, !files.mayHaveSnapshots else {
        throw StoreError(.damaged, "\(files.path): the kit's own tables are not whole")
      }
      return .foreign(tables: tables)
    }
    return .store(try Bookkeeping(look.texts), shape: try SchemaShape(look.texts))
  }

  /// Recovers a private copy as SQLite would recover the file, and reads that copy.
  private static func recovered(_ files: StoreFiles, _ options: StoreOptions) throws -> Content {
    let (copy, folder) = try files.privateCopy(options)
    defer { withExtendedLifetime(folder) {} }
    let connection = try ConnectionFactory(copy, options).working()
    sqlite3_progress_handler(connection.handle, Int32(ConnectionFactory.looksAtMost), { _ in 1 }, nil)
    return try content(connection, files)
  }

  /// The journal's number of pages before its transaction; nil when SQLite would not roll this journal back. 0: the file was new, and
  /// rolling back empties it. The format: https://sqlite.org/fileformat2.html#the_rollback_journal
  private static func pagesBefore(_ journal: URL) throws -> Int? {
    guard DurableFile.size(journal.path) >= 512 else { return nil }
    let bytes: Data
    do {
      bytes = try FileBytes(journal).read(20)
    } catch let error as StoreError where error.code == .notFound {
      // The journal's transaction has ended meanwhile.
      return nil
    }
    guard bytes.count == 20, bytes.prefix(8).elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    else { return nil }
    return bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func wantsRecovery(_ error: StoreError) -> Bool {
    error.sqliteCode.map { [SQLITE_READONLY, SQLITE_CANTOPEN].contains($0 & 0xFF) } ?? false
  }

  private static func told(_ error: StoreError, _ path: String) -> StoreError {
    // SQLite does not understand one of the kit's statements, or the statement does not end: the kit's tables are not as the kit made them.
    guard [.misuse, .cancelled, .decoding].contains(error.code) else { return error }
    return StoreError(.damaged, "\(path): the kit's own tables cannot be read: \(error.message)", cause: error)
  }
}

extension StoreLook {
  var isReadable: Bool {
    switch content {
    case .logWithoutFile: false
    case .empty: log == .sound
    default: true
    }
  }

  /// Problems found beside the file.
  func findings(_ files: StoreFiles) -> [IntegrityReport.Finding] {
    func finding(_ message: String) -> IntegrityReport.Finding { .init(part: .files, message: message) }
    if case .logWithoutFile = content { return [finding("the file is gone, and its log is still there")] }
    return [log.message(files), files.otherNames].compactMap { $0.map(finding) }
  }

  /// The notices of a store that is opened read-only, so that the log stays as it is.
  func notices(_ files: StoreFiles) -> [StoreNotice] {
    let names = files.otherNames.map { [StoreNotice(.severalNames, $0)] } ?? []
    return switch log {
    case .sound: names
    case .broken(let commits): names + [.init(.brokenLog, log.message(files) ?? "", commitsBehindDamage: commits)]
    case .foreign: names + [.init(.foreignLog, log.message(files) ?? "")]
    }
  }

  /// Runs `body` with the file; or with a private copy, if SQLite would have to recover the file or could make no index beside it.
  func withFileToCheck<T>(_ files: StoreFiles, _ options: StoreOptions, _ body: (StoreFiles) throws -> T) throws -> T {
    if !hasLeftLog, !needsRecovery, DurableFile.mayWrite(files.parent.path), files.otherNames == nil, files.hasRoomForIndex {
      // Only the copy needs no room for an index.
      do { return try body(files) } catch  where StoreError(error).code == .diskFull {}
    }
    do {
      let (copy, folder) = try files.privateCopy(options, withoutLog: log.isForeign)
      defer { withExtendedLifetime(folder) {} }
      return try body(copy)
    } catch let error as StoreError where error.code == .diskFull && hasLeftLog && !needsRecovery && DurableFile.mayWrite(files.parent.path)
    {
      // Opening for writing reads a left log in place. It recovers a journal in a copy, so it needs the same room.
      throw StoreError(.diskFull, error.message, suggestion: "Open the store for writing, which needs no copy, or make room.", cause: error)
    }
  }
}

extension StoreFiles {
  /// Copies the file with its log and journal to a temporary folder, so that SQLite may recover the copy. The folder goes with the value.
  func privateCopy(_ options: StoreOptions, withoutLog: Bool = false) throws -> (files: StoreFiles, folder: WorkingFolder) {
    let temporary = FileManager.default.temporaryDirectory
    try DurableFile.checkFreeSpace(
      bytes + DurableFile.size(journal.path), in: temporary, for: "a copy of \(path), which must be recovered before it can be read,")
    let folder = try WorkingFolder(in: temporary, "look")
    let copy = StoreFiles(real: folder.file("copy.sqlite"))
    _ = try copyUnchanged(to: copy.url, options, withoutLog: withoutLog)
    return (copy, folder)
  }
}
