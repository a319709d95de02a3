import Foundation

/// How long a connection waits for a lock that another connection holds. The pauses between its attempts grow.
struct LockWait: Sendable {
  /// 0 to 604,800,000, a week; any longer timeout counts as a week.
  let timeoutMilliseconds: Int
  private let stops: @Sendable () -> Bool

  init(_ options: StoreOptions) {
    timeoutMilliseconds = Int(min(max(0, options.busyTimeout.inSeconds * 1000), 604_800_000).rounded(.up))
    stops = options.stopsWaiting
  }

  /// SQLite calls this after each failed attempt, on the connection's own queue; `attempt` starts at 0. Returns whether to try again.
  @Sendable func goesOn(attempt: Int) -> Bool {
    // Pauses of 1, 2, 4 … 32 ms, then 50 ms each. `waited` is the sum of the earlier pauses.
    let waited = attempt < 6 ? (1 << attempt) - 1 : 63 + 50 * (attempt - 6)
    let pause = min(attempt < 6 ? 1 << attempt : 50, timeoutMilliseconds - waited)
    guard pause > 0, pthread_getspecific(Self.key) == nil, !stops() else { return false }
    usleep(UInt32(pause * 1000))
    return true
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Runs `body`; meanwhile this thread waits for no lock.
  static func never<T>(_ body: () throws -> T) rethrows -> T {
    let outer = pthread_getspecific(key)
    var mark = 0
    return try withUnsafeMutablePointer(to: &mark) { mark in
      pthread_setspecific(key, mark)
      defer { pthread_setspecific(key, outer) }
      return try body()
    }
  }
}
