import Foundation
import Logging

// What the archive's queue does now and then.
extension Archiver {
  /// Every two seconds: other processes ask for labels, and make the log long, which only this process may move.
  func lookAtLog(_ seen: (commit: Int64, changedAt: Int64) = (0, 0)) {
    queue.asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      guard let self else { return }
      switch phase {
      case .closed: return
      case .elsewhere: tellReach()
      // A strict store makes no commit that would try again.
      case .beginning where status.problem != nil:
        makeRoom()
        attempt { try drain() }
      case .needsBase where status.needsBase:
        makeRoom()
        askWriter()
      default: break
      }
      let now = (commit: last.commit, changedAt: DurableFile.changedAt(files.log.path))
      let isLong = DurableFile.size(files.log.path) > LogFile.bytes(ofFrames: UInt32(CheckpointDoor.frames), hashes.pageBytes)
      if case .following = phase, isLong, now.commit == seen.commit, now.changedAt != seen.changedAt {
        tell { $0.hasLongLog = true }
      }
      if status.hasLongLog || !folder.requests().isEmpty { askWriter() }
      lookAtLog(now)
    }
  }

  /// After opening, and then once an hour after a commit, merges and removes what is old, and holds the cap for all copies. Gives way to a
  /// call that waits for the archive, and to many commits; it goes on after a commit, at least ten seconds later, then twenty, and so on.
  func retain() {
    guard case .following = phase, let source, ContinuousClock.now >= retainsAt, StoreHealth(files).damage == nil else { return }
    retainsAt = .now + .seconds(3_600)
    // A checkpoint that need not be does not wait for this.
    tell { $0.isRetaining = true }
    attempt {
      defer {
        tell { $0.isRetaining = false }
        // The archive may have grown much since the last snapshot.
        Snapshot.holdCap(files, (try? Snapshot.all(files)) ?? [], options, source.texts)
        tellReach()
      }
      // Without a file for it, the time of this process counts.
      try? readClock()
      let report = try retention(source).run(
        isCancelled: { self.lag > 1_000 || self.lock.withLock { self.waiting > 0 } }, keepingOpen: segment?.url)
      if !report.isComplete { retainsAt = .now + .seconds(pauseBeforeRetaining) }
      pauseBeforeRetaining = report.isComplete ? 10 : min(pauseBeforeRetaining * 2, 3_600)
      notes += report.notes
      for note in notes { try append(.note(.init(commit: last.commit, time: last.time, text: note))) }
      notes = []
      for problem in report.problems { options.logger.error("archive", metadata: ["retention": "\(problem)"]) }
      keepBallast()
    }
  }

  /// On a full disk the oldest parts go also while nothing can be archived.
  private func makeRoom() {
    guard status.problem != nil, status.isDiskFull, folderLock != nil, let source, let report = try? retention(source).makeRoom() else {
      return
    }
    notes += report.notes
    if !report.notes.isEmpty { tellReach() }
  }

  private func retention(_ source: ArchiveSource) -> ArchiveRetention {
    ArchiveRetention(
      folder, options.archive, now: trusted.map { ArchiveTime.date($0.time) } ?? options.now(), storeBytes: files.bytes,
      room: Snapshot.roomForArchive(files, options, source.texts))
  }

  /// Tells how far the archive reaches back, by the first base of each generation. Call it when bases came or went.
  func tellReach() {
    guard let bases = try? folder.firstBases() else { return }
    let gaps = bases.filter(\.followsGap).map { ArchiveEvent($0) }
    tell { ($0.oldest, $0.gaps) = (bases.first?.timeMicroseconds, gaps) }
  }

  private static let ballastBytes = 4 << 20

  func keepBallast() {
    let ballast = folder.ballast
    guard !DurableFile.stands(ballast.path), let free = DurableFile.freeBytes(in: folder.url), free > 16 * Int64(Self.ballastBytes) else {
      return
    }
    try? DurableFile.write(Data(count: Self.ballastBytes), to: ballast)
  }

  func removeOlderGenerations() throws {
    try urgently {
      try checkIsWritten()
      defer { tellReach() }
      for old in try folder.generations() where old.number < generation { try DurableFile.remove(old.url) }
    }
  }
}
