internal import Dispatch
internal import Foundation

/// Ends all children and removes a folder when this program is interrupted, as by Ctrl-C.
struct Interruption {
  private let sources: [any DispatchSourceSignal]

  init(removing folder: URL) {
    sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        Child.killAll()
        try? FileManager.default.removeItem(at: folder)
        _exit(128 + number)
      }
      source.activate()
      return source
    }
  }

  func end() { for source in sources { source.cancel() } }
}
