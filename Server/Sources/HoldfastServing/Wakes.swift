internal import Synchronization

/// The polls that wait for a push. A wake says only "look": each poll then reads the head from the store.
package final class Wakes: Sendable {
  private struct State {
    var waiting: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
    var last = 0
    var count = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// The polls that wait now.
  package var count: Int { state.withLock { $0.count } }

  /// Wakes the polls of a space.
  package func wake(_ space: String) {
    state.withLock { state in
      for poll in (state.waiting[space] ?? [:]).values { poll.yield() }
    }
  }

  /// Wakes all polls.
  package func wakeAll() {
    state.withLock { state in
      for polls in state.waiting.values { for poll in polls.values { poll.yield() } }
    }
  }

  /// Calls `look` at once and after each wake of the space, until `isNews` is true for a result, or after `patience`; returns the last result.
  /// Nil when the task was cancelled before the first look or within a look, whose result says nothing then.
  package func wait<T>(for space: String, _ patience: Duration, until isNews: (T) -> Bool, _ look: () async -> T) async -> T? {
    let (stream, poll) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      (state.last, state.count) = (state.last + 1, state.count + 1)
      state.waiting[space, default: [:]][state.last] = poll
      return state.last
    }
    let timer = Task {
      try? await Task.sleep(for: patience)
      poll.finish()
    }
    defer {
      timer.cancel()
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
