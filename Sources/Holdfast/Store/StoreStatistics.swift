/// What a store takes up, at one commit.
public struct StoreStatistics: Sendable, Equatable, Codable {
  /// The size of the file; 0 in memory.
  public var fileBytes: Int64
  /// The size of the log beside the file, which holds commits that are not in the file yet.
  public var logBytes: Int64
  /// The size of one page.
  public var pageBytes: Int
  /// All pages of the file, used and free.
  public var pages: Int
  /// Free pages of the file; `vacuum()` removes them.
  public var freePages: Int
  /// By ordinary table, the kit's own included.
  public var rows: [String: Int]
}
