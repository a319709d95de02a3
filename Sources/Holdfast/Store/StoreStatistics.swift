/// The size of a store and its number of rows, at one commit.
public struct StoreStatistics: Sendable, Equatable, Codable {
  /// The size of the file in bytes; 0 in memory.
  public var fileBytes: Int64
  /// The size in bytes of the log beside the file, which holds commits that are not in the file yet.
  public var logBytes: Int64
  /// The size of one page in bytes.
  public var pageBytes: Int
  /// All pages of the file, used and free.
  public var pages: Int
  /// Free pages of the file; `vacuum()` removes them.
  public var freePages: Int
  /// The number of rows of each ordinary table, including the kit's own.
  public var rows: [String: Int]
  /// How often this store has tried again since it was opened, because a lock or the volume failed for a moment. `Documentation/Errors.md`
  /// says what is tried again.
  public var retries: Int
}
