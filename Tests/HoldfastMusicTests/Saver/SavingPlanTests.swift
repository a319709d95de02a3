import Testing

@testable import HoldfastMusic

/// When the saver writes, as a table of what happens and what is done; the time is in seconds.
@Suite("When a saver writes") struct SavingPlanTests {
  private typealias Event = SavingPlan.Event
  private typealias Action = SavingPlan.Action

  private func run(debounce: Int = 2, longestDelay: Int = 5, _ steps: [(at: Int, Event, [Action])], _ line: Int = #line) {
    var plan = SavingPlan(debounce: .seconds(debounce), longestDelay: .seconds(longestDelay))
    for (number, step) in steps.enumerated() {
      let actions = plan.handle(step.1, at: .seconds(step.at))
      #expect(actions == step.2, "step \(number) of the table in line \(line)")
    }
  }

  @Test("a burst of states becomes one write when it has been quiet for the debounce")
  func burst() {
    run([
      (0, .given, [.wake(.seconds(2))]), (1, .given, []), (2, .woke(.seconds(2)), [.wake(.seconds(3))]), (3, .woke(.seconds(3)), [.write]),
      (4, .wrote, []),
    ])
  }

  @Test("a stream of states that never pauses is written when the longest delay is over")
  func steadyStream() {
    run([
      (0, .given, [.wake(.seconds(2))]), (1, .given, []), (2, .given, []), (2, .woke(.seconds(2)), [.wake(.seconds(4))]),
      (3, .given, []), (4, .given, []), (4, .woke(.seconds(4)), [.wake(.seconds(5))]), (5, .woke(.seconds(5)), [.write]),
      // What comes while it writes begins a burst of its own.
      (5, .given, []), (6, .wrote, [.wake(.seconds(7))]), (7, .woke(.seconds(7)), [.write]), (8, .wrote, []),
    ])
  }

  @Test("without a debounce a state is written at once, and of those that come meanwhile the last")
  func atOnce() {
    run(debounce: 0, [(0, .given, [.write]), (0, .given, []), (0, .given, []), (1, .wrote, [.write]), (2, .wrote, [])])
  }

  @Test("a flush writes at once and is answered when its state is stored")
  func flush() {
    run([
      (0, .given, [.wake(.seconds(2))]), (1, .flush(1), [.write]), (1, .flush(2), []), (2, .woke(.seconds(2)), []),
      (3, .wrote, [.answer([1, 2], isStored: true)]),
    ])
  }

  @Test("a flush with nothing to store is answered at once")
  func flushOfNothing() {
    run([(0, .flush(1), [.answer([1], isStored: true)])])
    run(debounce: 0, [(0, .given, [.write]), (0, .wrote, []), (1, .flush(1), [.answer([1], isStored: true)])])
  }

  @Test("a flush during the write of an older state is answered by the next write")
  func flushDuringWrite() {
    run([
      (0, .given, [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write]), (2, .given, []), (2, .flush(1), []), (3, .wrote, [.write]),
      (4, .wrote, [.answer([1], isStored: true)]),
    ])
    run([
      (0, .given, [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write]), (2, .given, []), (2, .flush(1), []),
      (3, .failed(passes: false), [.write]), (4, .wrote, [.answer([1], isStored: true)]),
    ])
  }

  @Test("a write that failed is tried again with the next state, the next flush, or by itself when the cause may pass")
  func failures() {
    run([
      (0, .given, [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write]), (3, .failed(passes: false), []),
      (9, .given, [.wake(.seconds(11))]), (11, .woke(.seconds(11)), [.write]), (12, .failed(passes: false), []), (13, .flush(1), [.write]),
      (14, .failed(passes: false), [.answer([1], isStored: false)]), (15, .flush(2), [.write]),
      (16, .wrote, [.answer([2], isStored: true)]),
    ])
    run([
      (0, .given, [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write]), (3, .failed(passes: true), [.wake(.seconds(8))]),
      (8, .woke(.seconds(8)), [.write]), (9, .wrote, []),
    ])
  }

  @Test("a state that comes while a retry is waited for is written in its own time")
  func stateBeforeRetry() {
    run([
      (0, .given, [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write]), (3, .failed(passes: true), [.wake(.seconds(8))]),
      (4, .given, [.wake(.seconds(6))]), (6, .woke(.seconds(6)), [.write]), (7, .wrote, []), (8, .woke(.seconds(8)), []),
    ])
  }

  @Test("a retry is at least a second away")
  func retryWithoutDelay() {
    run(
      debounce: 0, longestDelay: 0,
      [(0, .given, [.write]), (0, .failed(passes: true), [.wake(.seconds(1))]), (1, .woke(.seconds(1)), [.write]), (1, .wrote, [])])
  }

  @Test("a clock that wakes too early is asked again")
  func earlyClock() {
    run([(0, .given, [.wake(.seconds(2))]), (1, .woke(.seconds(2)), [.wake(.seconds(2))]), (2, .woke(.seconds(2)), [.write])])
  }
}
