import Foundation

/// The newest entry of an audit that has a hash, and that hash, which stands for the whole audit up to there.
///
/// Keep it outside the store, and give it to `Store.checkAudit(following:)` later: then a chain that was computed again is found, too. As
/// text it is the entry's number, a colon, and the hash.
public struct AuditHead: Sendable, Hashable, Codable, LosslessStringConvertible {
  /// The entry's number.
  public let entry: Int64
  /// 64 hexadecimal digits.
  public let hash: String

  /// Nil for anything but a number, a colon, and 64 hexadecimal digits.
  public init?(_ description: String) {
    let parts = description.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let entry = Int64(parts[0]), let bytes = SHA256Hex.data(hex: parts[1]), bytes.count == 32 else { return nil }
    self.init(entry: entry, bytes)
  }

  init(entry: Int64, _ bytes: Data) { (self.entry, hash) = (entry, SHA256Hex.hex(bytes)) }

  /// The number of the entry, a colon, and the hash.
  public var description: String { "\(entry):\(hash)" }

  var bytes: Data { SHA256Hex.data(hex: hash) ?? Data() }

  fileprivate func seal(_ anchor: AuditEnd) -> String {
    SHA256Hex.of("\(self)\n\(anchor.id):\(SHA256Hex.hex(anchor.hash ?? Data()))")
  }
}

/// The kit's own note of the two ends of the chain, in one row of `holdfast_insight`: the head, a space, and the seal, which is a hash over
/// both ends. Each transaction that continues the chain, or moves the anchor, writes it.
enum AuditNote {
  /// No version that writes the note has continued the chain.
  case none
  /// The note does not fit the anchor, or cannot be read: somebody changed one of them.
  case broken
  case head(AuditHead)
}

extension Reader {
  /// The end of the part that retention has removed; the beginning of the chain where none was.
  func auditAnchor() throws -> AuditEnd {
    try value("SELECT entry, hash FROM holdfast_audit_anchor") { row in AuditEnd(id: try row.int64(), hash: try row.data()) } ?? AuditEnd()
  }

  func auditNote(_ anchor: AuditEnd) throws -> AuditNote {
    // As bytes: another program may have stored text that is not UTF-8.
    let query: BoundSQL = "SELECT CAST(value AS BLOB) FROM holdfast_insight WHERE kind = 'audit' AND day = '' AND name = 'head'"
    guard let bytes = try value(query, { try $0.data() }) else { return .none }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2, let head = AuditHead(String(parts[0])), parts[1] == head.seal(anchor) else { return .broken }
    return .head(head)
  }
}

extension Writer {
  private static let update: BoundSQL = "UPDATE holdfast_insight SET value = ?1 WHERE kind = 'audit' AND day = '' AND name = 'head'"
  private static let insert: BoundSQL = "INSERT INTO holdfast_insight (kind, day, name, value) VALUES ('audit', '', 'head', ?1)"

  func noteAudit(_ head: AuditHead, _ anchor: AuditEnd) throws {
    let text = "\(head) \(head.seal(anchor))"
    if try execute(Self.update, binding: { try $0.text(text) }) == 0 { try execute(Self.insert) { try $0.text(text) } }
    // The rows that the kit notes are none of the commit's.
    connection.checkpoints.leaveOutRows()
  }
}
