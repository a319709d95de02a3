public import Foundation

/// What `Store.rewind(to:)` did.
public struct RewindReport: Sendable, Codable, Equatable {
  /// The commit whose state the store has now.
  public var commit: ArchivedCommit
  /// The label of the state before: `rewind(to: .label(undo))` undoes the rewind.
  public var undo: String
}

extension Store {
  /// Brings the whole store back to a moment of its archive, while it is open.
  ///
  /// The state of that moment is built beside the store and verified: the checksum after each commit, SQLite's integrity check, search
  /// indexes; those that differ from their text are first made again. Rows that point at rows that are gone come back as they were;
  /// `rewindPlan(to:)` tells them. Migrations that it lacks run on that copy. Then it replaces the store's content in one transaction, so
  /// readers in this and other processes see the old state or the new one, and every live update is read again. The replaced state stays in
  /// the archive under a label; no commit can come between the two. In a store that is connected to a space for sync, the differences are
  /// new edits, which the other devices get.
  ///
  /// Needs free space for two copies beside the store.
  /// - Throws: `.notFound` when the store is not archived, or the archive does not reach back so far; `.busy`, before anything is built, when
  ///   another process writes the archive or it cannot be written at the moment; `.damaged` with the last commit before the damage;
  ///   `.verificationFailed`, `.newerSchema`, `.readOnly`, `.diskFull`, `.inputOutput`, `.closed`; `.misuse` for a store in memory, inside
  ///   the closure of another call on this store, and for a connected store that was opened without one of its schemas. The store is then
  ///   unchanged.
  @discardableResult
  public func rewind(to moment: Moment) throws -> RewindReport {
    let archiver = try writtenArchive()
    let undo = "before rewinding at \(DateCodec.iso8601(DateCodec.milliseconds(options.now()) ?? 0, fraction: true))"
    let commit = try replace { _, file in
      let commit = try archive().built(moment, at: file)
      return (commit, "rewound to commit \(commit.number)", "commit \(commit.number) of the archive")
    } keep: { _ in
      try archiver.label(undo)
    }.result
    return RewindReport(commit: commit, undo: undo)
  }

  /// The same without blocking the caller. A rewind that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func rewind(to moment: Moment) async throws -> RewindReport { try await offTask { _ in try self.rewind(to: moment) } }

  /// Brings a store that is not open back to a moment of its archive, also one that cannot be opened any more.
  ///
  /// The old files are kept, an interrupted rewind is finished, and a damaged store that syncs recovers, as `restore(at:snapshot:options:)`
  /// says. The archive goes on with a new base, since it cannot know what the old file held: a gap in its history, which names the rewind.
  /// Returns where the old files are; nil when there was none.
  /// - Throws: as `rewind(to:)`; `.busy` when another process has the file open; `.misuse` for a store that is connected and not damaged:
  ///   open it, and rewind it there.
  @discardableResult
  public static func rewind(
    at url: URL, to moment: Moment, options: StoreOptions = .production
  ) throws -> (commit: ArchivedCommit, kept: URL?) {
    let (commit, kept) = try replace(url, options) { files, file in
      let commit = try Archive(of: url, options: options).built(moment, at: file)
      return (commit, "rewound to commit \(commit.number)")
    }
    return (commit, kept)
  }

  /// The same without blocking the caller. A rewind that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public static func rewind(
    at url: URL, to moment: Moment, options: StoreOptions = .production
  ) async throws -> (commit: ArchivedCommit, kept: URL?) {
    try await offTask { _ in try Store.rewind(at: url, to: moment, options: options) }
  }
}
