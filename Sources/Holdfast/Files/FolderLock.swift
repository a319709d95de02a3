import Foundation

/// A lock on a folder, held as long as the value lives: one at a time works on what the folder is for.
final class FolderLock {
  private let descriptor: Int32

  /// Makes the folder where there is none, and waits as long as the busy timeout says.
  ///
  /// - Throws: `.busy`; what making a folder can throw.
  init(_ folder: URL, _ options: StoreOptions) throws {
    let wait = LockWait(options)
    var attempt = 0
    while true {
      try DurableFile.makeFolder(folder)
      switch WorkingFolder.lock(folder) {
      case .taken(let descriptor):
        self.descriptor = descriptor
        return
      case .failed(let number): throw DurableFile.posix(folder.path, .inputOutput, number)
      case .held, .gone:
        guard wait.goesOn(attempt: attempt) else {
          throw StoreError(.busy, "somebody else works in \(folder.path)", recoveryOptions: [.retry])
        }
        attempt += 1
      }
    }
  }

  deinit { close(descriptor) }
}
