public import Foundation
internal import GRDB

/// The snapshots of a store in numbers, and the bytes of all its copies.
public struct SnapshotStatus: Sendable, Equatable {
  /// The number of snapshots.
  public var count = 0
  /// The newest snapshot; nil when there is none.
  public var newest: Snapshot?
  /// The newest snapshot without findings; it is never removed. Nil when there is none.
  public var newestSound: Snapshot?
  /// When a drill of a snapshot passed last, in any process; nil when none did.
  public var lastDrill: Date?
  /// The error of the last scheduled snapshot or drill of this open store, for people; nil when it succeeded, or none was due yet.
  public var lastError: String?
  /// The bytes of the snapshots.
  public var bytes: Int64 = 0
  /// The bytes of the archive.
  public var archiveBytes: Int64 = 0
  /// The bytes of the quarantine folder.
  public var quarantineBytes: Int64 = 0
  /// The bytes of the copies of imported sources.
  public var sourceBytes: Int64 = 0

  /// The bytes of all copies together, which `SnapshotOptions.maximumBytes` limits.
  public var totalBytes: Int64 { bytes + archiveBytes + quarantineBytes + sourceBytes }
}

extension Store {
  /// The state of this store's snapshots. Empty for a store in memory.
  ///
  /// - Throws: the errors of `snapshots()`; `.closed`.
  public func snapshotStatus() throws -> SnapshotStatus {
    guard let files else { return SnapshotStatus() }
    let all = try snapshots()
    let copies = try inspect { db in CopyBytes(files, db.texts) }
    return SnapshotStatus(
      count: all.count, newest: all.first, newestSound: all.first { $0.isSound(files) }, lastDrill: SnapshotTimes(files).drilledAt,
      lastError: schedule?.lastError?.message, bytes: copies.snapshots, archiveBytes: copies.archive, quarantineBytes: copies.quarantine,
      sourceBytes: copies.sources)
  }
}

extension Snapshot {
  /// When a drill of a snapshot of the store at `url` passed last; nil when none did.
  ///
  /// - Parameter folder: `SnapshotOptions.folder`.
  public static func lastDrill(of url: URL, in folder: URL? = nil) throws -> Date? {
    SnapshotTimes(try StoreFiles(url, snapshots: folder)).drilledAt
  }
}

/// What no snapshot holds: the file `state` beside the snapshots. Without the file, snapshots and drills are due earlier.
struct SnapshotTimes: StateFile {
  var drilledAt: Date?
  /// The ids of the snapshots that were made after one with a later time, the last one first: the clock was set back. Nil when there are none.
  var lastMade: [String]?
  /// When a scheduled snapshot was made last, or the newest one found to equal the store.
  var lookedAt: Date?

  // Not `.json`: that is a snapshot's description.
  static func file(_ files: StoreFiles) -> URL { files.snapshots.appendingPathComponent("state") }
}
