public import Holdfast

/// Live updates of a library, for a check of all of them.
///
/// ```swift
/// LibraryUpdates(name: "books", { list, _ in list.bookUpdates() }, reading: { list, _ in try await list.books().items })
/// ```
public struct LibraryUpdates<Library, Known>: Sendable {
  /// The name in messages.
  public var name: String
  /// Begins to watch. The returned closure says whether the value has changed since, and throws when the watch missed that.
  let follow: @Sendable (Library, Known) async throws -> (() async throws -> Bool)

  /// Describes the updates.
  ///
  /// - Parameters:
  ///   - updates: makes them on a filled library.
  ///   - read: the verb that reads the same value once.
  public init<Value: Equatable & Sendable>(
    name: String, _ updates: @escaping @Sendable (Library, Known) -> Updates<Value>,
    reading read: @escaping @Sendable (Library, Known) async throws -> Value
  ) {
    self.name = name
    follow = { library, known in
      let updates = updates(library, known)
      let (before, watch) = try TableWatch.reading(updates)
      return {
        let after = try await updates.store.read(updates.read)
        let wanted = try await read(library, known)
        guard after == wanted else { throw StoreError(.verificationFailed, "their value is \(after), and the verb reads \(wanted)") }
        guard before == after || watch.count > 0 else { throw StoreError(.verificationFailed, "they miss the change to \(after)") }
        return before != after
      }
    }
  }
}
