/// What one device told, from its first process to its last, and what of it breaks a promise.
package struct DeviceHistory: Sendable {
  private let device: Int
  /// The last transaction that the device told to be committed.
  package private(set) var committed = 0
  package private(set) var violations: [Violation] = []
  /// Snapshots that were different from the one before.
  package private(set) var sights = 0
  /// Whether its process is in a transaction that writes what the server sent.
  package private(set) var isApplying = false
  package private(set) var settled = 0
  /// By what failed.
  package private(set) var failures: [String: Int] = [:]
  private var acknowledgements: [(number: Int, at: UInt64)] = []
  private var seen: [Int] = []

  package init(of device: Int) { self.device = device }

  package mutating func add(_ event: DeviceEvent) {
    switch event {
    case .started(let number):
      // A process that is killed between a commit and its line has told one less than it has.
      if number < committed { report(.lostCommit, "it told \(committed), and its store is at \(number)") }
      if number > committed + 1 { report(.lostCommit, "its store is at \(number), and it had told only \(committed)") }
      (committed, isApplying) = (number, false)
    case .committed(let number):
      if number != committed + 1 { report(.lostCommit, "after \(committed) it committed \(number)") }
      committed = number
    case .acknowledged(let number, let at):
      if number > committed { report(.lostCommit, "\(number) was acknowledged, and only \(committed) committed") }
      acknowledgements.append((number, at))
    case .seen(let counters):
      sights += 1
      for (other, (before, now)) in zip(seen, counters).enumerated() where now < before {
        report(.back, "it had seen \(before) of device \(other), and sees \(now)")
      }
      seen = counters
    case .violated(let kind, let text): report(kind, text)
    case .applying: isApplying = true
    case .applied: isApplying = false
    case .failed(let text): failures[text, default: 0] += 1
    case .settled(let turn): settled = turn
    }
  }

  /// The last transaction that a server acknowledged to a call that began after this nanosecond: what one had before it was rewound does not count.
  package func acknowledged(since nanosecond: UInt64 = 0) -> Int {
    acknowledgements.filter { $0.at > nanosecond }.map(\.number).max() ?? 0
  }

  /// How often it was acknowledged that all is on the server.
  package var acknowledgementCount: Int { acknowledgements.count }

  private mutating func report(_ kind: Violation.Kind, _ text: String) { violations.append(Violation(kind, "device \(device): \(text)")) }
}
