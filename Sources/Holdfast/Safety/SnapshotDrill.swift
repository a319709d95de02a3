public import Foundation
import Logging

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
  /// Restores a snapshot to a scratch file beside the store, compares its rows by table with the snapshot's, runs the migrations that it
  /// lacks, and checks the scratch file as `Store.check` does. Removes the scratch file. The time of a passed drill is kept beside the
  /// snapshots. The store itself is not touched.
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
    return try Self.drill(files, id, schemas, options, isCancelled)
  }

  /// Drills a snapshot of a store that need not be open.
  public static func drill(
    at url: URL, schemas: [StoreSchema], snapshot id: String? = nil, options: StoreOptions = .production
  ) throws -> SnapshotDrill {
    try drill(StoreFiles(url, snapshots: options.snapshots.folder), id, schemas, options) { Task.isCancelled }
  }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public static func drill(
    at url: URL, schemas: [StoreSchema], snapshot id: String? = nil, options: StoreOptions = .production
  ) async throws -> SnapshotDrill {
    try await offTask { isCancelled in
      try Store.drill(StoreFiles(url, snapshots: options.snapshots.folder), id, schemas, options, isCancelled)
    }
  }

  static func drill(
    _ files: StoreFiles, _ id: String?, _ schemas: [StoreSchema], _ options: StoreOptions, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> SnapshotDrill {
    func goOn() throws {
      if isCancelled() { throw StoreError(.cancelled, "the drill of a snapshot of \(files.path) was cancelled") }
    }
    var scratch: URL?
    do {
      guard let id = try id ?? Snapshot.toRestore(files)?.id else { throw StoreError(.notFound, "\(files.path) has no snapshot") }
      let chosen = try Snapshot.verified(id, files, options)
      try goOn()
      let needed = chosen.bytes.multipliedReportingOverflow(by: 2)
      try DurableFile.checkFreeSpace(needed.overflow ? .max : needed.partialValue, in: files.parent, for: "a drill of \(files.path)")
      let folder = try WorkingFolder(beside: files.url, "drilling")
      let restored = folder.file("restored.sqlite")
      scratch = restored
      try DurableFile.copy(chosen.file(files), to: restored)
      try goOn()
      guard try rowCounts(ConnectionFactory(restored.path, options).working().texts) == chosen.rows else {
        throw StoreError(.verificationFailed, "restored to a scratch file, the snapshot \(id) has other rows than when it was made")
      }
      try migrate(restored, "the snapshot \(id)", schemas, options)
      let report = try check(at: restored, schemas: schemas, options: options.forCopy, isCancelled: isCancelled)
      let drill = SnapshotDrill(snapshot: chosen, report: report, endedAt: DateCodec.rounded(options.now()))
      if drill.hasPassed { try SnapshotTimes.change(files) { $0.drilledAt = drill.endedAt } }
      options.logger.info("drilled", metadata: ["snapshot": "\(id)", "findings": "\(report.findings.count)"])
      return drill
    } catch {
      throw StoreError(error, path: files.path).naming(files.url, insteadOf: scratch)
    }
  }
}
