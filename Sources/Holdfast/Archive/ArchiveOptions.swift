/// Whether a store keeps every commit, for going back to any moment, and for how long.
public struct ArchiveOptions: Sendable, Equatable {
  /// When a store is archived.
  public enum Mode: String, Sendable {
    /// Always: a store without an archive begins one.
    case begins
    /// If the store has an archive: it goes on.
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
  /// For how long each single commit is kept. Default: a day. Zero or less: none are kept for this rule.
  public var keepsEachCommit: Duration = .seconds(24 * 3_600)
  /// For how long one commit a minute is kept. Default: a week. Zero, less, or shorter than the rule before: no effect.
  public var keepsOnePerMinute: Duration = .seconds(7 * 24 * 3_600)
  /// For how long one commit an hour is kept. Default: 30 days. Else as `keepsOnePerMinute`.
  public var keepsOnePerHour: Duration = .seconds(30 * 24 * 3_600)
  /// For how long one commit a day is kept. Default: 365 days. A part of the archive with nothing newer is removed, also where another rule
  /// would keep its commits. Zero or less: only the newest part stays.
  public var keepsOnePerDay: Duration = .seconds(365 * 24 * 3_600)
  /// The size of the archive in bytes from which its oldest part is removed, whatever its age. Default nil: 256 MiB, or twice the store if
  /// that is more. The newest base and what follows it always stay. `SnapshotOptions.maximumBytes` may leave the archive less, and so does a
  /// volume with less free space than `maximumLogBytes`. Removes soon after opening, then once an hour after a commit, and
  /// on a full disk every two seconds. Keeps what another call or process reads, and the part with the newest label.
  public var maximumBytes: Int64?
  /// The size in bytes that the log may reach while its commits cannot be archived. Then the log is moved into the file without the archive:
  /// a gap. Default 64 MiB. Zero: at the first checkpoint.
  ///
  /// On a full disk the archive first gives back 4 MiB that it holds for this; if that is not enough, the next checkpoint moves the log
  /// without it: a gap. Any other failure waits until the log has this size. With `isStrict` the log always waits, and commits are refused.
  public var maximumLogBytes: Int64 = 64 << 20

  /// The defaults.
  public init() {}
}

extension ArchiveOptions {
  func isOn(_ files: StoreFiles) -> Bool { mode == .begins || mode == .continues && ArchiveFolder(files).exists }
}
