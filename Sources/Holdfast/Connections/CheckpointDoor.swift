internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// Checkpoints a store: moves its log into its file when a commit has made the log long, at closing, and on request. Attached databases are
/// checkpointed when a commit has made their logs long.
///
/// Belongs to the writer's connection and is used on its queue. No other code moves a store's log.
final class CheckpointDoor {
  /// SQLite's own default: a log of this many pages or more is moved.
  static let frames: Int32 = 1_000

  private let handle: OpaquePointer
  /// Keeps every commit, if the store is archived.
  var archiver: Archiver?
  /// Counts the checkpoints, if the store counts anything.
  var recorder: MetricsRecorder?
  /// The tables that the transaction under way has written to, as far as its SQL tells.
  private(set) var touched: [String] = []
  /// Nil: the rows of the transaction under way are not known.
  private var changesBefore: Int32?
  /// A remark on the transaction under way, for the archive's time line.
  private var remark: String?
  /// The log's length at the last move for the archive.
  private var triedFrames: Int32 = 0
  /// Frames in the log after the last commit.
  private(set) var logFrames: Int32 = 0
  /// Frames in the log before the transaction under way, or before the last transaction.
  private var framesBefore: Int32 = 0
  /// The connection is new, or the log may have been emptied since its last transaction.
  private var mayBeEmpty = true
  /// Whether the transaction under way, or the last one, wrote anything.
  private var hasWritten = false

  init(_ handle: OpaquePointer) { self.handle = handle }

  /// Listens to the next commit. Called before each transaction, because `PRAGMA wal_autocheckpoint` in the app's SQL replaces the hook.
  func listen() {
    framesBefore = logFrames
    hasWritten = false
    if archiver != nil { (touched, changesBefore, remark) = ([], sqlite3_total_changes(handle), nil) }
    hook()
  }

  /// Whether the last transaction may have written anything. True as well when the app's SQL replaced the hook: nothing was heard then.
  func mayHaveWritten() -> Bool { hasWritten || !hook() }

  /// Sets the hook. Returns whether it was set before.
  @discardableResult
  private func hook() -> Bool {
    let own = Unmanaged.passUnretained(self).toOpaque()
    let before = sqlite3_wal_hook(
      handle,
      { door, database, name, frames in
        guard let door, let name else { return SQLITE_OK }
        // SQLite calls this hook for attached databases, too. SQLite's own checkpoints are off, so this code moves their logs.
        guard strcmp(name, "main") == 0 else {
          if frames >= CheckpointDoor.frames { sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
          return SQLITE_OK
        }
        Unmanaged<CheckpointDoor>.fromOpaque(door).takeUnretainedValue().commit(frames)
        return SQLITE_OK
      }, own)
    return before == own
  }

  private func commit(_ frames: Int32) {
    logFrames = frames
    hasWritten = true
    guard let archiver else { return }
    let rows = changesBefore.map { sqlite3_total_changes(handle) &- $0 }
    archiver.committed(frames: frames, rowsChanged: rows, tables: touched, remark: remark)
  }

  /// Does not count rows of the kit itself, for the archive.
  func leaveOutRows(_ count: Int32 = 1) { changesBefore = changesBefore.map { $0 &+ count } }

  /// Tells the archive that the transaction under way replaces all content. Call after `listen`.
  func replacing(_ tables: [String], remark: String) { (touched, changesBefore, self.remark) = (tables, nil, remark) }

  /// Notes what a statement writes to, for the archive.
  @inline(__always)
  func touch(_ observed: Observed) {
    if archiver != nil { touch(observed.table) }
  }

  private func touch(_ table: String?) {
    if let table, !touched.contains(table) { touched.append(table) }
  }

  /// Call after another connection has committed. The log's length is then unknown, so `lastCommitBeganLog` is false for the next commit
  /// here, even if the other connection has emptied the log. `beginsLog` asks the file system instead.
  func forgetFrames() { (framesBefore, logFrames, mayBeEmpty) = (0, 0, true) }

  /// Whether the log is empty, so that the transaction under way begins it. Call with the write lock held. Asks the file system only when
  /// the log may be empty.
  func beginsLog() -> Bool {
    guard mayBeEmpty else { return false }
    mayBeEmpty = false
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0, let log = sqlite3_filename_wal(name) else { return false }
    var status = stat()
    return stat(log, &status) == 0 ? status.st_size == 0 : errno == ENOENT
  }

  /// Removes the hook: no commit is counted after this call.
  func stopListening() { sqlite3_wal_hook(handle, nil, nil) }

  /// Whether the last commit began the log anew, if no other connection has committed in between.
  var lastCommitBeganLog: Bool { hasWritten && logFrames <= framesBefore }

  private var isLong: Bool { hasWritten && logFrames >= Self.frames }
  private var isDueForArchive: Bool { logFrames >= triedFrames + 100 || logFrames < triedFrames }

  /// Whether `afterCommit` would move pages.
  var wantsToMove: Bool { isLong || isDueForArchive && archiver?.wantsCheckpoint ?? false }

  /// Call after a commit. When the log has `frames` pages or more, moves the pages that can be moved without waiting.
  func afterCommit() {
    if isLong {
      _ = move(SQLITE_CHECKPOINT_PASSIVE)
    } else if isDueForArchive {
      moveForArchive()
    }
    // Pages that cannot be moved now stay in the log. The next commit tries again.
  }

  /// Moves the log if the archive waits for that.
  func moveForArchive() {
    guard archiver?.wantsCheckpoint ?? false else { return }
    triedFrames = logFrames
    _ = move(SQLITE_CHECKPOINT_PASSIVE)
  }

  /// Checkpoints, after the archive has every commit of the log. Returns SQLite's result code, and how many frames of the log are now in the
  /// file.
  func move(_ mode: Int32) -> (code: Int32, moved: Int) {
    let began = SteadyTime.nanoseconds
    defer { recorder?.countCheckpoint(since: began) }
    guard let archiver else { return moveLog(mode).result }
    let isPassive = mode == SQLITE_CHECKPOINT_PASSIVE
    let wait = LockWait(archiver.options)
    var attempt = 0
    while true {
      guard archiver.makeReady(frames: logFrames, waits: !isPassive) else {
        if isPassive { return (SQLITE_OK, 0) }
        // A copy of the file that is being made ends soon.
        guard archiver.status.isBusy, wait.goesOn(attempt: attempt) else { return (SQLITE_BUSY, 0) }
        attempt += 1
        continue
      }
      // SQLite's other checkpoints also move what another process commits meanwhile. A process that is killed then leaves a file that is
      // ahead of the archive.
      let first = moveLog(SQLITE_CHECKPOINT_PASSIVE)
      // From here on no other process can move a frame that the archive has not seen: then the log is not whole, and is not cut.
      let mayCut = archiver.pin()
      guard !isPassive, first.result.code == SQLITE_OK || first.result.code == SQLITE_BUSY else { return first.result }
      if mayCut, first.isWhole, case let last = moveLog(mode).result, last.code != SQLITE_BUSY { return last }
      // Waits for readers.
      guard wait.goesOn(attempt: attempt) else { return (SQLITE_BUSY, first.result.moved) }
      attempt += 1
    }
  }

  private func moveLog(_ mode: Int32) -> (result: (code: Int32, moved: Int), isWhole: Bool) {
    var inLog: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &inLog, &moved)
    if mode == SQLITE_CHECKPOINT_TRUNCATE { mayBeEmpty = true }
    if code == SQLITE_OK { archiver?.checkpointed(frames: UInt32(max(0, inLog)), isWhole: inLog == moved) }
    return ((code, Int(max(0, moved))), code == SQLITE_OK && inLog == moved)
  }

  /// Call at closing, after all statements are finalized. SQLite moves the rest of the log and deletes the log, when no other connection
  /// has the file open.
  func atClosing() {
    stopListening()
    let mayEnd = archiver?.close(
      move: { _ = move(SQLITE_CHECKPOINT_PASSIVE) }, lock: { holdfast_lock_exclusively(handle) == SQLITE_OK })
    if mayEnd == nil { _ = move(SQLITE_CHECKPOINT_PASSIVE) }
    if mayEnd ?? true { _ = holdfast_checkpoints_on_close(handle, 1) }
  }
}
