import Foundation
import Logging

/// Applies the retention of one open store by itself: when it is idle after a commit, and then at most once a day.
final class RetentionSchedule: @unchecked Sendable {
  private static let period: Duration = .seconds(86_400)

  private let queue = DispatchQueue(label: "holdfast.retention", qos: .utility)
  private weak var store: Store?
  // Guarded by `lock`.
  private var next = ContinuousClock.now
  private let lock = NSLock()
  private lazy var idle = store.map { store in IdleWatch(on: queue, after: store.options.retention.idle) { [weak self] in self?.run() } }

  init(_ store: Store) { self.store = store }

  /// Call after each commit.
  func committed() {
    let idle = lock.withLock { ContinuousClock.now < next ? nil : self.idle }
    idle?.committed()
  }

  private func run() {
    // A store that is closed meanwhile ends the work.
    guard let store, !store.connections.isClosed.isRaised else { return }
    // Before the work: its commits are none to wait after.
    lock.withLock { next = .now + Self.period }
    do {
      try store.applyRetention()
    } catch {
      guard !store.connections.isClosed.isRaised else { return }
      store.logger.error("retention failed", metadata: ["path": "\(store.path)", "code": "\(StoreError(error).code.rawValue)"])
    }
  }

  /// Waits for everything that is due now.
  func settle() { queue.sync {} }
}
