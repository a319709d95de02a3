/// Whether a store keeps every commit, for going back to any moment, and for how long.
public struct ArchiveOptions: Sendable, Equatable {
  /// When a store is archived.
  public enum Mode: String, Sendable {
    /// Always: where there is no archive, one is begun.
    case begins
    /// Where there is an archive, it goes on.
    case continues
    /// Never. Commits made now are missing in an archive: a gap.
    case off
  }

  /// When the store is archived. Default `.continues`. A store in memory has no archive.
  public var mode: Mode = .continues
  /// Whether a commit fails when it cannot be archived. Default false: the commit counts, and `Store.archiveStatus()` tells the problem.
  ///
  /// True: a commit that returned is in the log and will be archived. From the moment a problem is noticed, usually some milliseconds after a
  /// commit, until it has passed, `write` throws `.diskFull` if the disk is full, else `.inputOutput`, and changes nothing. Each such call
  /// lets the archive try again; a copy of the store that could not be made is tried again after at most ten minutes. No commit is refused
  /// while a copy is being made, the first or one after a gap: it is in the copy, or follows it. Nor where another process archives the store:
  /// that process archives the commit, by its own options.
  public var isStrict = false
  /// How far back each single commit can be restored. Default: a day.
  public var keepsCommits: Duration = .seconds(24 * 3_600)
  /// How far back one commit of each minute can be restored. Default: a week.
  public var keepsMinutes: Duration = .seconds(7 * 24 * 3_600)
  /// How far back one commit of each hour can be restored. Default: 30 days.
  public var keepsHours: Duration = .seconds(30 * 24 * 3_600)
  /// How far back one commit of each day can be restored. Default: 365 days. Older commits are removed.
  public var keepsDays: Duration = .seconds(365 * 24 * 3_600)
  /// The size of the archive in bytes from which its oldest part is removed, whatever its age. Default nil: 256 MiB, or twice the store if
  /// that is more. The newest base and what follows it always stay. `SnapshotOptions.maximumBytes` may leave the archive less, and so does a
  /// volume with less free space than `mostLogBytes`. Removes soon after opening, and then once an hour after a commit.
  public var mostBytes: Int64?
  /// The size in bytes that the log may reach while its commits cannot be archived. Then the log is moved into the file without the archive:
  /// a gap. Default 64 MiB. Zero: at the first checkpoint.
  ///
  /// On a full disk the archive first gives back 4 MiB that it holds for this; if that is not enough, the next checkpoint moves the log
  /// without it: a gap. Any other failure waits until the log has this size. With `isStrict` the log always waits, and commits are refused.
  public var mostLogBytes: Int64 = 64 << 20

  /// The defaults.
  public init() {}
}

extension ArchiveOptions {
  /// Whether the store at `files` is archived.
  func isOn(_ files: StoreFiles) -> Bool { mode == .begins || mode == .continues && ArchiveFolder(files).exists }
}
