import Foundation

/// The watches of a store.
final class WatchList: @unchecked Sendable {
  private struct Entry {
    weak var watch: TableWatch?
  }

  // Guarded by `lock`.
  private var entries: [Entry] = []
  private var counted = 0
  private let lock = NSLock()

  /// Returns how many commits there were until now.
  func add(_ watch: TableWatch) -> Int {
    lock.withLock {
      entries.removeAll { $0.watch == nil }
      entries.append(Entry(watch: watch))
      return counted
    }
  }

  /// The store's commits until now.
  var commits: Int { lock.withLock { counted } }
  func countCommit() { lock.withLock { counted += 1 } }

  /// For a change that no statement has made: all content was replaced.
  func wakeAll() {
    for watch in lock.withLock({ entries.compactMap(\.watch) }) { watch.wake() }
  }
}
