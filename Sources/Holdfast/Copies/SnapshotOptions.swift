public import Foundation

/// When a store takes snapshots by itself, where they are, and how many stay.
///
/// Whatever the options, Holdfast takes one before each migration, before each import into a store with rows, and before each restore. A
/// scheduled snapshot of an unchanged store makes no second copy. Scheduled snapshots are made on a thread of their own; they stop no
/// commit, and their errors are logged and in `Store.snapshotStatus()`.
public struct SnapshotOptions: Sendable, Equatable {
  /// Which automatic and scheduled snapshots stay. Those made by hand and the newest without findings always do. Default: the newest five.
  public var policy = SnapshotPolicy()
  /// Takes a snapshot after this many commits of this process. Default nil: never. Values below 1 count as 1.
  public var everyCommits: Int?
  /// Takes a snapshot after opening when the last one is older than this. Default nil: never. Zero: at each opening.
  public var onOpen: Duration?
  /// Takes a snapshot when the store had commits, and then none for this long. Default nil: never.
  public var idle: Duration?
  /// Drills the newest snapshot without findings, and the archive that this process writes, after opening and after each scheduled snapshot,
  /// each when its last passed drill is older than this; see `Store.drill(snapshot:)` and `Store.drillArchive()`. Default nil: only by hand.
  public var drill: Duration?
  /// An existing folder for the snapshots, perhaps on another volume; in it they get the folder `<store's name>.snapshots`. So stores of one
  /// name need folders of their own. Default nil: beside the store. Snapshots in the earlier folder stay there and are not listed.
  public var folder: URL?
  /// Whether the snapshots and the archive are left out of the device's backups (iCloud, Time Machine). Default false. Only on Apple's
  /// systems; without effect elsewhere. Not run on the platforms where Holdfast is tested.
  public var leavesOutOfDeviceBackups = false
  /// The most bytes for all copies of the store together: snapshots, archive, quarantine folder, and copies of imported sources. Default
  /// nil: no limit. Zero: only what never gives way stays. `Store.snapshotStatus()` tells the sizes. Above the limit, copies are removed in
  /// this order:
  ///
  /// 1. Automatic and scheduled snapshots, the oldest first.
  /// 2. The archive's oldest parts, but only when the limit could not hold without all those snapshots. A part is a base with the commits
  ///    up to the next base.
  ///
  /// These never give way, so the copies may take more than the limit: the newest snapshot, the newest without findings, snapshots made by
  /// hand, the archive's newest base with the commits after it, the quarantine, and the copies of sources.
  ///
  /// Snapshots are removed after each new snapshot. Where the archive is written, its work after opening and once an hour removes snapshots
  /// and parts of the archive. Between these times the copies may take more.
  public var maximumBytes: Int64?

  /// Makes the default options: no schedule.
  public init() {}
}
