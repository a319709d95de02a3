import Foundation
import Logging

/// Writes the archive of an open store: after each commit, it copies the pages of the commit from the log into a segment.
///
/// The writer only notes each commit; a queue of its own does the work, some milliseconds later. Rule R1: `CheckpointDoor` moves the log into
/// the file only after `makeReady`, when all its commits are in flushed segments. So no commit needs a flush of the archive: until then the
/// log still has it. Where the row of commits is broken, because another program has moved the log or changed the file, the archiver never
/// guesses: it begins a new generation with a new base, and the base says why.
///
/// One process archives a store: it holds the lock on the archive's folder. It also keeps a read transaction open that begins where the
/// archive ends, so that another process can move pages into the file, but cannot begin the log anew.
final class Archiver: @unchecked Sendable {
  /// A commit of this store that the writer has noted.
  struct Noted {
    /// The log's length after it.
    var frames: UInt32
    var time: Int64
    var rowsChanged: UInt32?
    var tables: [String]
    /// A note that follows it in the time line.
    var remark: String?
  }

  enum Phase: Equatable {
    /// Another process archives.
    case elsewhere
    /// The archive on the disk was not read yet.
    case beginning
    /// Every commit of the log must be in the file first; then a base can be copied.
    case needsBase(reason: String)
    /// The file is being copied. Nothing may be moved into it.
    case copying
    case following
    case closed
  }

  let files: StoreFiles
  let options: StoreOptions
  let folder: ArchiveFolder
  let queue = DispatchQueue(label: "holdfast.archive")
  /// The pause between a commit and the archiving of it and those that follow.
  private static let pause = DispatchTimeInterval.milliseconds(20)
  private static let burst = 32

  // Guarded by `lock`.
  var noted: [Noted] = []
  private var isScheduled = false
  private var isRetrying = false
  private var told = Told()
  var waiting = 0
  private var listeners: [UUID: AsyncStream<Void>.Continuation] = [:]
  let lock = NSLock()

  struct Told: Sendable {
    var oldest: Int64?
    var newest: Int64?
    var gaps: [ArchiveEvent] = []
    var commits: Int64 = 0
    var isWriting = false
    var problem: String?
    var isDiskFull = false
    /// The file is being read or copied.
    var isBusy = true
    /// Bases may be copied, for merging.
    var isRetaining = false
    var needsBase = false
    /// Other processes have made the log long.
    var hasLongLog = false
  }

  // Used on `queue` only.
  var phase = Phase.beginning {
    didSet {
      tell { ($0.isWriting, $0.isBusy, $0.needsBase) = (phase == .following, phase == .copying || opened != nil, false) }
      if case .needsBase = phase { askForBase() }
      guard phase == .following else { return }
      // The gap that this explains is in the archive now, or there is none.
      _ = try? DurableFile.remove(folder.replaced)
      // Also where nobody commits: on a full disk nobody can.
      queue.async { self.retain() }
    }
  }
  /// The file and the time at opening, if the file then had every commit. Nil when the work of the opening has ended.
  var opened: (file: StoreFiles.State, time: Int64)?
  /// How long a base waits after one that failed.
  var pauseBeforeBase = 0
  /// Calls `CheckpointDoor.moveForArchive` and `writeRequested` on the writer's queue.
  var askWriter: @Sendable () -> Void = {}
  var folderLock: FolderLock?
  var source: ArchiveSource?
  var follower: LogFollower?
  var hashes = PageHashes(pageBytes: 4_096)
  var segment: SegmentWriter?
  /// A segment whose writing or flushing failed.
  var suspect: URL?
  /// After a failure the archive, and the whole file with it, is not read again at once.
  var resumesAt = ContinuousClock.now
  var readingTook = Duration.zero
  var marks = Data()
  var generation = 0
  /// The last archived commit, and its time.
  var last: (commit: Int64, time: Int64) = (0, 0)
  /// Every commit before this one is in the file, and the log may begin anew.
  var mayBeginAnew = false
  /// A checkpoint has restarted or cut the log: the salts of the next frame cannot be predicted.
  var hasAnySalts = false
  var clock = ClockWatch()
  /// The clock's time of the last archived commit.
  var lastClock: Int64 = 0
  /// Nil before the archive was read.
  var trusted: TrustedTime?
  /// As it is on the disk.
  var storedTime: TrustedTime?
  var hasWarned = false
  /// Not before this time is the archive made smaller again.
  var retainsAt = ContinuousClock.now
  /// In seconds; for a run that was not complete.
  var pauseBeforeRetaining: Int64 = 10
  /// What `makeRoom` removed, until it can be noted.
  var notes: [String] = []
  let compressor = PageCompressor()

  init(_ files: StoreFiles, _ options: StoreOptions) {
    (self.files, self.options, folder) = (files, options, ArchiveFolder(files, options.key))
  }

  var status: Told { lock.withLock { told } }
  /// Commits that the writer has noted and that are not in the archive yet.
  var lag: Int { lock.withLock { noted.count } }

  // MARK: What the writer calls

  /// Notes a commit. Called on the writer's queue, within COMMIT.
  func committed(frames: Int32, rowsChanged: Int32?, tables: [String], remark: String?) {
    let time = ArchiveTime.microseconds(options.now())
    lock.lock()
    let rows = rowsChanged.map { UInt32(clamping: $0) }
    noted.append(Noted(frames: UInt32(clamping: frames), time: time, rowsChanged: rows, tables: tables, remark: remark))
    // In a burst the queue works beside the writer, so that a checkpoint finds little left to do.
    let isBurst = noted.count == Self.burst
    let schedules = !isScheduled || isBurst
    isScheduled = true
    lock.unlock()
    guard schedules else { return }
    queue.asyncAfter(deadline: isBurst ? .now() : .now() + Self.pause) {
      self.lock.withLock { self.isScheduled = false }
      self.attempt { try self.drain() }
      self.retain()
    }
  }

  /// Why the archive cannot be written, and the log not be moved.
  var problem: StoreError? {
    let told = status
    guard let problem = told.problem else { return nil }
    return StoreError(told.isDiskFull ? .diskFull : .inputOutput, "the archive of \(files.path) cannot be written: \(problem)")
  }

  /// Why a commit of a strict archive must fail. Then the archive is tried again, since no commit does that.
  func refusal() -> StoreError? {
    guard options.archive.isStrict, let problem else { return nil }
    let isFirst = lock.withLock {
      defer { isRetrying = true }
      return !isRetrying
    }
    guard isFirst else { return problem }
    queue.async {
      self.lock.withLock { self.isRetrying = false }
      self.attempt { try self.drain() }
    }
    return problem
  }

  /// Called on the writer's queue before a passive checkpoint; call `checkpointed` and `pin` after it. Returns whether the log, of `frames`
  /// frames as far as the writer knows, may be moved into the file. `waits` for a copy of the whole file that is being made.
  func makeReady(frames: Int32, waits: Bool) -> Bool {
    if !waits, status.isBusy || status.isRetaining && frames < 4 * CheckpointDoor.frames { return false }
    return urgently {
      if phase == .elsewhere { resume() }
      attempt { try archiveAll() }
      guard mayMove(frames) else { return false }
      // It moves no frame that another process adds from here on, and such a process does not begin the log anew.
      let isPinned = source?.pinAnew() ?? false
      attempt { try archiveAll() }
      return mayMove(frames) && (isPinned || phase != .following)
    }
  }

  private func mayMove(_ frames: Int32) -> Bool {
    // On a full disk the log cannot grow: only its moving makes room for commits.
    let isFull = status.problem != nil && status.isDiskFull
    let isTooLong = isFull || Int64(frames) * Int64(hashes.pageBytes) >= options.archive.maximumLogBytes
    switch phase {
    case .following where status.problem == nil: return true
    case .needsBase, .closed: return true
    case .beginning, .following:
      // A strict archive refuses commits instead, so the log can wait.
      if options.archive.isStrict { return false }
      if isTooLong { breakRow((isFull ? ArchiveGap.diskFull : .logTooLong).rawValue) }
    case .elsewhere, .copying: break
    }
    return isTooLong
  }

  /// Called on the writer's queue after a checkpoint. `isWhole`: all frames of the log are in the file now.
  func checkpointed(frames: UInt32, isWhole: Bool) {
    guard !status.isBusy else { return }
    urgently {
      switch phase {
      case .needsBase(let reason) where isWhole: beginBase(reason)
      case .following:
        tell { $0.hasLongLog = false }
        // Another process may have begun the log anew since.
        if frames > 0, isWhole, let follower, follower.place.frames == frames,
          (try? follower.presentHeader())??.salts == follower.place.salts
        {
          mayBeginAnew = true
        }
        if frames == 0, isWhole, mayBeginAnew { hasAnySalts = true }
        // Commits that another process made between the two.
        attempt { try archiveAll() }
        // A log that was cut says nothing any more.
        if frames > 0 { mayBeginAnew = isWhole && follower?.place.frames == frames }
      default: break
      }
    }
  }

  /// Keeps other processes from beginning the log anew while it has commits that are not both in the file and in the archive. Called on the
  /// writer's queue after a checkpoint. Returns whether the log may be cut: else a checkpoint that cuts it would wait for this.
  func pin() -> Bool {
    // `beginBase` has done it.
    guard !status.isBusy else { return true }
    return urgently {
      if phase != .following || mayBeginAnew {
        let isPinned = source?.pinAnew() ?? false
        // What another process has committed just before that would be moved unarchived.
        guard attempt({ try archiveAll() }) == nil, isPinned || phase != .following else { return false }
      }
      let keepsLog = phase == .following && !mayBeginAnew
      if keepsLog { source?.pin() }
      return !keepsLog
    }
  }

  /// Whether a base waits for a checkpoint, or other processes have made the log long.
  var wantsCheckpoint: Bool { lock.withLock { told.needsBase || told.hasLongLog } }

  /// Called on the writer's queue, outside a transaction.
  func label(_ text: String) throws {
    try Self.checkLabel(text)
    try urgently {
      attempt { try drain(all: true) }
      try checkIsWritten()
      let now = max(ArchiveTime.microseconds(options.now()), last.time)
      let failure = attempt {
        try append(.label(.init(commit: last.commit, time: now, text: text)))
        try segment?.flush()
      }
      if let failure { throw failure }
    }
  }

  /// Begins a new generation with a new base, at the next checkpoint.
  func beginAnew(because reason: String) throws {
    try urgently {
      if phase == .elsewhere { throw files.archivedElsewhere }
      attempt { try drain() }
      breakRow(reason)
    }
  }

  /// Archives what was committed. Not on the writer's queue or the archive's. Returns false when a base is missing: a checkpoint begins it.
  func settle() -> Bool {
    urgently {
      attempt { try drain() }
      if case .needsBase = phase { return false }
      return phase != .copying
    }
  }

  /// Takes the archive over, or throws `.busy` when another process writes it. Not on the writer's queue: it may read the whole file.
  func takeOver() throws { if isElsewhere { throw files.archivedElsewhere } }

  /// Whether another process writes the archive. If not, this one does, from now on.
  var isElsewhere: Bool {
    urgently {
      if phase == .elsewhere { resume() }
      return phase == .elsewhere
    }
  }

  /// Called on the writer's queue before the connections close. Returns whether SQLite may move the rest of the log into the file and delete
  /// it. `move` moves what is archived; `lock` takes SQLite's exclusive lock on the file, and returns whether it could.
  ///
  /// Another process may commit and close between any look at the log here and SQLite's own checkpoint, which moves every frame. So SQLite
  /// may do that only where no other process can have the file open any more, and the last commits were archived after that.
  func close(move: () -> Void = {}, lock: () -> Bool = { false }) -> Bool {
    // A checkpoint would begin a base that is missing. The next opening makes it.
    if urgently({ archivesAll() && phase == .following }) { move() }
    return urgently {
      source?.endReading()
      let mayMove = lock() && archivesAll()
      phase = .closed
      (segment, follower, source, folderLock) = (nil, nil, nil, nil)
      for listener in self.lock.withLock({ Array(listeners.values) }) { listener.finish() }
      return mayMove
    }
  }

  /// Runs `body` on the queue, and waits for it. Retention gives way.
  func urgently<T>(_ body: () throws -> T) rethrows -> T {
    lock.withLock { waiting += 1 }
    defer { lock.withLock { waiting -= 1 } }
    return try queue.sync(execute: body)
  }

  // MARK: The queue's work

  /// Throws `.busy` when a label could not be written now.
  func checkIsWritten() throws {
    if phase == .following, status.problem == nil { return }
    // That does not pass by itself.
    if files.path.utf8.count > StoreFiles.longestPathBytes, status.problem != nil { throw files.pathIsTooLong }
    throw StoreError(
      .busy, "the archive of \(files.path) is not being written at the moment" + (status.problem.map { ": \($0)" } ?? ""),
      suggestion: "See `archiveStatus()`.", recoveryOptions: [.retry])
  }

  /// Archives every commit. Returns whether the log need not be kept: all are archived, or a base will hold them.
  private func archivesAll() -> Bool {
    attempt { try archiveAll() }
    if case .needsBase = phase { return true }
    return phase == .following && status.problem == nil
  }

  /// Archives every commit of the log, and flushes it. Only on the writer's queue.
  private func archiveAll() throws {
    try drain(all: true)
    try segment?.flush()
  }

  /// Runs `body`. A gap begins a new generation. Any other error is returned, and kept for `status`; the next commit tries again.
  @discardableResult
  func attempt(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      if phase == .following { tell { $0.problem = nil } }
      return nil
    } catch let gap as ArchiveGap {
      breakRow(folder.text(of: gap))
      return nil
    } catch {
      let failure = StoreError(error)
      tell { ($0.problem, $0.isDiskFull) = (failure.message, failure.code == .diskFull) }
      // The next try has the ballast's room, so that the log can be moved into the file and does not grow.
      if failure.code == .diskFull { _ = try? DurableFile.remove(folder.ballast) }
      options.logger.error("archive", metadata: ["code": "\(failure.code.rawValue)"])
      // What was appended since the last flush may be lost. The log still has it.
      if let segment { suspect = segment.url }
      if phase == .following {
        (segment, phase) = (nil, .beginning)
        // Reading a large store again takes at most a third of the time.
        if readingTook > .milliseconds(100) { resumesAt = max(resumesAt, .now + readingTook * 2) }
      }
      return failure
    }
  }

  func tell(_ change: (inout Told) -> Void) {
    lock.withLock { change(&told) }
    for listener in lock.withLock({ Array(listeners.values) }) { listener.yield() }
  }

  /// Yields after each change of `status`.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = UUID()
    continuation.onTermination = { [weak self] _ in self?.lock.withLock { self?.listeners[id] = nil } }
    lock.withLock { listeners[id] = continuation }
    continuation.yield()
    return stream
  }

  private func breakRow(_ reason: String) {
    options.logger.warning("archive begins a new generation", metadata: ["reason": "\(reason)"])
    (segment, follower, phase) = (nil, nil, .needsBase(reason: reason))
    tell { $0.problem = nil }
  }
}
