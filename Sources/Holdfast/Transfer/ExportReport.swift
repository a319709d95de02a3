/// What an export wrote, and what it had to leave out.
public struct ExportReport: Sendable, Codable, Equatable {
  /// Something that the format cannot hold. It stays in the store.
  public struct LeftOut: Sendable, Codable, Equatable {
    public var kind: String
    public var id: String
    /// Nil: the whole record.
    public var field: String?
    public var reason: String

    public init(kind: String, id: String, field: String? = nil, reason: String) {
      self.kind = kind
      self.id = id
      self.field = field
      self.reason = reason
    }
  }

  public var format: String
  public var path: String
  public var bytes: Int64
  /// Of the whole file, in hexadecimal.
  public var sha256: String
  /// Records written, by kind.
  public var counts: [String: Int]
  public var leftOut: [LeftOut]

  enum CodingKeys: String, CodingKey {
    case format, path, bytes, sha256, counts
    case leftOut = "left_out"
  }

  public init(format: String, path: String, bytes: Int64, sha256: String, counts: [String: Int], leftOut: [LeftOut] = []) {
    self.format = format
    self.path = path
    self.bytes = bytes
    self.sha256 = sha256
    self.counts = counts
    self.leftOut = leftOut
  }
}
