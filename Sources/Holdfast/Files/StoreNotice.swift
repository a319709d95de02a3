public import Foundation

/// A problem that opening a store found beside the store's file and repaired, for people and for logs. Nothing was deleted: `kept` is the
/// folder with the old files. Opening read-only reports the problem and changes nothing.
public struct StoreNotice: Sendable, Codable, Equatable {
  /// The kinds of problems.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A log without its database. The log was moved to the quarantine.
    case logWithoutFile = "log_without_file"
    /// A log of another database, or of an earlier time, which would have overwritten the file's content. It was moved to the quarantine.
    case foreignLog = "foreign_log"
    /// A log with a damaged part. SQLite reads the log up to the damage; a copy of the whole log is in the quarantine. The last commit
    /// after the damage may never have been acknowledged.
    case brokenLog = "broken_log"
    /// The archive beside the store was of another store. It was moved to the quarantine.
    case foreignArchive = "foreign_archive"
    /// There was no file, but there are snapshots of one. A new store was made.
    case snapshotsWithoutFile = "snapshots_without_file"
    /// An interrupted restore was finished. The replaced files are in the quarantine.
    case finishedRestore = "finished_restore"
    /// A restore was interrupted, and its new file is damaged. The store is as before the restore.
    case abandonedRestore = "abandoned_restore"
    /// The file has other names (hard links), and the newest commits may be in a log beside another name. Such a store is opened read-only
    /// or not at all.
    case severalNames = "several_names"
    /// A full-text index or a trigger that a schema declares was missing, different or unreadable; or an index, a trigger or a view that a
    /// migration created was missing. It was made again, and a full-text index was filled. Changes of rows while a trigger was missing have
    /// raised no revision.
    case declarationsMadeAgain = "declarations_made_again"
  }

  /// The kind, to switch on.
  public var kind: Kind
  /// One sentence for people.
  public var message: String
  /// The folder in the quarantine; nil when nothing was kept, and when the store was opened read-only.
  public var kept: URL?
  /// For a broken log: the greatest possible number of commits after the damage. 0 for the other kinds.
  public var commitsBehindDamage: Int

  init(_ kind: Kind, _ message: String, kept: URL? = nil, commitsBehindDamage: Int = 0) {
    self.kind = kind
    self.message = message
    self.kept = kept
    self.commitsBehindDamage = commitsBehindDamage
  }
}
