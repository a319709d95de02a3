public import Foundation

/// Something that opening a store found beside it and set right, for people and for logs. Nothing was deleted: `kept` says where it is.
/// Opening read-only leaves it as it is.
public struct StoreNotice: Sendable, Codable, Equatable {
  /// What was found.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// A log whose database is gone. It was moved to the quarantine.
    case logWithoutFile = "log_without_file"
    /// A log of another database, or of an earlier time, which would have overwritten what the file holds. It was moved to the
    /// quarantine.
    case foreignLog = "foreign_log"
    /// A log with a damaged part. SQLite reads it up to there; a copy of the whole log is in the quarantine. The last of the commits
    /// behind the damage may never have been acknowledged.
    case brokenLog = "broken_log"
    /// There was no file, and there are snapshots of one. A new store was made.
    case snapshotsWithoutFile = "snapshots_without_file"
    /// A restore that was interrupted was brought to its end. The replaced files are in the quarantine.
    case finishedRestore = "finished_restore"
    /// A restore was interrupted, and the file that it would have put in the store's place is damaged. The store is as before.
    case abandonedRestore = "abandoned_restore"
    /// Something that a schema declares was not there as declared: a full-text index, a trigger that raises revisions. It was made, and the
    /// index filled. Where it had been there before and was gone, changes of rows that were made meanwhile have raised no revision.
    case declarationsMadeAgain = "declarations_made_again"
  }

  /// To switch on.
  public var kind: Kind
  /// A sentence.
  public var message: String
  /// The folder in the quarantine; nil where nothing was kept, and where the store was opened read-only.
  public var kept: URL?
  /// Of a broken log: how many commits stand behind the damage, at most. 0 for the other kinds.
  public var commitsBehindDamage: Int

  init(_ kind: Kind, _ message: String, kept: URL? = nil, commitsBehindDamage: Int = 0) {
    self.kind = kind
    self.message = message
    self.kept = kept
    self.commitsBehindDamage = commitsBehindDamage
  }
}
