import Foundation

/// A lock on a folder, held as long as the value lives. Only one holder works in the folder at a time.
package final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock. Makes the folder where there is none. Throws `busy` when the lock stays held; waits only with `wait`.
  init(_ folder: URL, _ wait: LockWait? = nil, busy: StoreError) throws {
    var (attempt, timesGone) = (0, 0)
    while true {
      try DurableFile.makeFolder(folder)
      switch WorkingFolder.lock(folder) {
      case .taken(let descriptor):
        self.descriptor = descriptor
        return
      case .failed(let number): throw DurableFile.posix(folder.path, .inputOutput, number)
      // Another holder removed the folder before it was locked here.
      case .gone where timesGone < 100: timesGone += 1
      case .held, .gone:
        guard let wait, wait.goesOn(attempt: attempt) else { throw busy }
        attempt += 1
      }
    }
  }

  /// The lock on a folder that is there. With `isShared`, others may hold such a lock, too. Nil when it stays held, or cannot be had.
  init?(existing folder: URL, isShared: Bool, _ wait: LockWait? = nil) {
    var attempt = 0
    while true {
      switch WorkingFolder.lock(folder, isShared: isShared) {
      case .taken(let descriptor):
        self.descriptor = descriptor
        return
      case .gone, .failed: return nil
      case .held:
        guard let wait, wait.goesOn(attempt: attempt) else { return nil }
        attempt += 1
      }
    }
  }

  deinit { close(descriptor) }
}
