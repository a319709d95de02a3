package import Holdfast
package import HoldfastSync

extension SyncServer {
  /// Merges rows into a space, as `answer(_:in:now:)`, in a transaction of the caller's, which may hold several pushes.
  ///
  /// All rows that change have one new sequence number; where none changes, the space's head stays. A row that was sent several times is sent
  /// once, as the merge of all.
  ///
  /// A stamp may lie two minutes after `now`, or after the latest stamp of the row as it is stored: a server whose clock was ahead once does
  /// not refuse the later edits of what it took then. A push whose answer would exceed `answerBytes` is refused whole.
  /// - Throws: the errors of the store. The transaction must then be rolled back.
  package func push(_ rows: [SyncRow], of request: SyncRequest, in name: String, now: Int64, _ tx: Writer) throws -> SyncResponse {
    try answering(request, in: name, now: now, tx) { space in
      var changes: [(old: StoredLine?, merged: SyncRow, line: String)] = []
      var bytes = 0
      for row in Self.once(rows) {
        let old = try tx.first(
          StoredLine.self, "WHERE space = \(space.space) AND tbl = \(row.name.table.text) AND key = \(row.name.key.text)")
        let latest = max(now, old?.row.latest.milliseconds ?? 0)
        guard row.latest.milliseconds - SyncResponse.tolerance <= latest else { return .future }
        let merged = old.map { $0.row.merged(with: row) } ?? row
        let line = merged.line
        bytes += line.utf8.count
        guard changes.isEmpty || bytes <= answerBytes else {
          return .failed(StoreError(.invalidValue, "the answer would have too many bytes", suggestion: "Send fewer rows at once."))
        }
        changes.append((old, merged, line))
      }
      let wasCaughtUp = request.cursor == space.head
      let next = space.head + 1
      var stored: [SyncResponse.Stored] = []
      var refused: [SyncResponse.Refused] = []
      for (old, merged, line) in changes {
        if let old, old.row == merged {
          stored.append(old.stored)
          continue
        }
        let new = StoredLine(merged, in: space.space, at: next, line: line)
        if let reason = space.replace(old, by: new, within: space.limits ?? limits) {
          refused.append(SyncResponse.Refused(merged.name, reason))
        } else {
          try tx.upsert(new)
          stored.append(new.stored)
          space.head = next
        }
      }
      if space.head == next {
        try tx.upsert(space)
        try tx.execute("UPDATE sync_pushes SET number = number + 1")
      }
      return .pushed(stored, refused: refused, cursor: wasCaughtUp ? space.head : nil)
    }
  }

  /// Each row once, in the order of the table.
  private static func once(_ rows: [SyncRow]) -> [SyncRow] {
    Dictionary(rows.map { ($0.name, $0) }) { $0.merged(with: $1) }.values.sorted { $0.name < $1.name }
  }
}

extension Space {
  /// Counts the new line in place of the old one. A new line that the limits refuse changes nothing; its reason is then returned.
  ///
  /// A line that is not longer than the old one is never refused for the quota, so that a full space can be emptied. The deletion of a row that
  /// is stored is never refused: its mark as purged makes the line of a deleted row longer, and every device must learn of it.
  fileprivate mutating func replace(_ old: StoredLine?, by new: StoredLine, within limits: SyncLimits) -> String? {
    let growth = Int64(new.line.utf8.count - (old?.line.utf8.count ?? 0))
    if old == nil || new.row.isAlive {
      guard new.line.utf8.count <= limits.rowBytes else { return "row_too_large" }
      guard growth <= 0 || bytes <= limits.bytes - growth, old != nil || rows < limits.rows else { return "quota" }
    }
    bytes += growth
    rows += old == nil ? 1 : 0
    if let old { digest &-= Int64(bitPattern: SyncRow.digest(ofLine: old.line)) }
    digest &+= Int64(bitPattern: SyncRow.digest(ofLine: new.line))
    return nil
  }
}
