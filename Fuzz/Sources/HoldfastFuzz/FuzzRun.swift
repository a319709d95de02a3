import Foundation

/// Runs cases on several threads. Ends after the given time, after all cases, or at the first finding.
// Unchecked because the lock guards what changes.
final class FuzzRun: @unchecked Sendable {
  struct Plan: Sendable {
    var target: any FuzzTarget
    var seed: UInt64
    var seconds = Double.infinity
    var cases = Int.max
    var first = 0
    var threads = max(1, ProcessInfo.processInfo.activeProcessorCount)
    var fault: Fault?
  }

  let plan: Plan
  private let lock = NSLock()
  private var next: Int
  private var outcomes: [String: Int] = [:]
  private var done = 0
  private(set) var findings: [(Int, String)] = []
  private var elapsed = 0.0

  init(_ plan: Plan) {
    self.plan = plan
    next = plan.first
  }

  func start() {
    let began = Date()
    let group = DispatchGroup()
    for number in 0..<plan.threads {
      group.enter()
      let thread = Thread { [self] in
        work("\(number)", until: began.addingTimeInterval(plan.seconds))
        group.leave()
      }
      // The scanner nests 512 levels deep. The default stack of a secondary thread, half a megabyte, is too small.
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
    elapsed = Date().timeIntervalSince(began)
  }

  var summary: String {
    let rate = elapsed > 0 ? Double(done) / elapsed : 0
    let lines = outcomes.sorted { $0.key < $1.key }.map { outcome, count in
      outcome.padding(toLength: 28, withPad: " ", startingAt: 0) + "\(count)"
    }
    return ["\(plan.target.name), seed \(plan.seed): \(done) cases in \(Int(elapsed)) s, \(Int(rate)) a second, \(findings.count) findings"]
      .joined()
      + lines.map { "\n  " + $0 }.joined()
  }

  private func take() -> Int? {
    lock.lock()
    defer { lock.unlock() }
    guard findings.isEmpty, next - plan.first < plan.cases else { return nil }
    defer { next += 1 }
    return next
  }

  private func note(_ number: Int, _ result: Result<String, Finding>) {
    lock.lock()
    defer { lock.unlock() }
    done += 1
    switch result {
    case .success(let outcome): outcomes[outcome, default: 0] += 1
    case .failure(let finding):
      outcomes["FINDING", default: 0] += 1
      findings.append((number, finding.message))
    }
  }

  private func work(_ name: String, until end: Date) {
    do {
      let bench = try plan.target.bench(name, fault: plan.fault)
      while Date() < end, let number = take() {
        do {
          note(number, .success(try bench.run(plan.seed, number)))
          if number % 997 == 0, try !bench.isEmpty() {
            note(number, .failure(Finding(message: "the case left rows in the store, which the next case would see")))
          }
        } catch let finding as Finding {
          note(number, .failure(finding))
        }
      }
    } catch {
      note(-1, .failure(Finding(message: "the thread failed: \(error)")))
    }
  }
}
