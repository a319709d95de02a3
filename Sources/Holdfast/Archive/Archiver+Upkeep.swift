import Foundation
import Logging

// What the archive's queue does now and then.
extension Archiver {
  /// Every five seconds: a log to which only other processes write must not grow for ever, and only this process may move it.
  func lookAtLog(_ seen: (commit: Int64, changedAt: Int64) = (0, 0)) {
    queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
      guard let self else { return }
      switch phase {
      case .closed: return
      case .elsewhere: tellReach()
      // A strict store makes no commit that would try again.
      case .beginning where status.problem != nil: attempt { try drain() }
      default: break
      }
      let now = (commit: last.commit, changedAt: DurableFile.changedAt(files.log.path))
      let isLong = DurableFile.size(files.log.path) > LogFollower.bytes(ofFrames: UInt32(CheckpointDoor.frames), hashes.pageBytes)
      if case .following = phase, isLong, now.commit == seen.commit, now.changedAt != seen.changedAt {
        tell { $0.hasLongLog = true }
        askForCheckpoint()
      }
      lookAtLog(now)
    }
  }

  /// Once an hour, merges and removes what is old, and holds the cap for all copies. Commits that come meanwhile end the merging; it goes
  /// on five minutes later.
  func retain() {
    guard case .following = phase, let source, retainedAt.map({ ContinuousClock.now - $0 > .seconds(3_600) }) ?? true else { return }
    retainedAt = .now
    attempt {
      defer {
        // The archive may have grown much since the last snapshot.
        Snapshot.holdCap(files, (try? Snapshot.all(files)) ?? [], options.snapshots, source.texts)
        tellReach()
      }
      let retention = ArchiveRetention(
        folder, options.archive, now: options.now(), storeBytes: files.bytes,
        room: Snapshot.roomForArchive(files, options.snapshots, source.texts))
      let report = try retention.run(
        isCancelled: { self.lag > 1_000 || self.lock.withLock { self.waiting > 0 } }, keepingOpen: segment?.url)
      for note in report.notes { try append(.note(.init(commit: last.commit, time: last.time, text: note))) }
      for problem in report.problems { options.logger.error("archive", metadata: ["retention": "\(problem)"]) }
      if !report.isComplete { retainedAt = .now - .seconds(3_300) }
    }
  }

  /// Tells how far the archive reaches back, by the first base of each generation. Call it when bases came or went.
  func tellReach() {
    guard let bases = try? folder.firstBases() else { return }
    let gaps = bases.filter(\.followsGap).map { ArchiveEvent($0) }
    tell { ($0.oldest, $0.gaps) = (bases.first?.timeMicroseconds, gaps) }
  }

  /// A file that only takes room, until the disk is full.
  var ballast: URL { folder.url.appendingPathComponent("ballast") }
  static let ballastBytes = 4 << 20

  func keepBallast() {
    guard !DurableFile.stands(ballast.path), let free = DurableFile.freeBytes(in: folder.url), free > 16 * Int64(Self.ballastBytes) else {
      return
    }
    try? DurableFile.write(Data(count: Self.ballastBytes), to: ballast)
  }
}
