import Foundation

// How the archive's queue makes the base of a generation.
extension Archiver {
  func askForBase() {
    queue.asyncAfter(deadline: .now() + .seconds(pauseBeforeBase)) { [weak self] in
      guard let self, case .needsBase = phase else { return }
      tell { $0.needsBase = true }
      askForCheckpoint()
    }
  }

  /// The log is empty of commits that the file lacks: copies the file.
  func beginBase(_ reason: String, logFrames: UInt32) {
    attempt {
      if folderLock == nil { try takeFolder() }
      let source = try source ?? ArchiveSource(files, options)
      self.source = source
      try source.pinned()
      let pageBytes = try source.pageBytes()
      let follower = LogFollower(files, pageBytes: pageBytes)
      if let header = try follower.presentHeader(), logFrames > 0 {
        try follower.goOn(header, after: logFrames)
        // Another process has committed since the checkpoint. The next one tries again.
        guard try follower.commitsBehind(atMost: 1) == 0 else { return }
      } else {
        follower.begin(nil)
      }
      // The log may be cut while the file is copied.
      (self.follower, phase, mayBeginAnew, hasAnySalts) = (follower, .copying, true, true)
      lock.withLock { noted.removeAll() }
      queue.async { self.attempt { try self.copyBase(reason, pageBytes) } }
    }
  }

  func copyBase(_ reason: String, _ pageBytes: Int) throws {
    guard phase == .copying else { return }
    do {
      let isFirst = reason == ArchiveBase.first
      let place = follower?.place ?? ArchiveRecord.LogPlace()
      // A folder without a base was left by a killed process.
      let number = (try folder.generations().last { !$0.bases.isEmpty || !$0.segments.isEmpty }?.number ?? 0) + 1
      let clock = ArchiveTime.microseconds(options.now())
      let now = max(clock, last.time + 1)
      // Behind damage there are commits whose numbers cannot be read. A number never names two commits.
      let isKnown = try reason != ArchiveGap.archiveDamaged.rawValue && (last.commit > 0 || last.time > 0) && folder.ends(with: last.commit)
      let commit = try isFirst ? 0 : isKnown ? last.commit + 1 : folder.numberBehindAll()
      let base = ArchiveBase(
        commit: commit, timeMicroseconds: now, pageBytes: pageBytes, reason: reason, gapFrom: isFirst || last.time == 0 ? nil : last.time,
        logSalts: place.salts, logFrames: place.frames)
      // Before the base has the clock's time: the file tells the next opening that this clock is not trusted.
      if trusted == nil { trustClock(of: isFirst ? clock : (try? folder.firstBases())?.last?.timeMicroseconds ?? 0) }
      lastClock = clock
      try readClock(beforeBase: true)
      hashes = try folder.generation(number).make(base, of: files)
      (generation, last, pauseBeforeBase, phase, marks) = (number, (commit, now), 0, .following, Data())
      keepBallast()
      tell { ($0.newest, $0.commits) = (now, commit) }
      tellReach()
    } catch {
      pauseBeforeBase = min(max(1, pauseBeforeBase * 2), 600)
      phase = .needsBase(reason: reason)
      throw error
    }
    try drain()
  }
}
