package import Holdfast
package import HoldfastSync

extension SyncServer {
  /// Merges rows into a space, as `answer(_:in:now:)`, in a transaction of the caller's, which may hold several pushes.
  ///
  /// - Throws: the errors of the store. The transaction must then be rolled back.
  package func push(_ rows: [SyncRow], of request: SyncRequest, in name: String, now: Int64, _ tx: Writer) throws -> SyncResponse {
    try apply(SyncPush(rows, of: request), in: name, now: now, tx)
  }

  func apply(_ push: SyncPush, in name: String, now: Int64, _ tx: Writer) throws -> SyncResponse {
    guard var space = try tx.first(StoredSpace.self, "WHERE space = \(name)") else {
      return SyncResponse(.failed(StoredSpace.notFound(name)), now: now, epoch: "")
    }
    let (outcome, lines) = try push.outcome(in: &space, limits, answerBytes, now) { row in
      try tx.first(StoredLine.self, "WHERE space = \(name) AND tbl = \(row.table.text) AND key = \(row.key.text)")
    }
    for line in lines { try tx.upsert(line) }
    if !lines.isEmpty {
      try tx.upsert(space)
      try tx.execute("UPDATE sync_pushes SET number = number + 1")
    }
    return SyncResponse(outcome, now: now, epoch: space.epoch)
  }
}
