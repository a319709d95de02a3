import Foundation

/// One entry of the audit as a link of the chain of hashes.
///
/// The hash of an entry is the SHA-256 of these bytes: the 32 bytes of the hash before it, none for the first; the id and the time in
/// decimal, a line feed after each; then actor, verb, kind, row, operation, before and after, each as its number of bytes in decimal, a line
/// feed, and its bytes in UTF-8. NULL is `-` and a line feed.
private struct AuditLink {
  let id: Int64
  var time: Int64
  /// From actor to after.
  var texts: [Data?]
  let hash: Data?

  private static let columns = ["actor", "verb", "kind", "row", "operation", "before", "after"]
  /// As bytes: another program may have stored text that is not UTF-8.
  static let select = BoundSQL(
    raw: "SELECT id, time, \(columns.map { "CAST(\($0) AS BLOB)" }.joined(separator: ", ")), hash FROM holdfast_audit")

  init(row: inout StoredRow) throws {
    (id, time) = (try row.int64(), try row.int64())
    texts = try Self.columns.map { _ in try row.dataOrNil() }
    hash = try row.dataOrNil()
  }

  var isPurged: Bool { texts[4] == Data(AuditEntry.Operation.purged.rawValue.utf8) }
  var isUnnamed: Bool { texts[1] == nil }

  func hash(after previous: Data) -> Data {
    var bytes = previous
    bytes.append(contentsOf: "\(id)\n\(time)\n".utf8)
    for text in texts {
      bytes.append(contentsOf: (text.map { "\($0.count)\n" } ?? "-\n").utf8)
      if let text { bytes.append(text) }
    }
    return SHA256Hex.bytes(of: bytes)
  }
}

/// The end of a chain, or of the part that retention has removed.
struct AuditEnd {
  var id: Int64 = 0
  /// Empty at the beginning of the chain; nil for an entry that is not hashed yet.
  var hash: Data? = Data()
}

extension Reader {
  /// The end of the part that retention has removed; the beginning of the chain where none was.
  fileprivate func auditAnchor() throws -> AuditEnd {
    try value("SELECT entry, hash FROM holdfast_audit_anchor") { row in AuditEnd(id: try row.int64(), hash: try row.data()) } ?? AuditEnd()
  }

  /// Follows the chain from its beginning.
  func checkAudit() throws -> AuditCheck {
    let anchor = try auditAnchor()
    var (check, last, newest) = (AuditCheck(), anchor, anchor.id)
    try rows("\(sql: AuditLink.select) ORDER BY id") { row in
      let link = try AuditLink(row: &row)
      // Ids have no gaps: a rollback takes back the number, too.
      var isSound = link.id == newest &+ 1
      newest = link.id
      check.entries += 1
      if link.isPurged { check.purged += 1 }
      if let hash = link.hash {
        // Entries without a hash are only at the end.
        isSound = isSound && check.unchained == 0 && (link.isPurged || link.hash(after: last.hash ?? Data()) == hash)
        check.unchained = 0
        last = AuditEnd(id: link.id, hash: hash)
      } else {
        check.unchained += 1
      }
      if !isSound { check.find(link.id, "was changed, or an entry before it was changed, removed or added") }
    }
    let sequence = try value("SELECT seq FROM sqlite_sequence WHERE name = 'holdfast_audit'") { try $0.int64() } ?? 0
    if sequence > newest {
      check.find(newest, "has lost the entries after it")
    }
    if let hash = last.hash, !hash.isEmpty {
      (check.lastEntry, check.lastHash) = (last.id, hash.map { String(format: "%02x", $0) }.joined())
    }
    return check
  }
}

extension Writer {
  /// Notes the newest entry: what comes after it is of this transaction. Call at its beginning.
  func beginAudit() throws {
    guard audit != nil, audit?.before == nil else { return }
    audit?.before =
      try value("SELECT id, hash FROM holdfast_audit ORDER BY id DESC LIMIT 1") { row in
        AuditEnd(id: try row.int64(), hash: try row.dataOrNil())
      } ?? auditAnchor()
  }

  private func lastHashed() throws -> AuditEnd {
    try value("SELECT id, hash FROM holdfast_audit WHERE hash IS NOT NULL ORDER BY id DESC LIMIT 1") { row in
      AuditEnd(id: try row.int64(), hash: try row.data())
    } ?? auditAnchor()
  }

  private static let signing: BoundSQL = "UPDATE holdfast_audit SET time = ?1, actor = ?2, verb = ?3, hash = ?4 WHERE id = ?5"
  private static let marking: BoundSQL = "UPDATE holdfast_audit SET hash = ?1 WHERE id = ?2"

  /// Writes actor, verb and time into the entries of this transaction, and hashes into all entries that have none. Call before COMMIT.
  ///
  /// Such entries are always the newest: those of this transaction, and before them those of other programs.
  func chainAudit() throws {
    guard let audit, let before = audit.before else { return }
    var last = try before.hash == nil ? lastHashed() : before
    while true {
      let links = try values("\(sql: AuditLink.select) WHERE id > \(last.id) ORDER BY id LIMIT 100") { row in try AuditLink(row: &row) }
      let time = links.isEmpty ? nil : DateCodec.milliseconds(now())
      for var link in links {
        let isOwn = link.id > before.id && link.isUnnamed
        if isOwn {
          link.time = time ?? link.time
          link.texts[0] = audit.actor.map { Data($0.utf8) }
          link.texts[1] = Data("\(audit.verb)".utf8)
        }
        let hash = link.hash(after: last.hash ?? Data())
        try execute(isOwn ? Self.signing : Self.marking) { values in
          if isOwn {
            try values.int64(link.time)
            try values.text(audit.actor)
            try values.text("\(audit.verb)")
          }
          try values.data(hash)
          try values.int64(link.id)
        }
        last = AuditEnd(id: link.id, hash: hash)
      }
      guard links.count == 100 else { return }
    }
  }

  /// Removes the oldest entries, and keeps the hash of the last removed one as the anchor of the chain. Returns how many were removed.
  ///
  /// Entries are removed in their order, up to the first one that must stay. Those that are not chained yet always stay.
  /// - Parameters:
  ///   - date: removes entries that are older; nil: none for their age.
  ///   - kept: removes all but the newest ones; nil: none for their number.
  ///   - most: removes this many at most.
  @discardableResult
  func removeAudit(before date: Date? = nil, keepingLast kept: Int? = nil, most: Int = .max) throws -> Int {
    var end: Int64 = 0
    if let date {
      let first = try value("SELECT id FROM holdfast_audit WHERE time >= \(date) ORDER BY id LIMIT 1") { try $0.int64() }
      end = first.map { $0 &- 1 } ?? .max
    }
    if let kept {
      let last = try value("SELECT id FROM holdfast_audit ORDER BY id DESC LIMIT 1 OFFSET \(max(0, kept))") { try $0.int64() }
      end = max(end, last ?? 0)
    }
    // Ids have no gaps.
    let first = try value("SELECT id FROM holdfast_audit ORDER BY id LIMIT 1") { try $0.int64() } ?? 0
    let (last, overflows) = first.addingReportingOverflow(Int64(most) - 1)
    if !overflows { end = min(end, last) }
    try execute(
      """
      INSERT INTO holdfast_audit_anchor (place, entry, hash)
      SELECT 1, id, hash FROM holdfast_audit WHERE id <= \(end) AND hash IS NOT NULL ORDER BY id DESC LIMIT 1
      ON CONFLICT (place) DO UPDATE SET entry = excluded.entry, hash = excluded.hash
      """)
    return try execute("DELETE FROM holdfast_audit WHERE id <= \(end) AND id <= (SELECT entry FROM holdfast_audit_anchor)")
  }

  /// Takes rows and values out of all entries of the rows that this transaction has deleted, and of all entries that name one of the ids.
  /// The entries stay with their hashes, marked as purged.
  func purgeAudit(_ ids: PurgedIDs) throws {
    // Without a number, no entry is known to be of this transaction.
    let newestBefore = audit?.before?.id ?? Int64.max
    let purge: BoundSQL = "UPDATE holdfast_audit SET operation = 'purged', row = '', before = NULL, after = NULL"
    try execute(
      """
      \(sql: purge) WHERE (kind, row) IN
      (SELECT kind, row FROM holdfast_audit WHERE id > \(newestBefore) AND operation = 'delete')
      """)
    var naming: [Int64] = []
    let texts: BoundSQL = "CAST(coalesce(row, '') || ' ' || coalesce(before, '') || ' ' || coalesce(after, '') AS BLOB)"
    try rows("SELECT id, \(sql: texts) FROM holdfast_audit WHERE operation NOT IN ('purged', 'base')") { row in
      let id = try row.int64()
      if ids.areNamed(in: try row.data()) { naming.append(id) }
    }
    try execute("\(sql: purge) WHERE id IN \(naming)")
  }
}
