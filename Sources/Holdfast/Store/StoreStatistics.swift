/// What a store takes up, at one commit.
public struct StoreStatistics: Sendable, Equatable, Codable {
  /// Sizes on disk; 0 in memory.
  public var fileBytes: Int64
  /// Of the log beside the file: what is committed and not in the file yet.
  public var logBytes: Int64
  /// Of one page.
  public var pageBytes: Int
  /// Those of the file that hold something and those that do not.
  public var pages: Int
  /// Pages that hold nothing; `vacuum()` gives them back.
  public var freePages: Int
  /// By ordinary table, the kit's own included.
  public var rows: [String: Int]
}
