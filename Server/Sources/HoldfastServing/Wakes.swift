internal import Synchronization

/// The polls that wait for a push. A wake says only "look": each poll then reads the head from the store.
package final class Wakes: Sendable {
  private struct Poll {
    let look: AsyncStream<Void>.Continuation
    let end: ContinuousClock.Instant
  }

  private struct State {
    var waiting: [String: [Int: Poll]] = [:]
    var last = 0
    var count = 0
    /// Whether a task ends the polls whose time has come. One for all: ten thousand timers, which each wake a thread, cost more than the
    /// polls.
    var isEnding = false
  }

  /// The longest time that a poll waits, and how often polls are ended.
  private let patience, turn: Duration
  private let state = Mutex(State())

  package init(patience: Duration) { (self.patience, turn) = (patience, patience / 25) }

  /// The polls that wait now.
  package var count: Int { state.withLock { $0.count } }

  /// Wakes the polls of a space.
  package func wake(_ space: String) {
    state.withLock { state in
      for poll in (state.waiting[space] ?? [:]).values { poll.look.yield() }
    }
  }

  /// Wakes all polls.
  package func wakeAll() {
    state.withLock { state in
      for polls in state.waiting.values { for poll in polls.values { poll.look.yield() } }
    }
  }

  private func endInTurn() async {
    repeat { try? await Task.sleep(for: turn) } while end(at: .now)
  }

  /// Ends the polls whose time has come. Returns whether polls are left.
  private func end(at now: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      for polls in state.waiting.values { for poll in polls.values where poll.end <= now { poll.look.finish() } }
      state.isEnding = state.count > 0
      return state.isEnding
    }
  }

  /// Calls `look` at once and after each wake of the space, until `isNews` is true for a result, or until its time has come; returns the last result.
  /// Nil when the task was cancelled before the first look or within a look, whose result says nothing then.
  package func wait<T>(for space: String, until isNews: (T) -> Bool, _ look: () async -> T) async -> T? {
    let (stream, poll) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (number, isFirst) = state.withLock { state in
      let isFirst = !state.isEnding
      (state.last, state.count, state.isEnding) = (state.last + 1, state.count + 1, true)
      state.waiting[space, default: [:]][state.last] = Poll(look: poll, end: .now + patience - turn)
      return (state.last, isFirst)
    }
    if isFirst { Task.detached { await self.endInTurn() } }
    defer {
      state.withLock { state in
        state.count -= 1
        state.waiting[space]?[number] = nil
        if state.waiting[space]?.isEmpty ?? false { state.waiting[space] = nil }
      }
    }
    // Registered before the first look, so that no push falls between both.
    poll.yield()
    var last: T?
    for await _ in stream {
      let seen = await look()
      if Task.isCancelled { return nil }
      if isNews(seen) { return seen }
      last = seen
    }
    return last
  }
}
