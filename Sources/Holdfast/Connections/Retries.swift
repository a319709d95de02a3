import Logging

/// Tries again what failed for a reason that may pass: the policy of `Documentation/Errors.md`. One for each store; it counts.
///
/// Only for work outside the caller's closures: beginning a transaction, opening a connection, a checkpoint. So no closure runs twice.
final class Retries: Sendable {
  private let options: StoreOptions
  private let counted = Locked(0)

  init(_ options: StoreOptions) { self.options = options }

  /// How often work was tried again.
  var count: Int { counted.with { $0 } }

  /// Runs `body` up to three times, with pauses of 16 and 32 ms, while the busy timeout since `start` is not over. SQLite itself waits for
  /// most locks that long, so a lock that it waited for in vain is not waited for again.
  ///
  /// - Parameter what: for the log: `beginning a transaction`.
  func run<T>(_ what: String, since start: ContinuousClock.Instant = .now, _ body: () throws -> T) throws -> T {
    for attempt in 0..<2 {
      do {
        return try body()
      } catch {
        let failure = StoreError(error)
        guard failure.mayPass, ContinuousClock.now - start < options.busyTimeout, LockWait(options).goesOn(attempt: 4 + attempt) else {
          throw error
        }
        counted.with { $0 += 1 }
        options.logger.info("tried again", metadata: ["what": "\(what)", "code": "\(failure.code.rawValue)"])
      }
    }
    return try body()
  }
}

extension StoreError {
  /// Whether SQLite reported a lock, or a failure of the volume, that a second try may not meet. An interruption does not count: it is a
  /// cancellation.
  var mayPass: Bool { sqliteCode != nil && [.busy, .inputOutput].contains(code) }
}
