/// The content of an export, and what it had to leave out.
public struct ExportReport: Sendable, Codable, Equatable {
  /// A record or field that the format cannot hold. It stays in the store.
  public struct LeftOut: Sendable, Codable, Equatable {
    /// The kind of record, as in `counts`.
    public var kind: String
    /// The record's id, in lower case.
    public var id: String
    /// The field's name; nil: the whole record.
    public var field: String?
    /// A sentence for people.
    public var reason: String

    /// Makes an entry for a record or field that was left out.
    public init(kind: String, id: String, field: String? = nil, reason: String) {
      self.kind = kind
      self.id = id
      self.field = field
      self.reason = reason
    }
  }

  /// The name of the written format.
  public var format: String
  /// The path of the written file.
  public var path: String
  /// The size of the whole file in bytes.
  public var bytes: Int64
  /// The SHA-256 of the whole file, in lowercase hexadecimal.
  public var sha256: String
  /// Records written, by kind.
  public var counts: [String: Int]
  /// The records and fields that the format cannot hold. Empty: the file holds everything.
  public var leftOut: [LeftOut]

  enum CodingKeys: String, CodingKey {
    case format, path, bytes, sha256, counts
    case leftOut = "left_out"
  }

  /// Makes a report, for formats of your own.
  public init(format: String, path: String, bytes: Int64, sha256: String, counts: [String: Int], leftOut: [LeftOut] = []) {
    self.format = format
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
    self.counts = counts
    self.leftOut = leftOut
  }
}
