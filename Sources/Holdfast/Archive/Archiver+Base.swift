import Foundation

// How the archive's queue makes the base of a generation.
extension Archiver {
  /// Begins in the background, before the first commit. Calls `askWriter` on the archive's queue when a base waits for a checkpoint.
  ///
  /// Without a log, the file alone is the state at opening. This store moves no commit into the file before the work here has ended. So a
  /// base that is due at opening, the first or one after a gap, has the state at opening, and commits that are made meanwhile follow it.
  /// Where there is a log, or another program has written to the file, the base waits for a checkpoint, and holds the commits until then.
  func begin(_ askWriter: @escaping @Sendable () -> Void) {
    let (file, time) = (StoreFiles.State(files, withoutLog: true), ArchiveTime.microseconds(options.now()))
    // After the look at the file: if the log was moved and cut in between, the file has changed.
    let isWhole = !files.hasLog
    queue.async {
      self.askWriter = askWriter
      self.opened = isWhole ? (file: file, time: time) : nil
      self.resume()
      if case .needsBase(let reason) = self.phase, self.opened?.file == StoreFiles.State(self.files, withoutLog: true) {
        self.beginBase(reason)
      }
      self.opened = nil
      self.tell { $0.isBusy = false }
      self.lookAtLog()
    }
  }

  func askForBase() {
    queue.asyncAfter(deadline: .now() + .seconds(pauseBeforeBase)) { [weak self] in
      guard let self, case .needsBase = phase else { return }
      tell { $0.needsBase = true }
      askWriter()
    }
  }

  /// Copies the file. It must have every commit, or with `opened` those before the opening.
  func beginBase(_ reason: String) {
    attempt {
      if folderLock == nil { try takeFolder() }
      let source = try source ?? ArchiveSource(files, options)
      self.source = source
      // Not at the read transaction of before the checkpoint: the log may be cut while the file is copied.
      guard source.pinAnew() else {
        throw StoreError(.busy, "no read transaction could be begun on \(files.path)", recoveryOptions: [.retry])
      }
      let pageBytes = try source.pageBytes()
      let follower = LogFollower(files, pageBytes: pageBytes, options.key)
      if opened == nil {
        let log = try source.logIndex()
        // Another process has committed between the checkpoint and the read transaction. The next checkpoint tries again.
        guard log.moved == log.frames else { return }
        if log.frames > 0, let header = try follower.presentHeader(), header.salts == log.salts {
          try follower.goOn(header, after: log.frames)
        }
      }
      (self.follower, phase, mayBeginAnew, hasAnySalts) = (follower, .copying, true, true)
      // The commits that were noted follow the base. No commit waits for this queue now, so it copies at once.
      if opened != nil { return try copyBase(reason, pageBytes) }
      lock.withLock { noted.removeAll() }
      queue.async { self.attempt { try self.copyBase(reason, pageBytes) } }
    }
  }

  func copyBase(_ reason: String, _ pageBytes: Int) throws {
    guard phase == .copying else { return }
    do {
      let isFirst = reason == ArchiveBase.first
      let place = follower?.place ?? LogPlace()
      // A folder without a base was left by a killed process.
      var number = (try folder.generations().last { !$0.bases.isEmpty || !$0.segments.isEmpty }?.number ?? 0) + 1
      while DurableFile.isFile(folder.folder(number).path) { number += 1 }
      let clock = opened?.time ?? ArchiveTime.microseconds(options.now())
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
      hashes = try folder.generation(number).make(base, of: files, since: opened?.file)
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
