import Foundation

/// Work that runs at every commit of a store, in the order in which it was added.
final class CommitWork: @unchecked Sendable {
  // Guarded by `lock`.
  private var before: [@Sendable (Writer) throws -> Void] = []
  private var after: [@Sendable () -> Void] = []
  private let lock = NSLock()

  func addBefore(_ work: @escaping @Sendable (Writer) throws -> Void) { lock.withLock { before.append(work) } }
  func addAfter(_ work: @escaping @Sendable () -> Void) { lock.withLock { after.append(work) } }

  /// Runs in the transaction; an error rolls everything back.
  func runBefore(_ writer: Writer) throws {
    for work in lock.withLock({ before }) { try work(writer) }
  }

  /// Runs on the writer's queue, before the log is moved into the file.
  func runAfter() {
    for work in lock.withLock({ after }) { work() }
  }
}
