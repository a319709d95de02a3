/// Work that runs at every commit of a store, in the order in which it was added.
final class CommitWork: Sendable {
  private let before = Locked<[@Sendable (Writer) throws -> Void]>([])
  private let after = Locked<[@Sendable () -> Void]>([])

  func addBefore(_ work: @escaping @Sendable (Writer) throws -> Void) { before.with { $0.append(work) } }
  func addAfter(_ work: @escaping @Sendable () -> Void) { after.with { $0.append(work) } }

  /// Runs in the transaction; an error rolls everything back.
  func runBefore(_ writer: Writer) throws {
    for work in before.with({ $0 }) { try work(writer) }
  }

  /// Runs on the writer's queue, before the log is moved into the file.
  func runAfter() {
    for work in after.with({ $0 }) { work() }
  }
}
