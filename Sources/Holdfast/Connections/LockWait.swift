import Foundation

/// How long a connection waits for another's lock, with longer and longer pauses between its attempts.
struct LockWait: Sendable {
  /// Between 0 and a week, which is for ever.
  let timeoutMilliseconds: Int
  private let stops: @Sendable () -> Bool

  init(_ options: StoreOptions) {
    timeoutMilliseconds = Int(min(max(0, options.busyTimeout.inSeconds * 1000), 604_800_000).rounded(.up))
    stops = options.stopsWaiting
  }

  /// What SQLite asks after each attempt that failed, on the connection's own queue; the first is number 0.
  @Sendable func goesOn(attempt: Int) -> Bool {
    // 1, 2, 4 … 32 ms, then 50 ms each: the sum of those before is what has passed.
    let waited = attempt < 6 ? (1 << attempt) - 1 : 63 + 50 * (attempt - 6)
    let pause = min(attempt < 6 ? 1 << attempt : 50, timeoutMilliseconds - waited)
    guard pause > 0, !stops() else { return false }
    usleep(UInt32(pause * 1000))
    return true
  }
}
