package import Holdfast

/// Updates whose first value was read, and whose watch has begun.
///
/// A watch begins on the writer's queue, some time after its making, and counts the commits in between as one change. A change made right
/// after the first value is therefore delivered even by a watch that hears nothing. Here the watch has begun: each commit is
/// heard before the call that made it returns, and a test can ask for that without waiting.
///
/// ```swift
/// var books = try await FollowedUpdates(list.bookUpdates())
/// try list.finish(id)
/// #expect(books.hasHeard)
/// #expect(try await books.next() == list.books().items)
/// ```
package struct FollowedUpdates<Value: Sendable> {
  /// The value before any change.
  package let first: Value
  private var iterator: Updates<Value>.AsyncIterator

  /// - Throws: `.verificationFailed` when the updates end, when their watch does not begin, and when it has heard of a change already;
  ///   `.readOnly`, since only writes are watched; what the updates throw.
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
  /// Waits for one more change when the value that is read equals the last.
  /// - Throws: `.verificationFailed`, without waiting, when no change was heard; what the updates throw.
  package mutating func next() async throws -> Value? {
    // Updates that have ended have no watch, and give nil.
    guard iterator.hasHeard || !iterator.hasBegun else { throw StoreError(.verificationFailed, "the watch heard of no change") }
    return try await iterator.next()
  }
}
