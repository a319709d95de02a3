public import Foundation

/// The result of restoring a snapshot to a scratch file.
public struct SnapshotDrill: Sendable, Equatable {
  /// The snapshot.
  public let snapshot: Snapshot
  /// The findings of the whole check in the restored and migrated scratch file.
  public let report: IntegrityReport
  /// The end of the drill, by the store's clock.
  public let endedAt: Date
  /// Whether the check had no findings.
  public var hasPassed: Bool { report.isHealthy }
}

extension Store {
  /// Restores a snapshot to a scratch file beside the store, compares its rows by table with the snapshot's, makes search indexes again that
  /// differ from their text, as a restore does, runs the migrations that it lacks, and checks the scratch file as `Store.check` does. Removes
  /// the scratch file. The time of a passed drill is kept beside the snapshots. The store itself is not touched.
  ///
  /// - Parameter id: the snapshot. Default nil: the newest one without findings, or else the newest.
  /// - Throws: `.notFound`; `.verificationFailed` when the snapshot has changed since it was made; `.newerSchema`, `.diskFull`, `.cancelled`
  ///   and the other errors of a restore; `.misuse` for a store in memory. Findings are no error: see `hasPassed`.
  public func drill(snapshot id: String? = nil) throws -> SnapshotDrill { try drill(id) { Task.isCancelled } }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public func drill(snapshot id: String? = nil) async throws -> SnapshotDrill {
    try await offTask { isCancelled in try self.drill(id, isCancelled) }
  }

  private func drill(_ id: String?, _ isCancelled: @escaping @Sendable () -> Bool) throws -> SnapshotDrill {
    guard let files else { throw StoreError(.misuse, "a store in memory has no snapshots") }
    return try Drill(files: files, schemas: schemas, options: options, isCancelled: isCancelled).snapshot(id)
  }

  /// Drills a snapshot of a store that need not be open.
  public static func drill(
    at url: URL, schemas: [StoreSchema], snapshot id: String? = nil, options: StoreOptions = .production
  ) throws -> SnapshotDrill {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    return try Drill(files: files, schemas: schemas, options: options) { Task.isCancelled }.snapshot(id)
  }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public static func drill(
    at url: URL, schemas: [StoreSchema], snapshot id: String? = nil, options: StoreOptions = .production
  ) async throws -> SnapshotDrill {
    try await offTask { isCancelled in
      let files = try StoreFiles(url, snapshots: options.snapshots.folder)
      return try Drill(files: files, schemas: schemas, options: options, isCancelled: isCancelled).snapshot(id)
    }
  }
}

extension Drill {
  /// Drills this snapshot; nil: the one that a restore should choose.
  func snapshot(_ id: String?) throws -> SnapshotDrill {
    let drilled = try run { file -> (source: Snapshot, name: String) in
      guard let wanted = try id ?? Snapshot.toRestore(files)?.id else { throw StoreError(.notFound, "\(files.path) has no snapshot") }
      let chosen = try Snapshot.verified(wanted, files, options)
      try goOn()
      let needed = chosen.bytes.multipliedReportingOverflow(by: 2)
      try DurableFile.checkFreeSpace(needed.overflow ? .max : needed.partialValue, in: files.parent, for: "a drill of \(files.path)")
      try DurableFile.copy(chosen.file(files), to: file)
      try goOn()
      guard try rowCounts(ConnectionFactory(file.path, options).working().texts) == chosen.rows else {
        throw StoreError(.verificationFailed, "restored to a scratch file, the snapshot \(wanted) has other rows than when it was made")
      }
      try ConnectionFactory(file.path, options).working().remakeSearchIndexes()
      return (chosen, "the snapshot \(wanted)")
    } passed: { time in
      try SnapshotTimes.change(files) { $0.drilledAt = time }
    }
    return SnapshotDrill(snapshot: drilled.source, report: drilled.report, endedAt: drilled.endedAt)
  }
}
