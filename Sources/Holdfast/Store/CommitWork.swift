import Foundation

/// The work that belongs to every commit of a store, in the order in which it was added.
final class CommitWork: @unchecked Sendable {
  // Guarded by `lock`.
  private var before: [@Sendable (Writer) throws -> Void] = []
  private var after: [@Sendable () -> Void] = []
  private let lock = NSLock()

  func addBefore(_ work: @escaping @Sendable (Writer) throws -> Void) { lock.withLock { before.append(work) } }
  func addAfter(_ work: @escaping @Sendable () -> Void) { lock.withLock { after.append(work) } }

  /// In the transaction: what it throws rolls everything back.
  func runBefore(_ writer: Writer) throws {
    for work in lock.withLock({ before }) { try work(writer) }
  }

  /// On the writer's queue, before the log is moved into the file.
  func runAfter() {
    for work in lock.withLock({ after }) { work() }
  }
}
