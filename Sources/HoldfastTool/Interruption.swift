import Foundation

/// Ctrl-C or SIGTERM, as a flag that long work checks.
///
/// The first signal is a request: an import rolls back and tidies up. A second one ends the process at once, which harms no
/// store either.
final class Interruption: @unchecked Sendable {
  // Guarded by `lock`.
  private var requested = false
  private let lock = NSLock()
  private var sources: [any DispatchSourceSignal] = []

  /// Takes over SIGINT and SIGTERM for the rest of the process.
  init() {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
      source.setEventHandler { [weak self] in self?.request() }
      source.resume()
      sources.append(source)
    }
  }

  var isRequested: Bool { lock.withLock { requested } }

  private func request() {
    lock.withLock {
      if requested { _exit(ExitStatus.interrupted.rawValue) }
      requested = true
    }
  }
}
