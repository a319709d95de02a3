import Foundation

// Unchecked because a lock guards the state.
/// The statements that a store ran, for `StoreOptions.trace`: what a verb costs is how many rows it touches.
public final class TracedStatements: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  /// An empty log.
  public init() {}

  /// One statement.
  public func append(_ text: String) { lock.withLock { texts.append(text) } }

  /// The statements since the last call, without what triggers and full-text indexes do inside.
  public func take() -> [String] {
    let taken = lock.withLock {
      defer { texts = [] }
      return texts
    }
    let control = ["--", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"]
    return taken.filter { text in
      !control.contains(where: text.hasPrefix) && !text.contains("'main'.") && !text.contains("sqlite_schema")
        && !text.contains("sqlite_master")
    }
  }
}
