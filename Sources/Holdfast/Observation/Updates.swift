/// Reads a value from a store, and reads it again after each commit that changes what it read.
///
/// The tables and columns are those that the read's statements used, found again after each read. Each `for try await` starts its
/// own watch. It delivers the present value, and then the newest value after changes. Reads never run on the main actor. A value equal to
/// the last one is dropped, if its type is `Equatable`. One change is read at once; in a burst of commits, reads begin at least 8
/// milliseconds apart. Each read waits until the consumer asks for a value, so a slow consumer skips older values. The sequence ends when
/// its task is cancelled. It throws when a read fails, and `.closed` when the store is closed. It does not see commits of other processes.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  package let store: Store
  package let read: @Sendable (Reader) throws -> Value
  let ignored: [String: Set<String>]
  let areEqual: @Sendable (Value, Value) -> Bool

  /// Reads the value, and says what the read used of what is not ignored.
  @Sendable
  package func readOnce(in reader: Reader) throws -> (value: Value, tables: UsedTables) {
    let (value, tables) = try reader.collecting(read)
    return (value, try ignored.isEmpty ? tables : ignoring(tables, reader))
  }

  private func ignoring(_ tables: UsedTables, _ reader: Reader) throws -> UsedTables {
    var tables = tables
    for (table, ignored) in ignored {
      // Without generated columns, whose values change with others.
      let all = Set(try reader.values("SELECT name FROM pragma_table_info(\(table))") { try $0.text().lowercased() })
      guard !all.isEmpty else { throw StoreError(.misuse, "there is no table \(table) whose columns could be ignored") }
      guard let used = tables[table] else { continue }
      guard ignored.isSubset(of: all) else {
        throw StoreError(.misuse, "\(table) has no column \(ignored.subtracting(all).sorted().joined(separator: ", ")) to ignore")
      }
      tables.updateValue((used ?? all).subtracting(ignored), forKey: table)
    }
    return tables
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    private let updates: Updates
    /// Nil after the sequence has ended.
    private var watch: TableWatch?
    private var changes: AsyncStream<Void>.Iterator
    private var last: Value?
    private var tables: UsedTables = [:]
    /// The watch's count of changes when the last read began, and the time of that read.
    private var seen: (changes: Int, at: ContinuousClock.Instant)?

    init(_ updates: Updates) {
      self.updates = updates
      let watch = TableWatch(updates.store)
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
          let commit = updates.store.watches.commits
          let (value, used) = try await updates.store.read(as: MetricsRecorder.observing, updates.readOnce)
          if used != tables {
            watch.watch(used, of: updates.store, since: commit)
            tables = used
          }
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
  /// Reads a value now, and after each commit that changes what it read.
  ///
  /// ```swift
  /// for try await notes in store.updates({ try $0.all(Note.self, "ORDER BY due_at") }) { … }
  /// ```
  /// Insertions and deletions in a table that `read` uses always cause a read; an update causes one only when it changes a column that the
  /// statements name, or one of a key. SQLite does not report changes of WITHOUT ROWID tables. What `read` takes from elsewhere, such as the
  /// clock or a variable, causes no read.
  ///
  /// - Parameter ignored: columns by table, spelt as the schema does, whose updates cause no read although `read` uses them.
  public func updates<Value: Sendable & Equatable>(
    ignoring ignored: [String: Set<String>] = [:], _ read: @escaping @Sendable (Reader) throws -> Value
  ) -> Updates<Value> {
    Updates(store: self, read: read, ignored: ignored) { $0 == $1 }
  }

  /// The same for values that cannot be compared: each commit that changes a table or column of the read delivers a value.
  public func updates<Value: Sendable>(
    ignoring ignored: [String: Set<String>] = [:], _ read: @escaping @Sendable (Reader) throws -> Value
  ) -> Updates<Value> {
    Updates(store: self, read: read, ignored: ignored) { _, _ in false }
  }
}
