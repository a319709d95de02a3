/// What a space may hold. A row that exceeds a limit is refused; the other rows of the same push are applied.
public struct SyncLimits: Sendable, Hashable, Codable {
  /// The greatest size of one row's line in bytes. Default: 256 KB.
  public var rowBytes = 262_144
  /// The most rows of a space, deleted ones among them. Default: 2,000,000.
  public var rows: Int64 = 2_000_000
  /// The greatest size of all lines of a space in bytes. Default: 1 GB.
  public var bytes: Int64 = 1 << 30

  /// The most bytes that a new row's table and key have together: 2,048, in each space of each store. An index of PostgreSQL holds little more,
  /// and one row that the database refused would hold up all others of its device.
  public static let nameBytes = 2_048

  /// The defaults.
  public init() {}
}
