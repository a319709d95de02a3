import Foundation

// Unchecked because a lock guards the state.
/// Keeps the statements that a store ran, for `StoreOptions.trace`.
public final class TracedStatements: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  /// Makes an empty log.
  public init() {}

  /// Adds one statement.
  public func append(_ text: String) { lock.withLock { texts.append(text) } }

  /// Takes the statements since the last call, without those inside triggers and full-text indexes, and without those of the kit's own tables:
  /// a commit takes the day's figures along when it is time.
  public func take() -> [String] {
    let taken = lock.withLock {
      defer { texts = [] }
      return texts
    }
    let control = ["--", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"]
    return taken.filter { text in
      !control.contains(where: text.hasPrefix) && !text.contains("'main'.") && !text.contains("sqlite_schema")
        && !text.contains("sqlite_master") && !text.contains("holdfast_")
    }
  }
}
