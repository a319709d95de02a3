public import Foundation

/// The result of restoring the newest state of an archive to a scratch file.
public struct ArchiveDrill: Sendable, Equatable {
  /// The newest commit of the archive.
  public let commit: ArchivedCommit
  /// The findings of the whole check in the restored and migrated scratch file.
  public let report: IntegrityReport
  /// The end of the drill, by the store's clock.
  public let endedAt: Date
  /// Whether the check had no findings.
  public var hasPassed: Bool { report.isHealthy }
}

extension Store {
  /// Restores the newest state of the archive to a scratch file beside the store, compares the checksum after each commit, runs the migrations
  /// that the file lacks, and checks it as `Store.check` does. Removes the scratch file. The time of a passed drill is kept in the archive's
  /// folder; `archiveStatus()` tells it. The store itself is not touched.
  ///
  /// Reads the newest sound base and everything after it; `Archive.verify()` reads the whole archive. Needs free space for two copies of the store.
  /// - Throws: `.notFound` when the store has no archive; `.damaged` when a part of the archive is damaged or missing; `.newerSchema`,
  ///   `.diskFull`, `.cancelled` and the other errors of a restore; `.misuse` in memory; `.closed`. Findings are no error: see `hasPassed`.
  public func drillArchive() throws -> ArchiveDrill { try drillArchive { Task.isCancelled } }

  /// The same without blocking the caller. Throws `.cancelled` when the task is cancelled.
  public func drillArchive() async throws -> ArchiveDrill {
    try await offTask { isCancelled in try self.drillArchive(isCancelled) }
  }

  private func drillArchive(_ isCancelled: @escaping @Sendable () -> Bool) throws -> ArchiveDrill {
    try OpenDoor.check(self)
    let archive = try archive()
    return try Drill(files: archive.files, schemas: schemas, options: options, isCancelled: isCancelled).archive(archive, archiver)
  }
}

extension Drill {
  /// - Parameter archiver: nil where the store is not archived now.
  func archive(_ archive: Archive, _ archiver: Archiver?) throws -> ArchiveDrill {
    let archived = archiver?.status.commits ?? 0
    let drilled = try run { file -> (source: ArchivedCommit, name: String) in
      try files.checkFreeSpace(for: "a drill")
      let commit: ArchivedCommit
      do {
        // The check of the scratch file finds again what `build` finds.
        commit = try archive.build(.time(.distantFuture), at: file, check: goOn).commit
      } catch var error as StoreError where error.code == .damaged {
        error.suggestion = archive.remedy
        throw error
      }
      // A reader takes a damaged last record for one that a kill has cut off.
      guard commit.number >= archived else {
        throw StoreError(
          .damaged, "the archive of \(files.path) is damaged after commit \(commit.number); it had commit \(archived)",
          suggestion: "Close the store and open it again: the archive then goes on with a new copy.")
      }
      return (commit, "commit \(commit.number) of the archive")
    } passed: { time in
      try ArchiveFolder(files).notePassedDrill(at: time)
      archiver?.tell { _ in }
    }
    return ArchiveDrill(commit: drilled.source, report: drilled.report, endedAt: drilled.endedAt)
  }
}
