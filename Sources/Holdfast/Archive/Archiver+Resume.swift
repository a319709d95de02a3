import Foundation
import Logging

// How the archive's queue takes up an archive that is there.
extension Archiver {
  /// Takes the lock of the one process that archives.
  func takeFolder() throws {
    folderLock = try FolderLock(folder.url, busy: files.archivedElsewhere)
    do {
      try files.leaveOutOfBackups(folder.url, options)
    } catch {
      options.logger.error("archive", metadata: ["backups": "\(error)"])
    }
  }

  /// Reads where the archive ends, and compares that with the store.
  func resume() {
    attempt {
      if folderLock == nil {
        do {
          try takeFolder()
        } catch let error as StoreError where error.code == .busy {
          if phase != .elsewhere { tellReach() }
          phase = .elsewhere
          return lock.withLock { noted.removeAll() }
        }
      }
      guard ContinuousClock.now >= resumesAt else {
        throw StoreError(status.isDiskFull ? .diskFull : .inputOutput, status.problem ?? "the archive could not be read")
      }
      resumesAt = .now + max(.seconds(1), readingTook * 2)
      phase = .beginning
      tell { $0.isBusy = true }
      defer { tell { $0.isBusy = opened != nil } }
      let source = try source ?? ArchiveSource(files, options)
      self.source = source
      source.pin()
      // What was archived here may come back.
      if generation > 0, DurableFile.isFile(folder.folder(generation).path) {
        throw StoreError(.inputOutput, "\(folder.folder(generation).path) is not a folder any more")
      }
      let generations = try folder.generations()
      for url in [folder.url] + generations.map(\.url) { WorkingFolder.removeAbandoned(in: url) }
      tellReach()
      guard let newest = generations.last(where: { !$0.bases.isEmpty }) else {
        let isNew = generations.allSatisfy { $0.segments.isEmpty }
        phase = .needsBase(reason: isNew ? ArchiveBase.first : ArchiveGap.baseMissing.rawValue)
        return
      }
      if let suspect { try SegmentReader.writeAnew(suspect, options.key.map(RecordSeal.init)) }
      suspect = nil
      var end = try ArchiveEnd(newest)
      last = (end.commit, end.time)
      trustClock(of: end.wallTime)
      tell { ($0.newest, $0.commits) = (end.time, end.commit) }
      generation = newest.number
      let follower = LogFollower(files, pageBytes: end.pageBytes, options.key)
      let begun = ContinuousClock.now
      (hashes, mayBeginAnew) = try source.hashes(end, follower)
      readingTook = .now - begun
      try end.cutDamage()
      (marks, self.follower, phase, hasAnySalts) = (end.marks, follower, .following, false)
      resumesAt = .now
    }
  }
}
