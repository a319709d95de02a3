internal import GRDBSQLite
internal import Holdfast

// Unchecked because one thread uses a simulated world.
/// Ends the work of a store at its k-th statement, as the end of the process would: SQLite rolls the transaction back. Statements inside
/// triggers count.
final class StatementFault: @unchecked Sendable {
  private var handle: OpaquePointer?
  /// How many statements are left until the fault. Nil: there is none.
  private var left: Int?
  /// Whether the fault was reached since `arm(_:)`.
  private(set) var wasReached = false

  /// For `StoreOptions.trace`.
  func statement() {
    guard let count = left else { return }
    left = count - 1
    guard count <= 1 else { return }
    left = nil
    wasReached = true
    if let handle { sqlite3_interrupt(handle) }
  }

  func arm(_ store: Store, at statement: Int) throws {
    handle = try store.write { tx in tx.handle }
    (left, wasReached) = (statement, false)
  }

  func disarm() { left = nil }
}
