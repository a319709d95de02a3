internal import Holdfast
internal import HoldfastSyncServer

/// The pushes under way, by space. Pushes of one space that wait at the same time share one transaction.
actor SpaceQueues {
  struct Waiting: Sendable {
    let push: SyncPush
    let now: Int64
    let continuation: CheckedContinuation<SyncAnswer, any Error>
  }

  /// The most pushes of one transaction.
  private static let most = 64

  private var waiting: [String: [Waiting]] = [:]

  /// The pushes of a space that wait for their turn.
  func count(in space: String) -> Int { waiting[space]?.count ?? 0 }

  /// Waits for the space's turn, and returns the answer to this push.
  ///
  /// - Parameter apply: applies several pushes in one transaction. If it throws, nothing of them is stored.
  func run(
    _ push: SyncPush, in space: String, now: Int64, _ apply: @escaping @Sendable ([Waiting]) async throws -> [Result<SyncAnswer, any Error>]
  ) async throws -> SyncAnswer {
    try await withCheckedThrowingContinuation { continuation in
      let isFirst = waiting[space] == nil
      waiting[space, default: []].append(Waiting(push: push, now: now, continuation: continuation))
      // A task of its own: that the caller's was cancelled must not end the pushes of others.
      if isFirst { Task { await write(to: space, apply) } }
    }
  }

  private func write(to space: String, _ apply: @Sendable ([Waiting]) async throws -> [Result<SyncAnswer, any Error>]) async {
    while let group = waiting[space]?.prefix(Self.most), !group.isEmpty {
      waiting[space]?.removeFirst(group.count)
      do {
        for (one, result) in zip(group, try await apply(Array(group))) { one.continuation.resume(with: result) }
      } catch {
        for one in group {
          guard group.count > 1, Self.isOfRows(error) else {
            one.continuation.resume(throwing: error)
            continue
          }
          // One of them is at fault: each has its own transaction now.
          do { one.continuation.resume(with: try await apply([one])[0]) } catch { one.continuation.resume(throwing: error) }
        }
      }
    }
    waiting[space] = nil
  }

  /// Whether the rows are at fault: their values, a constraint, their size. A timeout or a full disk would meet each push again.
  private static func isOfRows(_ error: any Error) -> Bool {
    if let error = error as? PostgresError { return ["22", "23", "54"].contains(error.state?.prefix(2)) }
    return (error as? StoreError)?.code == .invalidValue
  }
}
