/// What `Store.checkAudit()` found.
///
/// A person who can write the file can also compute the chain again from any entry on. Keep `head` elsewhere, and give it to
/// `Store.checkAudit(following:)` later: then such a chain is found, too.
public struct AuditCheck: Sendable, Equatable, Codable {
  /// The number of entries.
  public internal(set) var entries = 0
  /// How many entries are marked as purged. Their hashes are taken as they are.
  public internal(set) var purged = 0
  /// How many at the end have no hash yet: changes of other programs since the last write of the kit, and bases of a migration.
  public internal(set) var unchained = 0
  /// The newest entry with a hash, or the last one that retention removed; nil where no entry was ever hashed.
  public internal(set) var lastEntry: Int64?
  /// The hash of that entry, 64 hexadecimal digits: it stands for the whole audit up to there.
  public internal(set) var lastHash: String?
  /// The places where the chain is broken, at most 100, the first unproven entry first. Empty: only the kit has changed the audit.
  public internal(set) var findings: [IntegrityReport.Finding] = []

  /// `lastEntry` with `lastHash`.
  public var head: AuditHead? { lastEntry.flatMap { entry in lastHash.flatMap { AuditHead("\(entry):\($0)") } } }

  mutating func find(_ entry: Int64, _ what: String) {
    guard findings.count < 100, findings.last?.row != "\(entry)" else { return }
    findings.append(.init(part: .invariants, table: "holdfast_audit", row: "\(entry)", message: "entry \(entry) of the audit \(what)"))
  }
}
