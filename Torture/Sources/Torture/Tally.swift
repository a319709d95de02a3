import Foundation
import Synchronization

/// What one method did and found. Safe to use from several lanes.
final class Tally: Sendable {
  struct Counts: Sendable {
    var done = 0
    var findings: [String: (count: Int, example: String, repeatBy: String)] = [:]
    var notes: [String: Int] = [:]
  }

  let method: String
  private let counts = Mutex(Counts())
  private let begun = Date()

  init(_ method: String) { self.method = method }

  var done: Int { counts.withLock { $0.done } }
  var total: Int { counts.withLock { $0.findings.values.map(\.count).reduce(0, +) } }

  /// Of those that a sabotage must cause: something acknowledged is lost, or something is not whole, or damage is untold.
  var wrongs: Int {
    let kinds = [
      "lost", "mixed", "oracle", "absent", "untold", "untold-rollback", "snapshot-broken", "archive-wrong", "archive-lost",
      "audit-broken", "retention", "not-noted",
    ]
    return counts.withLock {
      $0.findings.filter { finding in kinds.contains { finding.key.hasSuffix(": \($0)") } }.values.map(\.count).reduce(0, +)
    }
  }

  /// Calls `round` with 0, 1, 2 …, until so many are done or the time is over.
  ///
  /// - Parameter isSingle: ends after one round, which repeats a finding.
  func rounds(_ wanted: Int, until deadline: Date, isSingle: Bool = false, _ round: (UInt64) throws -> Void) rethrows {
    var number: UInt64 = 0
    while done < wanted, Date() < deadline, number == 0 || !isSingle {
      try round(number)
      number += 1
    }
  }

  func count(_ number: Int = 1) { counts.withLock { $0.done += number } }
  func note(_ text: String, _ number: Int = 1) { counts.withLock { $0.notes[text, default: 0] += number } }

  /// Returns whether this class of finding is new: then its state is worth keeping.
  @discardableResult
  func find(_ finding: Finding, _ attack: String, repeatBy: @autoclosure () -> String) -> Bool {
    counts.withLock { counts in
      let key = "\(attack): \(finding.kind)"
      if counts.findings[key] != nil {
        counts.findings[key]?.count += 1
        return false
      }
      counts.findings[key] = (1, finding.detail, repeatBy())
      return true
    }
  }

  func repeatBy(_ attack: String, _ kind: String, _ command: String) {
    counts.withLock { $0.findings["\(attack): \(kind)"]?.repeatBy = command }
  }

  /// One line for the method, and three for each class of finding.
  func report() {
    let seconds = Date().timeIntervalSince(begun)
    counts.withLock { counts in
      let notes = counts.notes.sorted { $0.key < $1.key }.map { ", \($0.value) \($0.key)" }.joined()
      let found = counts.findings.values.map(\.count).reduce(0, +)
      print("\(method): \(counts.done) in \(Int(seconds.rounded())) s\(notes); \(found) findings in \(counts.findings.count) classes")
    }
    reportFindings()
  }

  func reportFindings() {
    counts.withLock { counts in
      for (key, finding) in counts.findings.sorted(by: { $0.key < $1.key }) {
        print("  \(key) (\(finding.count) times)\n    \(finding.example)\n    \(finding.repeatBy)")
      }
    }
    fflush(nil)
  }
}

/// Runs the jobs on as many threads as there are processors; each has a worker of its own.
func inLanes<Job: Sendable>(_ jobs: [Job], until deadline: Date, _ body: @escaping @Sendable (Job, Worker, Int) throws -> Void) {
  let next = Mutex(0)
  let lanes = max(1, min(ProcessInfo.processInfo.activeProcessorCount, 8))
  DispatchQueue.concurrentPerform(iterations: lanes) { lane in
    let worker = Worker()
    while Date() < deadline {
      let index = next.withLock { next -> Int in
        defer { next += 1 }
        return next
      }
      guard index < jobs.count else { return }
      do {
        try body(jobs[index], worker, lane)
      } catch {
        print("the harness failed: \(error)")
        exit(2)
      }
    }
  }
}
