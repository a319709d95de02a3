public import Holdfast

/// Checks of live updates.
public enum UpdatesCheck {
  /// Checks that updates begin with the present value, and then deliver the value after a change.
  ///
  /// ```swift
  /// try await UpdatesCheck.follow(list.bookUpdates()) {
  ///   try await list.books().items
  /// } after: {
  ///   try await list.finish(id)
  /// }
  /// ```
  /// The check never waits: it fails when the updates notice no change, or when their value stays the same.
  ///
  /// - Parameters:
  ///   - read: reads at once the value that the updates should deliver.
  ///   - change: changes the value of `read`.
  /// - Throws: `.verificationFailed` when the updates deliver another value, end, or notice no change, and when `change` does not change
  ///   the value; `.readOnly`, because only writes are watched; the errors of `read`, `change` and the updates.
  public static func follow<Value: Equatable & Sendable>(
    _ updates: Updates<Value>, reading read: () async throws -> Value, after change: () async throws -> Void
  ) async throws {
    let before = try await read()
    var followed = try await FollowedUpdates(updates)
    try check(followed.first, before, "begin with")
    try await change()
    let after = try await read()
    guard before != after else { throw StoreError(.verificationFailed, "the change changes nothing: \(before)") }
    // When this value stays equal, the updates would wait for another change.
    try check(try await updates.store.read(updates.read), after, "go on with")
    try check(try await followed.next(), after, "go on with")
  }

  private static func check<Value: Equatable>(_ found: Value?, _ wanted: Value, _ verb: String) throws {
    guard found != wanted else { return }
    let said = found.map { "\($0)" } ?? "their end"
    throw StoreError(.verificationFailed, "the updates \(verb) \(said), and should with \(wanted)")
  }
}

/// Watches tables, from the moment this value is made.
///
/// ```swift
/// let watches = try TableWatches(store, ["books"])
/// try await list.finish(id)
/// #expect(watches.woken == ["books"])
/// ```
public struct TableWatches: Sendable {
  private let watches: [(table: String, watch: TableWatch)]

  /// - Throws: `.closed`; `.readOnly`, because only writes are watched; `.verificationFailed` when a watch does not begin.
  public init(_ store: Store, _ tables: some Sequence<String>) throws {
    watches = tables.map { ($0, TableWatch(store, [$0])) }
    // Waits for the writer's queue, on which a watch begins.
    try store.write { _ in }
    guard watches.allSatisfy({ $0.watch.hasBegun }) else { throw StoreError(.verificationFailed, "a watch did not begin") }
  }

  /// The tables that commits have changed since this value was made.
  public var woken: Set<String> { Set(watches.filter { $0.watch.count > 0 }.map(\.table)) }
}
