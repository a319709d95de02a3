import Foundation

/// A judgement of the log that a process left beside a database without closing it.
///
/// SQLite replays any log into any file with the same name, up to the first damaged frame, and then deletes the log. So this code judges a
/// log before SQLite may read it: by its frames, and by what proves that it is not the file's own:
///
/// - its pages have another size;
/// - the marks of `LogLine`, and the count of the first page's changes: see `LogOrigin`;
/// - with the log the file is damaged, and without it the file is sound.
///
/// The last proof reads the whole file. It is the only one for a log that another program wrote, and for a file that was copied while an app
/// had it open. An opening looks for it only where somebody may have put the file or the log there since the log was written.
struct LeftLog: Equatable {
  enum Verdict: Equatable {
    /// The log is whole and belongs to the file.
    case sound
    /// A frame is damaged. Up to this many commits follow it; SQLite will drop them.
    case broken(commits: Int)
    /// The log belongs to another file or to another time.
    case foreign(reason: String)

    var isForeign: Bool { if case .foreign = self { true } else { false } }

    /// A sentence for people; nil for `.sound`.
    func message(_ files: StoreFiles) -> String? {
      switch self {
      case .sound: nil
      case .broken(let commits):
        "the log beside \(files.path) is damaged: up to \(commits) commits stand behind the damage and cannot be read; the last of them"
          + " may never have been acknowledged"
      case .foreign(let reason): "the log beside \(files.path) does not belong to it, and is not read: \(reason)"
      }
    }
  }

  let log: WriteAheadLog
  let verdict: Verdict

  /// Judges the log beside the file. Nil where there is none, and where a connection has the file open: SQLite has then read the log.
  /// `thoroughly` reads the whole file to find out, however the log came there. `source`: the files of which `files` are a private copy.
  init?(_ files: StoreFiles, _ options: StoreOptions, thoroughly: Bool = false, copyOf source: StoreFiles? = nil) throws {
    // Without permission to write there is no way to find out whether the file is open elsewhere.
    guard files.hasLog, DurableFile.size(files.path) > 0, DurableFile.mayWrite(files.path), try FileLock(files) != nil else {
      return nil
    }
    let factory = ConnectionFactory(files, options)
    log = try WriteAheadLog(files.log)
    if let reason = try Self.foreignness(log, files, factory, mayBeCopied: Self.mayBeCopied(source ?? files), thoroughly) {
      verdict = .foreign(reason: reason)
    } else {
      verdict = log.lostCommits > 0 ? .broken(commits: log.lostCommits) : .sound
    }
    // Another process may have opened the file meanwhile and begun a new log.
    if verdict != .sound { guard try FileLock(files) != nil, try WriteAheadLog(files.log) == log else { return nil } }
  }

  private static func foreignness(
    _ log: WriteAheadLog, _ files: StoreFiles, _ factory: ConnectionFactory, mayBeCopied: Bool, _ thoroughly: Bool
  ) throws -> String? {
    // SQLite ignores a log without a whole header or without a commit.
    guard let pageSize = log.pageSize, log.committedFrames > 0 else { return nil }
    if let size = try DatabaseHeader(of: files.url).pageBytes, size != pageSize {
      return "its pages have \(pageSize) bytes and the pages of the file have \(size)"
    }
    let pages = try LeftPages(files, log, pageSize, factory.options.key)
    // A file that cannot be read without its log proves nothing: its content may be in the log.
    var file = LogOrigin(line: try? LogLine.stored(factory.look(ignoringLog: true)), changes: nil)
    do {
      let line = try file.line.flatMap { _ in try LogLine.stored(factory.look(ignoringLog: false)) }
      if file.line != nil, line == nil { return "with it the store's tables would be gone" }
      var through = LogOrigin(line: line, changes: nil)
      if let first = try pages.logged(1) {
        (file.changes, through.changes) = try (DatabaseHeader(pages.inFile(1)).changes, DatabaseHeader(first).changes)
      }
      if let reason = through.foreignness(to: file) { return reason }
    } catch let error as StoreError where [.damaged, .notADatabase, .wrongKey, .misuse].contains(error.code) {
      return "with it the file could not be read: \(error.message)"
    }
    guard try thoroughly || mayBeCopied && !pages.areInFile() else { return nil }
    let damage = try damage(factory.copySource())
    // A program that does not know an index of a table leaves such damage in the file's own log.
    guard !damage.isEmpty, !Snapshot.isOnlyOfIndexes(damage) else { return nil }
    guard try self.damage(factory.copySource(ConnectionFactory.immutable(files.path))).isEmpty else { return nil }
    return "with it the file would be damaged, and without it the file is sound"
  }

  /// Whether the file or the log may have been put there by hand since the log was written. SQLite itself moves pages into the file later, too.
  private static func mayBeCopied(_ files: StoreFiles) -> Bool {
    let written = DurableFile.changedAt(files.log.path)
    return DurableFile.changedAt(files.path, asFile: true) >= written || DurableFile.changedAt(files.log.path, asFile: true) != written
  }

  private static func damage(_ connection: @autoclosure () throws -> RawConnection) throws -> [String] {
    do { return try Snapshot.damage(connection()) } catch let error as StoreError
      where [.damaged, .notADatabase, .wrongKey].contains(error.code)
    { return [error.message] }
  }
}

/// What a state of a store tells of the log that belongs to it.
struct LogOrigin {
  /// Nil where it cannot be read.
  var line: LogLine?
  /// The count of the first page's changes. It never goes back; nil where it cannot be read.
  var changes: Int?

  /// Why the log through which this state was read does not belong to `file`. Nil: nothing speaks against it, though
  /// it may still be another file's.
  func foreignness(to file: LogOrigin) -> String? {
    if let line, let own = file.line, !line.follows(own) { return "it is of another store, or of another time of this one" }
    if let changes, let own = file.changes, changes < own { return "it is older than the file" }
    return nil
  }
}

/// The pages of a left log, and those in their places in the file; decrypted.
private struct LeftPages {
  private let file: FileBytes
  private let log: LogFile
  private let latest: [UInt32: UInt32]
  private let pageBytes: Int
  private let opener: PageOpener?

  init(_ files: StoreFiles, _ left: WriteAheadLog, _ pageBytes: Int, _ key: StoreKey?) throws {
    (file, log, latest) = (try FileBytes(files.url), LogFile(files.log), left.latest)
    (self.pageBytes, opener) = (pageBytes, PageOpener(key))
    _ = try log.header()
  }

  func logged(_ number: UInt32) throws -> Data? {
    guard let frame = latest[number] else { return nil }
    var page = Data(count: pageBytes)
    let isThere = page.withUnsafeMutableBytes { log.page(inFrame: frame, into: $0) }
    return try isThere ? opened(number, page) : nil
  }

  func inFile(_ number: UInt32) throws -> Data {
    try opened(number, file.read(pageBytes, at: (Int64(number) - 1) * Int64(pageBytes)))
  }

  /// Whether reading the log changes nothing, because SQLite has moved all of it into the file already.
  func areInFile() throws -> Bool { try latest.keys.allSatisfy { try logged($0) == inFile($0) } }

  private func opened(_ number: UInt32, _ page: Data) throws -> Data {
    var page = page
    if let opener, page.count == pageBytes { _ = try page.withUnsafeMutableBytes { try opener.open(number, $0) } }
    return page
  }
}

extension StoreFiles {
  /// Settles a left log before SQLite opens the file for writing: copies a broken log, sets a foreign log aside. Returns notices.
  func settleLog(_ options: StoreOptions) throws -> [StoreNotice] {
    if !DurableFile.stands(path) { return try setAsideOrphans(options) }
    guard let left = try LeftLog(self, options, thoroughly: true), let reason = left.verdict.message(self) else { return [] }
    if case .broken(let commits) = left.verdict {
      let kept = try keepCopy(of: ["-wal"], because: reason, at: options.now())
      return [.init(.brokenLog, "\(reason); a copy of the log is kept", kept: kept, commitsBehindDamage: commits)]
    }
    guard let lock = try FileLock(self), try WriteAheadLog(log) == left.log else { return [] }
    defer { withExtendedLifetime(lock) {} }
    let kept = try setAside(["-wal", "-shm"], because: reason, at: options.now())
    return [.init(.foreignLog, "\(reason); it was set aside", kept: kept)]
  }

  /// For a private copy of `source`, which may be damaged: removes a log that is not its own. Returns what to tell; nil where it stays.
  func leaveForeignLog(_ options: StoreOptions, named source: StoreFiles) throws -> String? {
    let left: LeftLog?
    do {
      left = try LeftLog(self, options, thoroughly: true, copyOf: source)
    } catch {
      // What SQLite cannot read at all proves nothing.
      _ = try StoreError(error).ofContent()
      return nil
    }
    guard let left, left.verdict.isForeign else { return nil }
    for url in [log, index] { try DurableFile.remove(url) }
    return left.verdict.message(source)
  }

  /// The lock of an opening that finds a log without its file. Hold it until the new file is there: otherwise another opening takes the new
  /// store's log for the left one. Nil where there is no such log.
  func lockOfOrphans(_ options: StoreOptions) throws -> FolderLock? {
    guard !DurableFile.stands(path), Self.logs.contains(where: { DurableFile.stands(path + $0) }) else { return nil }
    let busy = StoreError(
      .busy, "another opening sets the log beside \(path) aside", suggestion: "Open it again.", recoveryOptions: [.retry])
    return try FolderLock(folder, LockWait(options), busy: busy)
  }

  /// Sets a log or journal without its database aside. SQLite would delete it, or replay it into the next file with this name.
  private func setAsideOrphans(_ options: StoreOptions) throws -> [StoreNotice] {
    let found = Self.logs.filter { DurableFile.stands(path + $0) }
    // A new store makes its file before its log. So a log that was found before the file was missing is an orphan.
    guard !found.isEmpty, !DurableFile.stands(path) else { return [] }
    guard found.contains(where: { DurableFile.size(path + $0) > 0 }) else {
      for suffix in found { try DurableFile.remove(beside(suffix)) }
      return []
    }
    // The index first: as long as a log is there, another opening waits for the lock.
    let reason = "there was a log of \(path), and the file itself was gone"
    let kept = try setAside(["-shm"] + Self.logs, because: reason, at: options.now())
    return [.init(.logWithoutFile, "\(reason); the log was set aside", kept: kept)]
  }
}
