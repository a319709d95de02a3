/// Where a store's bytes are: tables, indexes, free pages, the log, the copies.
public struct StorageUse: Sendable, Equatable, Codable {
  /// The tables and indexes, Holdfast's own and SQLite's schema included, the largest first.
  public var objects: [Object] = []
  /// The free pages of the file; `Store.vacuum()` removes them.
  public var freeBytes: Int64 = 0
  /// The file. Commits that are still in the log may make `objects` and `freeBytes` together larger. 0 in memory, as all figures below.
  public var fileBytes: Int64 = 0
  /// The log beside the file.
  public var logBytes: Int64 = 0
  /// The snapshots.
  public var snapshotBytes: Int64 = 0
  /// The archive.
  public var archiveBytes: Int64 = 0
  /// The files that were set aside. Records that an import could not read are rows of the table `holdfast_quarantine`.
  public var quarantineBytes: Int64 = 0
  /// The copies of imported sources.
  public var sourceBytes: Int64 = 0
  /// The free space of the disk; nil where the system does not tell, and in memory.
  public var diskFreeBytes: Int64?
  /// The free space that a rewind to a state of the present size needs, or a restore: two copies of the file and its log.
  public var rewindNeedsBytes: Int64 = 0

  /// For people: a sentence if the disk has no room for a rewind or a restore. Otherwise nil.
  public var warning: String? {
    guard let free = diskFreeBytes, free < rewindNeedsBytes else { return nil }
    // The present space is rounded down and the need up, so that the two never look equal.
    let needed = rewindNeedsBytes / 1_000_000 + (rewindNeedsBytes % 1_000_000 > 0 ? 1 : 0)
    return "The disk has \(free / 1_000_000) MB free; a rewind needs \(needed) MB."
  }

  /// A table or an index.
  public struct Object: Sendable, Equatable, Codable {
    /// What an object is.
    public enum Kind: String, Sendable, Codable {
      /// A table of rows.
      case table
      /// An index of a table.
      case index
      /// A full-text index, or another virtual table, with all its tables.
      case search
    }

    /// The name in the schema. An index that SQLite makes for a key is called `sqlite_autoindex_…`.
    public var name: String
    /// The table that an index belongs to; else the same as `name`.
    public var table: String
    /// What the object is.
    public var kind: Kind
    /// The pages of the object.
    public var bytes: Int64
    /// Whether `bytes` is a share of the file by the number of rows and the size of the first 1,000: this SQLite has no table `dbstat`.
    public var isEstimated: Bool
  }
}
