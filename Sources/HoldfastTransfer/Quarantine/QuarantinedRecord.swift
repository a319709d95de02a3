public import Foundation
import Holdfast

/// A record of a source, or one field of a record, that an import could not bring into the store. Its original bytes are kept.
public struct QuarantinedRecord: Sendable, Codable, Equatable, Identifiable {
  /// The entry's number in this store. An export does not keep it.
  public var id: Int64
  /// The id of the first import that refused it.
  public var importID: String
  /// The kind of record, as in the report's `counts`.
  public var kind: String
  /// The field that was left out of an imported record; nil: the whole record.
  public var field: String?
  /// The place in the source, for example `$.collections[3].tracks[5]`.
  public var path: String
  /// A sentence for people.
  public var reason: String
  /// The number of bytes of the source that are kept.
  public var byteCount: Int
  /// The SHA-256 of these bytes, in lowercase hexadecimal.
  public var sha256: String
  /// The time of quarantine, to the millisecond.
  public var quarantinedAt: Date
  /// The path of the source; nil when it is unknown, as in a store that was filled from an export.
  public var source: String?
  /// The name of the source's format; nil when `source` is nil.
  public var format: String?

  enum CodingKeys: String, CodingKey {
    case id, kind, field, path, reason, sha256, source, format
    case importID = "import"
    case byteCount = "bytes"
    case quarantinedAt = "quarantined_at"
  }

  static let columns: BoundSQL = """
    q.id, q.import_id, q.kind, q.field, q.path, q.reason, length(q.original), q.original_sha256, q.created_at, i.source_path, i.format
    """
  static let tables: BoundSQL = "holdfast_quarantine q LEFT JOIN holdfast_imports i ON i.id = q.import_id"

  init(row: inout StoredRow) throws {
    id = try row.int64()
    importID = try row.text()
    kind = try row.text()
    field = try row.text()
    if field == "" { field = nil }
    path = try row.text()
    reason = try row.text()
    byteCount = try row.int()
    sha256 = try row.text()
    quarantinedAt = try row.date()
    source = try row.textOrNil()
    format = try row.textOrNil()
  }
}
