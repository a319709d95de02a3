internal import Foundation
internal import Holdfast

/// Those who follow the status, and the last problem.
final class SyncListeners: @unchecked Sendable {
  typealias Listener = AsyncStream<StoreSync.Status>.Continuation

  private let store: Store
  // Guarded by `lock`.
  private var problem: StoreError?
  private var listeners: [Int: Listener] = [:]
  private var made = 0
  private let lock = NSLock()
  /// Held while the status is read and told, so that none is told before an earlier one.
  private let telling = NSLock()

  init(_ store: Store) { self.store = store }

  func note(_ problem: StoreError?) { lock.withLock { self.problem = problem } }

  func add(_ listener: Listener) {
    let id = lock.withLock {
      made += 1
      listeners[made] = listener
      return made
    }
    listener.onTermination = { [weak self] _ in self?.remove(id) }
    Task { await tell() }
  }

  private func remove(_ id: Int) { lock.withLock { listeners[id] = nil } }

  /// - Throws: the errors of reading.
  func status() throws -> StoreSync.Status {
    var status = try store.read(as: "sync.status") { reader in try StoreSync.Status(in: reader) }
    status.problem = lock.withLock { problem }
    return status
  }

  /// Tells the present status. One that cannot be read is told without counts, with the reason.
  func tell() async {
    _ = try? await offTask { [self] _ in
      guard lock.withLock({ !listeners.isEmpty }) else { return }
      telling.withLock {
        let status: StoreSync.Status
        do { status = try self.status() } catch { status = StoreSync.Status(problem: StoreError(error)) }
        for listener in lock.withLock({ Array(listeners.values) }) { listener.yield(status) }
      }
    }
  }

  /// No status comes after this one.
  func end() {
    for listener in lock.withLock({ Array(listeners.values) }) { listener.finish() }
  }
}
