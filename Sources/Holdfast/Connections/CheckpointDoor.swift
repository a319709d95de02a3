internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// The one place that moves a store's log into its file: after commits, when the log has grown; at closing; and when it is asked. The logs
/// of attached databases are moved when they have grown.
///
/// Belongs to the writer's connection and is used on its queue.
final class CheckpointDoor {
  /// SQLite's own default: the log is moved once it has this many pages.
  static let frames: Int32 = 1_000

  private let handle: OpaquePointer
  /// How many frames the log had after the last commit.
  private(set) var logFrames: Int32 = 0
  /// Frames before the transaction that is under way, or the last one.
  private var framesBefore: Int32 = 0
  /// The connection is new, or the log may have been emptied since its last transaction.
  private var mayBeEmpty = true
  /// Whether the transaction that is under way, or the last one, wrote anything.
  private var hasWritten = false

  init(_ handle: OpaquePointer) { self.handle = handle }

  /// Listens to the next commit. Again at each transaction: a PRAGMA of the app's would have taken the place.
  func listen() {
    framesBefore = logFrames
    hasWritten = false
    sqlite3_wal_hook(
      handle,
      { door, database, name, frames in
        guard let door, let name else { return SQLITE_OK }
        // SQLite calls this for attached databases, too. SQLite's own checkpoints are off, so their logs are moved here.
        guard strcmp(name, "main") == 0 else {
          if frames >= CheckpointDoor.frames { sqlite3_wal_checkpoint_v2(database, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil) }
          return SQLITE_OK
        }
        Unmanaged<CheckpointDoor>.fromOpaque(door).takeUnretainedValue().commit(frames)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func commit(_ frames: Int32) {
    logFrames = frames
    hasWritten = true
  }

  /// After another connection has committed. The length of the log is unknown until the next commit, so that commit never counts as the
  /// first of a log. It is, where the other connection has emptied the log.
  func forgetFrames() { (framesBefore, logFrames, mayBeEmpty) = (0, 0, true) }

  /// Whether the log is empty, asked with the write lock held: then the transaction begins the log. Only where that may be, the file
  /// system is asked.
  func beginsLog() -> Bool {
    guard mayBeEmpty else { return false }
    mayBeEmpty = false
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0, let log = sqlite3_filename_wal(name) else { return false }
    var status = stat()
    return stat(log, &status) == 0 ? status.st_size == 0 : errno == ENOENT
  }

  /// Nobody calls back after this.
  func stopListening() { sqlite3_wal_hook(handle, nil, nil) }

  /// Whether the last commit began the log anew, if no other connection has committed in between.
  var lastCommitBeganLog: Bool { hasWritten && logFrames <= framesBefore }

  /// After a commit: moves what can be moved without waiting, when the log has grown to its bound.
  func afterCommit() {
    guard hasWritten, logFrames >= Self.frames else { return }
    // What cannot be moved now stays in the log, and the next commit asks again.
    _ = move(SQLITE_CHECKPOINT_PASSIVE)
  }

  /// Returns SQLite's result code, and how many frames of the log are in the file.
  func move(_ mode: Int32) -> (code: Int32, moved: Int) {
    var inLog: Int32 = 0
    var moved: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &inLog, &moved)
    if mode == SQLITE_CHECKPOINT_TRUNCATE { mayBeEmpty = true }
    return (code, Int(max(0, moved)))
  }

  /// At closing, with all statements gone: lets SQLite move what is left, and take the empty log away, as it does when nobody else has
  /// the file open.
  func atClosing() {
    stopListening()
    _ = move(SQLITE_CHECKPOINT_PASSIVE)
    _ = holdfast_checkpoints_on_close(handle, 1)
  }
}
