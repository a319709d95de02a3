public import Foundation
import Holdfast

/// A record of a source, or one field of it, that an import could not bring in. Its original bytes are kept.
public struct QuarantinedRecord: Sendable, Codable, Equatable, Identifiable {
  /// Its number in this store. An export does not keep it.
  public var id: Int64
  /// The import that met it first.
  public var importID: String
  /// The kind of record, as in the report's `counts`.
  public var kind: String
  /// The field that was left out of a record that came in; nil: the whole record.
  public var field: String?
  /// Where it stands in the source, for example `$.collections[3].tracks[5]`.
  public var path: String
  /// A sentence for people.
  public var reason: String
  /// How many bytes of the source are kept.
  public var byteCount: Int
  /// Of these bytes, in hexadecimal.
  public var sha256: String
  /// To the millisecond.
  public var quarantinedAt: Date
  /// The path of the source; nil where it is not known, as of a store that was filled from an export.
  public var source: String?
  /// The name of the source's format; nil as `source`.
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
