internal import SyncHistory
internal import Synchronization

/// What happened, and what was found.
final class Tally: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var violations: [Violation] = []
  }

  private let state = Mutex(State())

  func count(_ name: String, _ number: Int = 1) { state.withLock { $0.counts[name, default: 0] += number } }
  func report(_ violations: [Violation]) { state.withLock { $0.violations += violations } }
  func report(_ kind: Violation.Kind, _ text: String) { report([Violation(kind, text)]) }

  subscript(name: String) -> Int { state.withLock { $0.counts[name] ?? 0 } }
  var counts: [String: Int] { state.withLock { $0.counts } }
  var violations: [Violation] { state.withLock { $0.violations } }
}

/// What `run` breaks. Each must happen in a run of a minute.
enum Fault: String, CaseIterable {
  case deviceKilled = "device killed"
  case deviceKilledApplying = "device killed while it applied"
  case serverKilled = "server killed"
  case deviceAway = "device cut off for a while"
  case requestCut = "request cut"
  case answerCut = "answer cut"
  case pushAnswerCut = "answer of a commit cut"
  case deviceFull = "device's disk full"
  case serverFull = "server's disk full"
  case serverRewound = "server rewound"

  /// Those that `run` does one after the other; the others happen to connections all the time.
  static let inTurn: [Fault] = [.deviceKilled, .deviceKilledApplying, .serverKilled, .deviceAway, .deviceFull, .serverFull, .serverRewound]
}
