import Foundation

/// The watches of a store, and the store's count of commits.
final class WatchList: @unchecked Sendable {
  private struct Entry {
    weak var watch: TableWatch?
  }

  // Guarded by `lock`.
  private var entries: [Entry] = []
  private var counted = 0
  private let lock = NSLock()

  func add(_ watch: TableWatch) {
    lock.withLock {
      entries.removeAll { $0.watch == nil }
      entries.append(Entry(watch: watch))
    }
  }

  /// The number of the store's commits until now.
  var commits: Int { lock.withLock { counted } }
  func countCommit() { lock.withLock { counted += 1 } }

  /// Wakes all watches after all content was replaced, which no statement reports.
  func wakeAll() {
    for watch in lock.withLock({ entries.compactMap(\.watch) }) { watch.add() }
  }
}
