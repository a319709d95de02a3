internal import SyncHistory
internal import Synchronization

/// What happened, and what was found.
final class Tally: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var seconds: [String: [Double]] = [:]
    var violations: [Violation] = []
  }

  private let state = Mutex(State())

  func count(_ name: String, _ number: Int = 1) { state.withLock { $0.counts[name, default: 0] += number } }
  func report(_ violations: [Violation]) { state.withLock { $0.violations += violations } }
  func report(_ kind: Violation.Kind, _ text: String) { report([Violation(kind, text)]) }

  /// Notes how long something took.
  func measure(_ name: String, _ seconds: Double) { state.withLock { $0.seconds[name, default: []].append(seconds) } }

  subscript(name: String) -> Int { state.withLock { $0.counts[name] ?? 0 } }
  var counts: [String: Int] { state.withLock { $0.counts } }
  /// By what took so long.
  var seconds: [String: [Double]] { state.withLock { $0.seconds } }
  var violations: [Violation] { state.withLock { $0.violations } }
}

/// What is broken. Each kind must happen in a run of some minutes.
enum Fault: String, CaseIterable {
  case deviceKilled = "device killed"
  case deviceKilledApplying = "device killed while it applied"
  case deviceAway = "device cut off for a while"
  case deviceFull = "device's disk full"
  case clockStepped = "device's clock stepped"
  case requestCut = "request cut"
  case answerCut = "answer cut"
  case pushAnswerCut = "answer of a commit cut"
  case serverKilled = "server killed"
  case serverFull = "server's disk full"
  case serverRewound = "server rewound"
  case nodeKilled = "node killed"
  case nodeStopped = "node stopped for a while"
  case balancerKilled = "nginx killed"
  case replicaKilled = "replica killed"
  case replicasKilled = "both replicas killed"
  case primaryKilled = "primary killed"
  case waitCancelled = "wait for a replica cancelled"
  case databaseFull = "primary's disk full"
  case laggingPromoted = "lagging replica promoted"

  static let ofDevices: [Fault] = [.deviceKilled, .deviceKilledApplying, .deviceAway, .deviceFull, .clockStepped]
  /// These happen all the time.
  static let ofConnections: [Fault] = [.requestCut, .answerCut, .pushAnswerCut]
}
