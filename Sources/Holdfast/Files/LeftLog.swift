import Foundation

/// A judgement of the log that a process left beside a database without closing it.
///
/// SQLite replays any log into any file with the same name, up to the first damaged frame, and then deletes the log. So this code judges a
/// log before SQLite may read it: by its frames, and by the marks that `LogLine` writes.
struct LeftLog: Equatable {
  enum Verdict: Equatable {
    /// The log is whole and belongs to the file.
    case sound
    /// A frame is damaged. Up to this many commits stand behind it; SQLite will drop them.
    case broken(commits: Int)
    /// The log belongs to another file or to another time.
    case foreign(reason: String)

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

  /// Judges the log beside the file. Changes nothing. Nil where there is no log, and where another connection has the file open: SQLite has
  /// then read the log already.
  init?(_ files: StoreFiles, _ options: StoreOptions) throws {
    // Without permission to write there is no way to find out whether the file is open elsewhere.
    guard files.hasLog, DurableFile.size(files.path) > 0, DurableFile.mayWrite(files.path), try FileLock(files) != nil else {
      return nil
    }
    let factory = ConnectionFactory(files, options)
    log = try WriteAheadLog(files.log)
    if let reason = try Self.foreignness(log, factory) {
      verdict = .foreign(reason: reason)
    } else {
      verdict = log.lostCommits > 0 ? .broken(commits: log.lostCommits) : .sound
    }
    // Another process may have opened the file meanwhile and begun a new log.
    if verdict != .sound { guard try FileLock(files) != nil, try WriteAheadLog(files.log) == log else { return nil } }
  }

  private static func foreignness(_ log: WriteAheadLog, _ factory: ConnectionFactory) throws -> String? {
    // SQLite ignores a log without a whole header or without a commit.
    guard let pageSize = log.pageSize, log.committedFrames > 0 else { return nil }
    let alone = try factory.look(ignoringLog: true)
    // An encrypted file shows its page size only after its key was tried.
    let size = try? alone.texts("PRAGMA page_size").first?.first ?? nil
    if let size, let size = Int(size), size != pageSize {
      return "its pages have \(pageSize) bytes and the pages of the file have \(size)"
    }
    // A file that cannot be read without its log proves nothing: its content may be in the log.
    guard let file = try? LogLine.stored(alone) else { return nil }
    do {
      guard let found = try LogLine.stored(factory.look(ignoringLog: false)) else { return "with it the store's tables would be gone" }
      return found.follows(file) ? nil : "it is of another store, or of another time of this one"
    } catch let error as StoreError where [.damaged, .notADatabase, .wrongKey, .misuse].contains(error.code) {
      return "with it the file could not be read: \(error.message)"
    }
  }
}

extension StoreFiles {
  /// Settles a left log before SQLite opens the file for writing: copies a broken log, sets a foreign log aside. Returns notices.
  func settleLog(_ options: StoreOptions) throws -> [StoreNotice] {
    if !DurableFile.stands(path) { return try setAsideOrphans(options) }
    guard let left = try LeftLog(self, options) else { return [] }
    guard let reason = left.verdict.message(self) else { return [] }
    switch left.verdict {
    case .sound: return []
    case .broken(let commits):
      let kept = try keepCopy(of: ["-wal"], because: reason, at: options.now())
      return [.init(.brokenLog, "\(reason); a copy of the log is kept", kept: kept, commitsBehindDamage: commits)]
    case .foreign:
      guard let lock = try FileLock(self), try WriteAheadLog(log) == left.log else { return [] }
      defer { withExtendedLifetime(lock) {} }
      let kept = try setAside(["-wal", "-shm"], because: reason, at: options.now())
      return [.init(.foreignLog, "\(reason); it was set aside", kept: kept)]
    }
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
    let holdsSomething = found.contains { DurableFile.size(path + $0) > 0 }
    guard holdsSomething else {
      for suffix in found { try DurableFile.remove(beside(suffix)) }
      return []
    }
    // The index first: as long as a log is there, another opening waits for the lock.
    let reason = "there was a log of \(path), and the file itself was gone"
    let kept = try setAside(["-shm"] + Self.logs, because: reason, at: options.now())
    return [.init(.logWithoutFile, "\(reason); the log was set aside", kept: kept)]
  }
}
