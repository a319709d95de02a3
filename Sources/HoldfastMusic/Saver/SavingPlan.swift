/// Decides when a saver writes and which flushes it answers: events go in, actions come out.
///
/// Time is the distance from any fixed moment. States and flushes are counted from 1. Only the newest state is written, and
/// only one write runs at a time.
struct SavingPlan {
  enum Event: Equatable {
    /// The app gave a state.
    case given
    /// A flush waits until everything given so far is stored.
    case flush(Int)
    /// The requested time has come.
    case woke(Duration)
    /// The write succeeded.
    case wrote
    /// The write failed. `passes`: the cause may pass by itself.
    case failed(passes: Bool)
  }

  enum Action: Equatable {
    /// Send `woke` at this time.
    case wake(Duration)
    /// Write the newest state.
    case write
    /// Answer these flushes.
    case answer([Int], isStored: Bool)
  }

  private let debounce: Duration
  private let longestDelay: Duration
  private var given = 0
  private var stored = 0
  /// The number of the state that is being written.
  private var writing: Int?
  /// When the first and the last state were given that no write has taken yet.
  private var burst: (first: Duration, last: Duration)?
  /// When a failed write is tried again.
  private var retry: Duration?
  /// The earliest requested time for which `woke` has not come.
  private var timer: Duration?
  private var flushes: [(id: Int, state: Int)] = []

  init(debounce: Duration, longestDelay: Duration) {
    self.debounce = debounce
    self.longestDelay = longestDelay
  }

  /// Whether a state was given that is not stored.
  var isPending: Bool { given > stored }

  mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var answers: [Action] = []
    switch event {
    case .given:
      given += 1
      burst = (burst?.first ?? now, now)
    case .flush(let id):
      guard isPending else { return [.answer([id], isStored: true)] }
      flushes.append((id, given))
    case .woke(let time):
      if timer == time { timer = nil }
    case .wrote:
      stored = writing ?? stored
      answers = end(isStored: true)
    case .failed(let passes):
      // A newer state has its own time.
      if passes, writing == given { retry = now + max(.seconds(1), longestDelay) }
      answers = end(isStored: false)
    }
    return answers + next(now)
  }

  /// A flush that asked for a newer state waits for the next write.
  private mutating func end(isStored: Bool) -> [Action] {
    guard let written = writing else { return [] }
    writing = nil
    let answered = flushes.filter { $0.state <= written }.map(\.id)
    flushes.removeAll { $0.state <= written }
    return answered.isEmpty ? [] : [.answer(answered, isStored: isStored)]
  }

  private mutating func next(_ now: Duration) -> [Action] {
    guard writing == nil, isPending, let due = due(now) else { return [] }
    guard due > now else {
      writing = given
      burst = nil
      retry = nil
      return [.write]
    }
    if let timer, timer <= due { return [] }
    timer = due
    return [.wake(due)]
  }

  private func due(_ now: Duration) -> Duration? {
    if !flushes.isEmpty { return now }
    guard let burst else { return retry }
    return min(burst.last + debounce, burst.first + longestDelay)
  }
}
