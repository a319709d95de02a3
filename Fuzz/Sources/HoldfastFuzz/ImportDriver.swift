import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// The child process of the kill test: runs one import, and prints its progress line by line, without a buffer.
enum ImportDriver {
  /// Prints `n` before record n of the source, in steps of 16, during both readings, and `done` at the end.
  static func run(_ source: String, _ store: String) -> Int32 {
    let lines = Lines()
    var options = ImportOptions()
    options.isCancelled = {
      lines.count()
      return false
    }
    options.onProgress = { say("\($0.phase.rawValue) \($0.done)") }
    do {
      let report = try AudiobookLibrary.importLibrary(
        from: URL(fileURLWithPath: source), into: URL(fileURLWithPath: store), options: options)
      say("done")
      return report.isClean ? 0 : 2
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      return (error as? StoreError)?.code == .busy ? 75 : 1
    }
  }

  // Unchecked because the lock guards the number.
  private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    func count() {
      lock.lock()
      number += 1
      let now = number
      lock.unlock()
      if now % 16 == 1 { say("\(now)") }
    }
  }
}
