internal import Holdfast
package import HoldfastSync

/// A push that a device asks for, and what becomes of it: the same in every kind of store.
public struct SyncPush: Sendable {
  /// The most bytes of the lines in the answer to a push of several rows: 8 MB.
  public static let answerBytes = 8 << 20

  package let request: SyncRequest
  /// Each row once, in the order of the table.
  let rows: [SyncRow]
  /// The number of rows that were sent.
  let sent: Int

  package init(_ rows: [SyncRow], of request: SyncRequest) {
    (self.request, sent) = (request, rows.count)
    self.rows = Dictionary(rows.map { ($0.name, $0) }) { $0.merged(with: $1) }.values.sorted { $0.name < $1.name }
  }

  /// Table and key of each row, once.
  public var names: [(table: String, key: String)] { rows.map { ($0.name.table.text, $0.name.key.text) } }

  /// Merges the rows into a space.
  ///
  /// - Parameters:
  ///   - space: the space, changed where the push changes it. Its head is another one then.
  ///   - limits: those of a space without its own.
  ///   - stored: returns the line that the store has of a table and a key.
  /// - Returns: the answer, and the lines to store. They and the space must be stored in one transaction, before the answer is sent.
  public func applied(
    to space: inout StoredSpace, limits: SyncLimits, now: Int64, stored: (_ table: String, _ key: String) throws -> StoredLine?
  ) rethrows -> (answer: SyncAnswer, lines: [StoredLine]) {
    let (outcome, lines) = try outcome(in: &space, limits, Self.answerBytes, now) { try stored($0.table.text, $0.key.text) }
    return (SyncAnswer(SyncResponse(outcome, now: now, epoch: space.epoch), rows: sent), lines)
  }

  /// All rows that change have one new sequence number; where none changes, the space's head stays. A row that was sent several times is sent
  /// once, as the merge of all.
  ///
  /// A stamp may lie two minutes after `now`, or after the latest stamp of the row as it is stored: a server whose clock was ahead once does
  /// not refuse the later edits of what it took then. A push whose answer would exceed `answerBytes` is refused whole.
  func outcome(
    in space: inout StoredSpace, _ limits: SyncLimits, _ answerBytes: Int, _ now: Int64, stored find: (SyncRow.Name) throws -> StoredLine?
  ) rethrows -> (SyncResponse.Outcome, lines: [StoredLine]) {
    if let refusal = space.refusal(of: request) { return (refusal, []) }
    var changes: [(old: StoredLine?, merged: SyncRow, line: String)] = []
    var bytes = 0
    for row in rows {
      let old = try find(row.name)
      let latest = max(now, old?.row.latest.milliseconds ?? 0)
      guard row.latest.milliseconds - SyncResponse.tolerance <= latest else { return (.future, []) }
      let merged = old.map { $0.row.merged(with: row) } ?? row
      let line = merged.line
      bytes += line.utf8.count
      guard changes.isEmpty || bytes <= answerBytes else {
        let tooMany = StoreError(.invalidValue, "the answer would have too many bytes", suggestion: "Send fewer rows at once.")
        return (.failed(tooMany), [])
      }
      changes.append((old, merged, line))
    }
    let wasCaughtUp = request.cursor == space.head
    let next = space.head + 1
    var stored: [SyncResponse.Stored] = []
    var refused: [SyncResponse.Refused] = []
    var lines: [StoredLine] = []
    for (old, merged, line) in changes {
      if let old, old.row == merged {
        stored.append(old.answered)
        continue
      }
      let new = StoredLine(merged, in: space.space, at: next, line: line)
      if let reason = space.replace(old, by: new, within: space.limits ?? limits) {
        refused.append(SyncResponse.Refused(merged.name, reason))
      } else {
        lines.append(new)
        stored.append(new.answered)
        space.head = next
      }
    }
    return (.pushed(stored, refused: refused, cursor: wasCaughtUp ? space.head : nil), lines)
  }
}

extension StoredSpace {
  /// Counts the new line in place of the old one. A new line that the limits refuse changes nothing; its reason is then returned.
  ///
  /// A line that is not longer than the old one is never refused for the quota, so that a full space can be emptied. The deletion of a row that
  /// is stored is never refused: its mark as purged makes the line of a deleted row longer, and every device must learn of it.
  fileprivate mutating func replace(_ old: StoredLine?, by new: StoredLine, within limits: SyncLimits) -> String? {
    let (size, oldSize) = (new.stored.line.utf8.count, old?.stored.line.utf8.count ?? 0)
    let growth = Int64(size - oldSize)
    if old == nil, new.row.name.table.text.utf8.count + new.row.name.key.text.utf8.count > SyncLimits.nameBytes { return "row_too_large" }
    if old == nil || new.row.isAlive {
      guard size <= limits.rowBytes else { return "row_too_large" }
      guard growth <= 0 || bytes <= limits.bytes - growth, old != nil || rows < limits.rows else { return "quota" }
    }
    bytes += growth
    rows += old == nil ? 1 : 0
    if let old { digest &-= Int64(bitPattern: SyncRow.digest(ofLine: old.stored.line)) }
    digest &+= Int64(bitPattern: SyncRow.digest(ofLine: new.stored.line))
    return nil
  }
}
