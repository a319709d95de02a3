internal import Holdfast
internal import HoldfastSync

/// The pushes under way. Pushes that wait at the same time share one transaction, and one flush of the disk.
actor PushQueue {
  private struct Waiting {
    let push: @Sendable (Writer) throws -> SyncResponse
    let continuation: CheckedContinuation<SyncResponse, any Error>
  }

  /// The most pushes of one transaction. A push has up to 1,000 rows, and readers of the newest state wait for the commit.
  private static let most = 64

  private var waiting: [Waiting] = []
  private var isWriting = false

  /// Runs `push` in a transaction of `store`, perhaps with others; returns when it is committed.
  ///
  /// - Throws: the error of `push`, or of the transaction. Then nothing of `push` is stored.
  func run(in store: Store, _ push: @escaping @Sendable (Writer) throws -> SyncResponse) async throws -> SyncResponse {
    try await withCheckedThrowingContinuation { continuation in
      waiting.append(Waiting(push: push, continuation: continuation))
      guard !isWriting else { return }
      isWriting = true
      // A task of its own: that the caller's was cancelled must not end the pushes of others.
      Task { await write(to: store) }
    }
  }

  private func write(to store: Store) async {
    while !waiting.isEmpty {
      let group = Array(waiting.prefix(Self.most))
      waiting.removeFirst(group.count)
      do {
        let results = try await store.write(as: "push") { tx in
          // A push that fails undoes its own changes. After an error that has ended the transaction, the commit throws it.
          group.map { one in Result { try tx.savepoint { try one.push(tx) } } }
        }
        for (one, result) in zip(group, results) { one.continuation.resume(with: result) }
      } catch {
        for one in group { one.continuation.resume(throwing: error) }
      }
    }
    isWriting = false
  }
}
