/// Reads a value from a store, and reads it again after each commit that changes its tables.
///
/// Each `for try await` starts its own watch. It delivers the present value, and then the newest value after changes. Reads never run on
/// the main actor. A value equal to the last one is dropped. One change is read at once; in a burst of commits, reads begin at least 8
/// milliseconds apart. Each read waits until the consumer asks for a value, so a slow consumer skips older values. The sequence ends when
/// its task is cancelled. It throws when a read fails, and `.closed` when the store is closed. It does not see commits of other processes.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  package let store: Store
  package let tables: [WatchedTable]
  package let read: @Sendable (Reader) throws -> Value
  let areEqual: @Sendable (Value, Value) -> Bool

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let updates: Updates
    /// Nil after the sequence has ended.
    private var watch: TableWatch?
    private var changes: AsyncStream<Void>.Iterator
    private var last: Value?
    /// The watch's count of changes when the last read began, and the time of that read.
    private var seen: (changes: Int, at: ContinuousClock.Instant)?

    init(_ updates: Updates) {
      self.updates = updates
      let watch = TableWatch(updates.store, updates.tables)
      self.watch = watch
      changes = watch.changes.makeAsyncIterator()
    }

    /// Whether every commit is now noticed on its own. False after the sequence has ended.
    package var hasBegun: Bool { watch?.hasBegun ?? false }

    /// Whether a change was counted since the last read began. A commit is counted before the call that made it returns.
    package var hasHeard: Bool {
      guard let watch, let seen else { return false }
      return watch.count != seen.changes
    }

    public mutating func next() async throws -> Value? {
      do {
        while let watch {
          if let seen, try await !hasChanged(watch, since: seen) { break }
          seen = (watch.count, .now)
          let value = try await updates.store.read(as: MetricsRecorder.observing, updates.read)
          // Changes that cancel each other leave a value that the consumer has already.
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

    /// Waits for a change since the last read. False when the task was cancelled.
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

/// The shortest time between the beginnings of two reads of one watch. A screen shows no more, and many watches do not delay writers.
private let shortestPause: Duration = .milliseconds(8)

extension Store {
  /// Reads a value from these tables, now and after each commit that changes one of them.
  ///
  /// `tables` must name every table that `read` uses: changes of other tables are not seen. SQLite does not report changes of WITHOUT ROWID
  /// tables.
  ///
  /// - Parameter columns: by table, the columns that `read` uses. Insertions and deletions always cause a read; an update causes one only
  ///   when it changes one of these columns. A table without an entry is watched with all its columns.
  public func updates<Value: Sendable & Equatable>(
    of tables: [String], columns: [String: [String]] = [:], _ read: @escaping @Sendable (Reader) throws -> Value
  ) -> Updates<Value> {
    Updates(store: self, tables: tables.map { WatchedTable($0, columns: columns[$0]) }, read: read) { $0 == $1 }
  }
}
