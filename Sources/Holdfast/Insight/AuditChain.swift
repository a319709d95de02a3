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
  /// Whether it may wait for its hash: a change of another program, or the base that a migration writes.
  var mayBeUnchained: Bool {
    guard texts[0] == nil else { return false }
    return isUnnamed || texts[1] == Self.migrate && texts[3...] == [Data(), Self.base, nil, nil]
  }
  private static let (migrate, base) = (Data("migrate".utf8), Data(AuditEntry.Operation.base.rawValue.utf8))

  /// Whether its hash continues the chain; nil where it has none. The hash of a purged entry is believed.
  func follows(_ previous: AuditEnd) -> Bool? { hash.map { isPurged || $0 == hash(after: previous.hash ?? Data()) } }

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

  /// In place of the hash before it, where that is not proven: the entry that follows is a finding for ever.
  fileprivate static let unproven = Data("unproven".utf8)
}

extension Reader {
  /// Follows the chain from its beginning.
  func checkAudit(following kept: AuditHead? = nil) throws -> AuditCheck {
    let anchor = try auditAnchor()
    let note = try auditNote(anchor)
    let head: AuditHead? = if case .head(let head) = note { head } else { nil }
    var (check, last, newest) = (AuditCheck(), anchor, anchor.id)
    /// The first of the entries without a hash. They are sound if none with a hash comes after them.
    var waiting: Int64?
    var keptIsThere = kept == nil
    if case .broken = note {
      let first = try value("SELECT id FROM holdfast_audit ORDER BY id LIMIT 1") { try $0.int64() }
      check.find(first ?? anchor.id, "is not proven to be the first that remains: the anchor, or the note of the newest entry, was changed")
    }
    try rows("\(sql: AuditLink.select) ORDER BY id") { row in
      let link = try AuditLink(row: &row)
      // Ids have no gaps: a rollback takes back the number, too.
      let isNext = link.id == newest &+ 1
      newest = link.id
      check.entries += 1
      if link.isPurged { check.purged += 1 }
      if link.id == kept?.entry {
        keptIsThere = true
        if link.hash != kept?.bytes { check.find(link.id, "does not have the hash that was kept") }
      }
      guard let follows = link.follows(last) else {
        check.unchained += 1
        if let head, link.id <= head.entry {
          check.find(link.id, "has lost its hash")
        } else if !link.mayBeUnchained {
          check.find(link.id, "has an actor or a verb and no hash, so the kit did not write it")
        } else if !isNext {
          check.find(link.id, "was added, or an entry before it was removed")
        } else {
          waiting = waiting ?? link.id
        }
        return
      }
      if let waiting { check.find(waiting, "has no hash, and entries after it have one") }
      if !isNext || !follows {
        check.find(
          link.id,
          link.hash == link.hash(after: AuditEnd.unproven)
            ? "was written when the ends of the audit were not proven any more"
            : "was changed, or an entry before it was changed, removed or added")
      } else if let head, link.id == head.entry, link.hash != head.bytes {
        check.find(link.id, "is not the one that the kit wrote")
      }
      (check.unchained, waiting) = (0, nil)
      last = AuditEnd(id: link.id, hash: link.hash)
    }
    let sequence = try value("SELECT seq FROM sqlite_sequence WHERE name = 'holdfast_audit'") { try $0.int64() } ?? 0
    if max(sequence, head?.entry ?? 0) > newest { check.find(newest, "has lost the entries after it") }
    if let kept, !keptIsThere {
      let hasRetained = kept.entry == anchor.id && kept.bytes == anchor.hash
      if !hasRetained { check.find(kept.entry, "is not there, so the hash that was kept proves nothing") }
    }
    if let hash = last.hash, !hash.isEmpty { (check.lastEntry, check.lastHash) = (last.id, SHA256Hex.hex(hash)) }
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
  private static let pageCount = 100

  private func links(after id: Int64) throws -> [AuditLink] {
    try values("\(sql: AuditLink.select) WHERE id > \(id) ORDER BY id LIMIT \(Self.pageCount)") { row in try AuditLink(row: &row) }
  }

  /// Where the chain goes on. What the kit has noted counts, whatever the entries say now: so an entry that was changed stays a finding.
  private func chainEnd(_ before: AuditEnd, _ note: AuditNote) throws -> AuditEnd {
    switch note {
    case .none: try before.hash == nil ? lastHashed() : before
    case .broken: AuditEnd(id: before.id, hash: AuditEnd.unproven)
    case .head(let head): AuditEnd(id: min(head.entry, before.id), hash: head.bytes)
    }
  }

  /// Writes actor, verb and time into the entries of this transaction, and hashes into all entries that may have none. Call before COMMIT.
  ///
  /// Such entries are always the newest: those of this transaction, and before them those of other programs and of migrations. An entry
  /// that somebody else gave an actor or a verb gets no hash, and the chain goes on over it: it stays a finding.
  func chainAudit() throws {
    guard let audit, let before = audit.before else { return }
    var links = try links(after: before.id)
    guard !links.isEmpty || before.hash == nil else { return }
    let anchor = try auditAnchor()
    var last = try chainEnd(before, auditNote(anchor))
    if last.id < before.id { links = try self.links(after: last.id) }
    let time = DateCodec.milliseconds(now())
    var isContinued = false
    while let newest = links.last?.id {
      for var link in links {
        let isOwn = link.id > before.id && link.isUnnamed
        if isOwn {
          link.time = time ?? link.time
          link.texts[0] = audit.actor.map { Data($0.utf8) }
          link.texts[1] = Data("\(audit.verb)".utf8)
        } else if let follows = link.follows(last) {
          // An earlier version, which writes no note, has continued the chain.
          if follows { last = AuditEnd(id: link.id, hash: link.hash) }
          continue
        } else if !link.mayBeUnchained {
          continue
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
        isContinued = true
      }
      links = links.count == Self.pageCount ? try self.links(after: newest) : []
    }
    if isContinued, let hash = last.hash { try noteAudit(AuditHead(entry: last.id, hash), anchor) }
  }

  /// Removes the oldest entries, and keeps the hash of the last removed one as the anchor of the chain. Returns how many were removed.
  ///
  /// Those go that are older than `date`, and all but the newest `kept`, `most` at most; nil sets no limit. Entries are removed in their
  /// order, up to the first one that must stay. Those that are not chained yet always stay.
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
    end = min(end, first.addingClamped(Int64(most) - 1))
    let note = try auditNote(auditAnchor())
    try execute(
      """
      INSERT INTO holdfast_audit_anchor (place, entry, hash)
      SELECT 1, id, hash FROM holdfast_audit WHERE id <= \(end) AND hash IS NOT NULL ORDER BY id DESC LIMIT 1
      ON CONFLICT (place) DO UPDATE SET entry = excluded.entry, hash = excluded.hash
      """)
    let removed = try execute("DELETE FROM holdfast_audit WHERE id <= \(end) AND id <= (SELECT entry FROM holdfast_audit_anchor)")
    // A note that does not fit stays so: the removal must not hide it.
    if removed > 0, case .head(let head) = note { try noteAudit(head, auditAnchor()) }
    return removed
  }

  /// Takes rows and values out of all entries of the rows that this transaction has deleted, of all entries that name one of the ids, and of
  /// those of these rows. The entries stay with their hashes, marked as purged.
  func purgeAudit(_ ids: PurgedIDs, _ named: [(table: String, key: String)] = []) throws {
    // Without a number, no entry is known to be of this transaction.
    let newestBefore = audit?.before?.id ?? Int64.max
    let purge: BoundSQL = "UPDATE holdfast_audit SET operation = 'purged', row = '', before = NULL, after = NULL"
    try execute(
      """
      \(sql: purge) WHERE (kind, row) IN
      (SELECT kind, row FROM holdfast_audit WHERE id > \(newestBefore) AND operation = 'delete')
      """)
    let texts: BoundSQL = "CAST(coalesce(row, '') || ' ' || coalesce(before, '') || ' ' || coalesce(after, '') AS BLOB)"
    let query: BoundSQL = "SELECT id, \(sql: texts) FROM holdfast_audit WHERE operation NOT IN ('purged', 'base')"
    let naming = try values(naming: ids, query) { try $0.int64() }
    try execute("\(sql: purge) WHERE id IN \(naming)")
    for row in named { try execute("\(sql: purge) WHERE kind = \(row.table) AND row = \(row.key) AND operation <> 'base'") }
  }
}
