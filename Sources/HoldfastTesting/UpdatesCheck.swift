public import Holdfast

/// Checks of live updates.
public enum UpdatesCheck {
  /// Checks that updates begin with what is there, and go on with what a change makes of it.
  ///
  /// ```swift
  /// try await UpdatesCheck.follow(list.bookUpdates()) {
  ///   try list.books().items
  /// } after: {
  ///   try list.finish(id)
  /// }
  /// ```
  /// Updates that hear of no change, or still say what they said before, fail the check: nothing is waited for.
  ///
  /// - Parameters:
  ///   - read: what the updates should say, read at once.
  ///   - change: changes what `read` gives.
  /// - Throws: `.verificationFailed` when the updates say anything else, or end, or hear of nothing, and when the change changes nothing;
  ///   `.readOnly`, since only writes are watched; what `read`, `change` and the updates throw.
  public static func follow<Value: Equatable & Sendable>(
    _ updates: Updates<Value>, reading read: () throws -> Value, after change: () throws -> Void
  ) async throws {
    let before = try read()
    var followed = try await FollowedUpdates(updates)
    try check(followed.first, before, "begin with")
    try change()
    let after = try read()
    guard before != after else { throw StoreError(.verificationFailed, "the change changes nothing: \(before)") }
    // Updates whose value stays equal would wait for another change.
    try check(try await updates.store.read(updates.read), after, "go on with")
    try check(try await followed.next(), after, "go on with")
  }

  private static func check<Value: Equatable>(_ found: Value?, _ wanted: Value, _ verb: String) throws {
    guard found != wanted else { return }
    let said = found.map { "\($0)" } ?? "their end"
    throw StoreError(.verificationFailed, "the updates \(verb) \(said), and should with \(wanted)")
  }
}

/// A watch on each of some tables, from its making on.
///
/// ```swift
/// let watches = try TableWatches(store, ["books"])
/// try list.finish(id)
/// #expect(watches.woken == ["books"])
/// ```
public struct TableWatches: Sendable {
  private let watches: [(table: String, watch: TableWatch)]

  /// - Throws: `.closed`; `.readOnly`, since only writes are watched; `.verificationFailed` when a watch does not begin.
  public init(_ store: Store, _ tables: some Sequence<String>) throws {
    watches = tables.map { ($0, TableWatch(store, [WatchedTable($0)])) }
    // A watch begins on the writer's queue, where a store in memory also reads.
    try store.write { _ in }
    guard watches.allSatisfy({ $0.watch.hasBegun }) else { throw StoreError(.verificationFailed, "a watch did not begin") }
  }

  /// The tables that commits have changed since.
  public var woken: Set<String> { Set(watches.filter { $0.watch.count > 0 }.map(\.table)) }
}
