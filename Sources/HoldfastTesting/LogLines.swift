import Foundation
package import Logging

/// Keeps all log messages, one line per event.
package final class LogLines: @unchecked Sendable {
  // Guarded by `lock`.
  private var lines: [String] = []
  private let lock = NSLock()

  private let onLine: @Sendable (String) -> Void

  /// - Parameter onLine: called with each line, on the thread that logs it.
  package init(onLine: @escaping @Sendable (String) -> Void = { _ in }) { self.onLine = onLine }

  package var all: [String] { lock.withLock { lines } }
  package var logger: Logger { Logger(label: "test", factory: { [self] _ in Handler(lines: self) }) }

  package func clear() { lock.withLock { lines = [] } }
  package func add(_ line: String) {
    lock.withLock { lines.append(line) }
    onLine(line)
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      lines.add((["\(event.level)", "\(event.message)"] + details).joined(separator: " "))
    }
  }
}
