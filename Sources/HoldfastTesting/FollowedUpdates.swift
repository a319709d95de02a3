package import Holdfast

/// Updates whose first value was read, and whose watch has begun.
///
/// A watch begins on the writer's queue, some time after it is made, and counts all commits in between as one change. So even a watch that
/// notices no commits delivers a change made right after the first value. Here the watch has begun: it notices each commit before the call
/// that made it returns, and a test can check that without waiting.
///
/// ```swift
/// var books = try await FollowedUpdates(list.bookUpdates())
/// try await list.finish(id)
/// #expect(books.hasHeard)
/// #expect(try await books.next() == list.books().items)
/// ```
package struct FollowedUpdates<Value: Sendable> {
  package let first: Value
  private var iterator: Updates<Value>.AsyncIterator

  /// - Throws: `.verificationFailed` when the updates end, when their watch does not begin, and when it has noticed a change already;
  ///   `.readOnly`, because only writes are watched; the errors of the updates.
  package init(_ updates: Updates<Value>) async throws {
    var iterator = updates.makeAsyncIterator()
    guard let first = try await iterator.next() else { throw StoreError(.verificationFailed, "the updates ended before their first value") }
    // Waits for the writer's queue, on which the watch begins.
    try await updates.store.write { _ in }
    guard iterator.hasBegun else { throw StoreError(.verificationFailed, "the watch did not begin") }
    guard !iterator.hasHeard else { throw StoreError(.verificationFailed, "the watch heard of a change before the test made one") }
    self.first = first
    self.iterator = iterator
  }

  /// Whether a change was committed since the last read.
  package var hasHeard: Bool { iterator.hasHeard }

  /// The next value; nil once the updates have ended.
  ///
  /// When the value equals the last one, waits for one more change.
  /// - Throws: `.verificationFailed`, without waiting, when no change was noticed; the errors of the updates.
  package mutating func next() async throws -> Value? {
    // Updates that have ended have no watch, and return nil.
    guard iterator.hasHeard || !iterator.hasBegun else { throw StoreError(.verificationFailed, "the watch heard of no change") }
    return try await iterator.next()
  }
}
