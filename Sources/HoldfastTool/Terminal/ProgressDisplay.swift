import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
  /// A bar on a terminal; otherwise a plain line for each tenth of the way.
  case auto
  case bar
  /// One line for every event.
  case lines
  case none
}

/// Shows an import's progress on standard error, once it has taken longer than half a second.
final class ProgressDisplay: @unchecked Sendable {
  private static let patience = 0.5
  private static let interval = 0.05

  private let console: Console
  private let mode: ProgressMode
  private let began = ContinuousClock.now
  // Guarded by `lock`.
  private var shownAt = 0.0
  private var tenth = 0
  private var hasBar = false
  private let lock = NSLock()

  init(_ mode: ProgressMode, _ console: Console) {
    self.console = console
    self.mode = mode == .auto && console.errorIsTerminal ? .bar : mode
  }

  func show(_ progress: ImportProgress) {
    lock.lock()
    defer { lock.unlock() }
    let elapsed = (ContinuousClock.now - began).inSeconds
    let line = ProgressLine(progress: progress, elapsed: elapsed)
    switch mode {
    case .lines: console.prompt(line.event)
    case .none: break
    case .auto:
      let now = Int(line.fraction * 10)
      guard elapsed >= Self.patience, now > tenth else { return }
      tenth = now
      console.prompt(line.plain)
    case .bar:
      guard elapsed >= Self.patience, elapsed - shownAt >= Self.interval else { return }
      shownAt = elapsed
      hasBar = true
      console.prompt("\r" + line.bar(width: console.errorWidth) + "\u{1B}[K")
    }
  }

  /// Takes the bar away, so that what follows begins on an empty line.
  func end() {
    lock.lock()
    defer { lock.unlock() }
    if hasBar { console.prompt("\r\u{1B}[K") }
    hasBar = false
  }
}

/// Shows on a terminal that work without steps goes on, and for how long, once it has taken longer than half a second.
struct Activity {
  static func show<T>(_ what: String, _ console: Console, _ work: () throws -> T) rethrows -> T {
    guard console.errorIsTerminal else { return try work() }
    let began = ContinuousClock.now
    let queue = DispatchQueue(label: "holdfast.activity")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500))
    timer.setEventHandler {
      console.prompt("\r\(what) … \(DisplayText.length((ContinuousClock.now - began).inSeconds))\u{1B}[K")
    }
    timer.resume()
    defer {
      timer.cancel()
      // After whatever the timer was printing.
      queue.sync { console.prompt("\r\u{1B}[K") }
    }
    return try work()
  }
}
