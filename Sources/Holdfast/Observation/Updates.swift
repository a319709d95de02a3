/// A value read from a store, again after each commit that touches its tables.
///
/// Each `for try await` starts its own watch: it delivers the present value first, then the newest after changes.
/// Never reads on the main actor; values equal to the last are dropped. A change is read at once, a burst of commits at most every
/// 8 milliseconds, and only when the consumer asks for the next value: a slow one sees the newest and nothing in between.
/// The sequence ends when its task is cancelled, and throws when a read fails or the store is closed.
/// Commits of other processes are not seen.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  package let store: Store
  let tables: [WatchedTable]
  package let read: @Sendable (Reader) throws -> Value
  let areEqual: @Sendable (Value, Value) -> Bool

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let updates: Updates
    /// Nil once the sequence has ended.
    private var watch: TableWatch?
    private var changes: AsyncStream<Void>.Iterator
    private var last: Value?
    /// How many changes the watch had counted when the last read began, and when that was.
    private var seen: (changes: Int, at: ContinuousClock.Instant)?

    init(_ updates: Updates) {
      self.updates = updates
      let watch = TableWatch(updates.store, updates.tables)
      self.watch = watch
      changes = watch.changes.makeAsyncIterator()
    }

    /// Whether commits are heard one by one from now on. False once the sequence has ended.
    package var hasBegun: Bool { watch?.hasBegun ?? false }

    /// Whether the watch has counted a change that the last read did not see. A commit is counted before the call that made it returns.
    package var hasHeard: Bool {
      guard let watch, let seen else { return false }
      return watch.count != seen.changes
    }

    public mutating func next() async throws -> Value? {
      do {
        while let watch {
          if let seen, try await !hasChanged(watch, since: seen) { break }
          seen = (watch.count, .now)
          let value = try await updates.store.read(updates.read)
          // A change and its undoing leave what the consumer has already.
          if let last, updates.areEqual(last, value) { continue }
          last = value
          return value
        }
        watch = nil
        return nil
      } catch {
        watch = nil
        if Task.isCancelled { return nil }
        throw StoreError(error)
      }
    }

    /// Waits for a change that the last read did not see. False when the task was cancelled.
    private mutating func hasChanged(_ watch: TableWatch, since seen: (changes: Int, at: ContinuousClock.Instant)) async throws -> Bool {
      while watch.count == seen.changes {
        guard await changes.next() != nil else {
          if Task.isCancelled { return false }
          throw StoreError(.closed, "\(updates.store.path) is closed")
        }
      }
      try await Task.sleep(until: seen.at + shortestPause, clock: .continuous)
      return true
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Between the beginnings of two reads of one watch: a screen shows no more, and whoever saves often is not held up by watchers.
private let shortestPause: Duration = .milliseconds(8)

extension Store {
  /// The value that `read` makes of these tables, now and after each commit that changes one of them.
  ///
  /// `tables` names every table that `read` looks at: changes of others are not seen. SQLite does not tell of changes of
  /// WITHOUT ROWID tables.
  ///
  /// - Parameter columns: by table, the columns that `read` looks at: updates of other columns alone do not make it read again, insertions
  ///   and deletions do. A table that is not named here is watched with all its columns.
  public func updates<Value: Sendable & Equatable>(
    of tables: [String], columns: [String: [String]] = [:], _ read: @escaping @Sendable (Reader) throws -> Value
  ) -> Updates<Value> {
    Updates(store: self, tables: tables.map { WatchedTable($0, columns: columns[$0]) }, read: read) { $0 == $1 }
  }
}
