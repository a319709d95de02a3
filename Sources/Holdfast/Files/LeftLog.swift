import Foundation

/// What to make of a log that was left beside a database by a process that did not close it.
///
/// SQLite replays whatever log it finds into whatever file it finds beside it, up to the first damaged frame, and then deletes the log.
/// So a log is judged before SQLite may touch it: by our own reading of its frames, and by the store's line of logs (see `LogLine`).
struct LeftLog: Equatable {
  enum Verdict: Equatable {
    /// Nothing is wrong with it.
    case sound
    /// Up to this many commits stand behind a damaged frame; SQLite will drop them.
    case broken(commits: Int)
    /// It belongs to another file or another time.
    case foreign(reason: String)

    /// Nil where nothing is wrong.
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

  /// Judges the log beside the file. Changes nothing. Nil where there is no log, or another connection has the file open: then SQLite
  /// has read the log already.
  init?(_ files: StoreFiles, _ options: StoreOptions) throws {
    // Of a file that may not be written to nobody can say who has it open.
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
    // Somebody may have opened the file meanwhile, and begun another log.
    if verdict != .sound { guard try FileLock(files) != nil, try WriteAheadLog(files.log) == log else { return nil } }
  }

  private static func foreignness(_ log: WriteAheadLog, _ factory: ConnectionFactory) throws -> String? {
    // Without a whole header and a commit SQLite reads nothing of it.
    guard let pageSize = log.pageSize, log.committedFrames > 0 else { return nil }
    let alone = try factory.look(ignoringLog: true)
    // An encrypted file says nothing of its page size before its key was tried.
    let size = try? alone.texts("PRAGMA page_size").first?.first ?? nil
    if let size, let size = Int(size), size != pageSize {
      return "its pages have \(pageSize) bytes and those of the file \(size)"
    }
    // A file that cannot be read alone proves nothing: its content may be in the log.
    guard let file = try? LogLine.stored(alone) else { return nil }
    do {
      guard let found = try LogLine.stored(factory.look(ignoringLog: false)) else { return "it would take the store's tables away" }
      return found.follows(file) ? nil : "it is of another store, or of another time of this one"
    } catch let error as StoreError where [.damaged, .notADatabase, .misuse].contains(error.code) {
      return "with it the file could not be read: \(error.message)"
    }
  }
}

extension StoreFiles {
  /// Sees to a log that was left, before SQLite opens the file for writing. Returns what was found and done.
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

  /// A lock for the opening that finds a log without its file. Hold it until the new file stands: another opening would take the new store's
  /// log for the left one. Nil where no log stands without its file.
  func lockOfOrphans(_ options: StoreOptions) throws -> FolderLock? {
    guard !DurableFile.stands(path), Self.logs.contains(where: { DurableFile.stands(path + $0) }) else { return nil }
    let busy = StoreError(
      .busy, "another opening sets the log beside \(path) aside", suggestion: "Open it again.", recoveryOptions: [.retry])
    return try FolderLock(folder, LockWait(options), busy: busy)
  }

  /// A log or journal without its database. SQLite would delete it, or read it into the next file of this name.
  private func setAsideOrphans(_ options: StoreOptions) throws -> [StoreNotice] {
    let found = Self.logs.filter { DurableFile.stands(path + $0) }
    // A new store has its file before its log. So a log that was found before the file was missing is an orphan.
    guard !found.isEmpty, !DurableFile.stands(path) else { return [] }
    let holdsSomething = found.contains { DurableFile.size(path + $0) > 0 }
    guard holdsSomething else {
      for suffix in found { try DurableFile.remove(beside(suffix)) }
      return []
    }
    // The index first: as long as a log stands, another opening waits for the lock.
    let reason = "there was a log of \(path), and the file itself was gone"
    let kept = try setAside(["-shm"] + Self.logs, because: reason, at: options.now())
    return [.init(.logWithoutFile, "\(reason); the log was set aside", kept: kept)]
  }
}
