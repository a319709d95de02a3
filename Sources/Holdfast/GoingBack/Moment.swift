public import Foundation

/// A moment of a store's past, as its archive knows it.
public enum Moment: Sendable, Equatable {
  /// The last commit at or before this time.
  case time(Date)
  /// The commit with the newest label of this text.
  case label(String)
  /// A commit by its number; where commits were merged, the last one at or before it.
  case commit(Int64)
}

/// A commit in an archive.
public struct ArchivedCommit: Sendable, Codable, Equatable {
  /// Commits are numbered from 1; 0 is the store as it was when its archive began.
  public var number: Int64
  /// The time of the commit. Later than the time of every earlier commit, also when the machine's clock was set back.
  public var time: Date
  /// Where the time is not exact, as of another program's commit: the commit was made after this time, and not after `time`. Else nil.
  public var earliest: Date?
  /// The rows that the commit inserted, changed and deleted, as SQLite counts them, with the changes by triggers, cascades and search
  /// indexes. Nil when that is not known, for example of another program's commit, a rewind, and a restore of a snapshot.
  public var rowsChanged: Int?
  /// The tables that the commit's SQL names; of a rewind and a restore of a snapshot all tables. Empty when they are not known.
  public var tables: [String]
  /// The pages of the database after it.
  public var pages: Int
  /// How many commits were merged into this one. 0: none.
  public var merged: Int64
  /// What the machine's clock showed, where that was over a minute before `time`, because an earlier commit was ahead of it. Else nil.
  public var clock: Date?
}

/// An entry of an archive's time line.
public struct ArchiveEvent: Sendable, Codable, Equatable {
  /// The kinds of entries.
  public enum Kind: String, Sendable, Codable {
    /// A commit; `details` describes it.
    case commit
    /// A label, by an app, a person or the kit.
    case label
    /// A remark of the kit, for example that the clock was set, or that the commit before it is a rewind or the restore of a snapshot.
    case note
    /// The beginning of the archive: a copy of the whole store.
    case base
    /// Commits are missing between `gapFrom` and `time`; for damage, after `time`. `text` says why.
    case gap
  }

  /// The kind, to switch on.
  public var kind: Kind
  /// When it happened.
  public var time: Date
  /// The number of the commit that the entry is, or belongs to.
  public var commit: Int64
  /// For people; empty for a commit.
  public var text: String
  /// Nil for everything but a commit.
  public var details: ArchivedCommit?
  /// For a gap: the time of the last commit before it, where there was one.
  public var gapFrom: Date?
}
