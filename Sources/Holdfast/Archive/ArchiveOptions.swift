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
  /// that is more. The newest base and what follows it always stay. `SnapshotOptions.maximumBytes` may leave the archive less.
  public var mostBytes: Int64?
  /// The size in bytes that the log may reach while its commits cannot be archived, for example on a full disk. Then the log is moved into
  /// the file all the same, and the archive has a gap. Default 64 MiB.
  public var mostLogBytes: Int64 = 64 << 20

  /// The defaults.
  public init() {}
}

extension ArchiveOptions {
  /// Whether the store at `files` is archived.
  func isOn(_ files: StoreFiles) -> Bool { mode == .begins || mode == .continues && ArchiveFolder(files).exists }
}
