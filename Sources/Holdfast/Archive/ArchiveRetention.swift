import Foundation

/// Keeps an archive small: merges old commits, removes what is too old or too much, and makes new bases. Format: Documentation/ArchiveFormat.md
///
/// Nothing is removed before what is left was proven: see `SegmentMerge` for commits; a base goes only when the next one is sound. Stopped
/// anywhere, the archive can be read, and the next run removes what is left over. Run it where the archive is written, under its lock.
struct ArchiveRetention {
  struct Report: Equatable, Sendable {
    var merged = 0
    /// What was removed, and why. For the archive's time line.
    var notes: [String] = []
    /// What could not be done. Nothing was removed for it.
    var problems: [String] = []
    /// False when it was cancelled.
    var isComplete = true
  }

  private let folder: ArchiveFolder
  private let options: ArchiveOptions
  private let now: Int64
  private let storeBytes: Int64
  /// The size in bytes from which the oldest part is removed.
  private let cap: Int64
  /// A base follows no fewer bytes of segments: a sixteenth of the cap, at most 16 MiB. The cap removes only what is before a base.
  var leastBeforeBase: Int64
  /// For tests: called before each change of a file in the archive.
  var willChange: (URL) throws -> Void = { _ in }

  /// `room`: the bytes that the cap for all copies leaves to the archive; see `Snapshot.roomForArchive`. `freeBytes`: nil asks the system.
  init(
    _ folder: ArchiveFolder, _ options: ArchiveOptions, now: Date, storeBytes: Int64, room: Int64? = nil, freeBytes: Int64? = nil
  ) {
    (self.folder, self.options, self.now, self.storeBytes) = (folder, options, ArchiveTime.microseconds(now), storeBytes)
    let own = options.maximumBytes ?? max(256 << 20, storeBytes > .max / 2 ? .max : storeBytes * 2)
    let most = min(own, room ?? .max)
    leastBeforeBase = min(16 << 20, most / 16)
    // Where the disk is short, the store's log needs the room more than old commits do.
    let free = freeBytes ?? DurableFile.freeBytes(in: folder.url) ?? .max
    cap = free >= options.maximumLogBytes ? most : min(most, max(0, folder.bytes() - (options.maximumLogBytes - free)))
  }

  /// Does all that is due, and never touches `open`, the segment that is being written. Asks often whether it is cancelled.
  func run(isCancelled: () -> Bool, keepingOpen open: URL?) throws -> Report {
    var report = Report()
    func check() throws { if isCancelled() { throw CancellationError() } }
    do {
      try cleanUp()
      try removeOldest(&report, check, "they were older than \(Int(options.keepsOnePerDay.inSeconds / 86_400)) days") { try isTooOld($0) }
      try merge(&report, check, open)
      try removeTooMuch(&report, check)
      try makeBase(&report, check)
      try removeTooMuch(&report, check)
    } catch is CancellationError {
      report.isComplete = false
    }
    return report
  }

  /// Only removes what is too much: for a full disk.
  func makeRoom() throws -> Report {
    var report = Report()
    try cleanUp()
    try removeTooMuch(&report, {})
    return report
  }

  // MARK: Merging

  private func merge(_ report: inout Report, _ check: () throws -> Void, _ open: URL?) throws {
    let generations = try folder.generations()
    let newest = generations.last { !$0.bases.isEmpty }?.number
    for generation in generations {
      for group in try groups(generation, isNewest: generation.number == newest, open) {
        try check()
        do {
          // The groups before have changed the list of segments.
          let merge = try SegmentMerge(folder.generation(generation.number), group, period: period)
          guard merge.isWorthwhile else { continue }
          try merge.run(check: check, willChange: willChange)
          report.merged += merge.commits - merge.kept.count
        } catch let error as StoreError {
          report.problems.append(error.message)
        }
      }
    }
  }

  /// The segments that may be merged: finished, between two bases, and older than single commits are kept.
  private func groups(_ generation: ArchiveFolder.Generation, isNewest: Bool, _ open: URL?) throws -> [[Int64]] {
    var groups: [[Int64]] = []
    var (interval, bytes): (Int64?, Int64) = (nil, 0)
    for first in generation.segments {
      let (next, url) = (generation.segments.first { $0 > first }, generation.segment(first))
      // The archiver may go on with the last segment of the newest generation.
      guard next != nil || !isNewest, url.path != open?.path else { continue }
      guard let base = generation.bases.last(where: { $0 < first }) else { continue }
      guard let time = try SegmentReader.firstTime(generation.segment(next ?? first), generation.seal), period(time) != nil else { break }
      let size = DurableFile.size(url.path)
      if groups.isEmpty || base != interval || bytes + size > 32 << 20 {
        groups.append([])
        (interval, bytes) = (base, 0)
      }
      groups[groups.count - 1].append(first)
      bytes += size
    }
    return groups
  }

  /// The minute, hour or day that a time is in; nil where each commit stays.
  private func period(_ time: Int64) -> Range<Int64>? {
    if !isOlder(time, than: options.keepsEachCommit) { return nil }
    let seconds: Int64 =
      !isOlder(time, than: options.keepsOnePerMinute) ? 60 : !isOlder(time, than: options.keepsOnePerHour) ? 3_600 : 86_400
    let start = time - time % (seconds * 1_000_000)
    return start..<start + seconds * 1_000_000
  }

  private func isOlder(_ time: Int64, than age: Duration) -> Bool { Double(now) - Double(time) > age.inSeconds * 1e6 }

  // MARK: Bases

  /// Makes a base when the segments since the newest one are long; in a full archive so that the cap removes only the older part before it.
  private func makeBase(_ report: inout Report, _ check: () throws -> Void) throws {
    guard let generation = try folder.generations().last(where: { !$0.bases.isEmpty }), let newest = generation.bases.last else { return }
    let since = generation.segments.filter { $0 > newest }
    let sizes = since.map { DurableFile.size(generation.segment($0).path) }
    let (bytes, baseBytes) = (sizes.reduce(0, +), DurableFile.size(generation.base(newest).path))
    guard bytes > max(leastBeforeBase, baseBytes / 2), since.count > 1 else { return }
    // The last commit of each segment but the last, and the bytes behind it.
    var (behind, ends): (Int64, [(commit: Int64, behind: Int64)]) = (0, [])
    for (first, size) in zip(since, sizes).dropFirst().reversed() {
      behind += size
      ends.insert((first - 1, behind), at: 0)
    }
    let fits = baseBytes + bytes + storeBytes <= cap
    guard fits || baseBytes + bytes > cap, let last = ends.last?.commit else { return }
    let commit = fits ? last : ends.first { storeBytes + $0.behind <= cap / 4 * 3 }?.commit ?? last
    guard commit > newest else { return }
    do {
      try makeBase(generation, commit, check)
    } catch let error as StoreError {
      report.problems.append(error.message)
    }
  }

  /// Builds the base from the one before it and the records, reads it again, and gives it its name.
  private func makeBase(_ generation: ArchiveFolder.Generation, _ commit: Int64, _ check: () throws -> Void) throws {
    let walk = try ArchiveWalk(generation, before: commit)
    let size = max(storeBytes, DurableFile.size(generation.base(walk.base.commit).path))
    try DurableFile.checkFreeSpace(size, in: generation.url, for: "a base of the archive")
    let working = try WorkingFolder(in: generation.url, "building")
    let file = working.file("base.sqlite")
    let replay = try ArchiveReplay(walk, at: file)
    try replay.advance(walk, to: commit, check: check)
    try replay.file.flush()
    try check()
    guard replay.commit.number == commit, try PageHashes.of(file, pageBytes: replay.hashes.pageBytes, generation.key) == replay.hashes
    else {
      throw StoreError(.verificationFailed, "the new base of commit \(commit) of the archive differs from the commit")
    }
    let base = ArchiveBase(
      commit: commit, timeMicroseconds: replay.time, pageBytes: replay.hashes.pageBytes, pages: replay.hashes.pages,
      state: ArchiveBase.digits(replay.hashes.state), reason: ArchiveBase.regular, store: StoreFiles.id(in: file, generation.key),
      logSalts: replay.place.salts,
      logFrames: replay.place.frames)
    // Stopped before the description is there, the base does not count, and would stay for ever. By the mark the next run removes it.
    let mark = generation.removed(commit)
    try willChange(mark)
    try DurableFile.replace(mark, with: Data())
    try willChange(generation.base(commit))
    try DurableFile.place(file, at: generation.base(commit))
    try willChange(generation.description(commit))
    try DurableFile.replace(generation.description(commit), with: base.encoded())
    try remove(mark)
  }

  // MARK: Removing

  /// A base, and the segments up to the next base.
  private struct Part {
    var generation: ArchiveFolder.Generation
    var base: Int64
    /// The next base in the generation; nil for its newest.
    var next: Int64?
  }

  private func parts() throws -> [Part] {
    try folder.generations().flatMap { generation in
      generation.bases.enumerated().map { index, base in
        Part(generation: generation, base: base, next: index + 1 < generation.bases.count ? generation.bases[index + 1] : nil)
      }
    }
  }

  private func removeTooMuch(_ report: inout Report, _ check: () throws -> Void) throws {
    try removeOldest(&report, check, "the archive was larger than \(cap) bytes") { try folder.bytes() > cap && !holdsNewestLabel($0) }
  }

  /// Removes the oldest part while it is due. The newest part always stays.
  private func removeOldest(_ report: inout Report, _ check: () throws -> Void, _ reason: String, isDue: (Part) throws -> Bool) throws {
    while true {
      try check()
      let parts = try parts()
      guard parts.count > 1, try isDue(parts[0]) else { return }
      let (oldest, next) = (parts[0], parts[1])
      // Somebody reads this part; see `Archive.pin`. A later run removes it.
      guard let lock = FolderLock(existing: oldest.generation.url, isShared: false) else {
        report.isComplete = false
        return
      }
      defer { withExtendedLifetime(lock) {} }
      do {
        let base = try ArchiveBase.read(next.generation.description(next.base))
        let hashes = try PageHashes.of(next.generation.base(next.base), pageBytes: base.pageBytes, next.generation.key)
        guard hashes.state == base.stateNumber, hashes.pages == base.pages else {
          throw StoreError(.damaged, "the base of commit \(next.base) is damaged")
        }
      } catch let error as StoreError {
        let problem = "the commits before \(next.base) stay: \(error.message)"
        if !report.problems.contains(problem) { report.problems.append(problem) }
        return
      }
      // What is lost goes with what is around it; `missing` would keep the segments for ever.
      let generation = oldest.generation
      for commit in Set(generation.missing + generation.undescribed).sorted()
      where generation.number != next.generation.number || commit < next.base {
        try giveUp(commit, of: generation)
      }
      try giveUp(oldest.base, of: generation)
      report.notes.append("commits \(oldest.base) to \(next.base - 1) were removed: \(reason)")
      try cleanUp()
    }
  }

  private func giveUp(_ base: Int64, of generation: ArchiveFolder.Generation) throws {
    let (description, mark) = (generation.description(base), generation.removed(base))
    try willChange(description)
    if DurableFile.stands(description.path) {
      try DurableFile.move(description, over: mark)
    } else {
      try DurableFile.replace(mark, with: Data())
    }
  }

  /// Whether all of a part's commits and labels are older than anything is kept.
  private func isTooOld(_ part: Part) throws -> Bool {
    // A part without a time goes when the archive is too large.
    guard let begin = (try? ArchiveBase.read(part.generation.description(part.base)))?.timeMicroseconds,
      isOlder(begin, than: options.keepsOnePerDay)
    else { return false }
    return try !holds(part) { record in
      switch record {
      case .commit(let commit): !isOlder(commit.time, than: options.keepsOnePerDay)
      case .label(let mark): !isOlder(mark.time, than: options.keepsOnePerDay)
      default: false
      }
    }
  }

  /// The archive's newest label is the way back from what was done last.
  private func holdsNewestLabel(_ part: Part) throws -> Bool {
    func isLabel(_ record: ArchiveRecord) -> Bool { if case .label = record { true } else { false } }
    return try holds(part, isLabel) && !parts().reversed().dropLast().contains { try holds($0, isLabel) }
  }

  private func holds(_ part: Part, _ isSought: (ArchiveRecord) -> Bool) throws -> Bool {
    for first in part.generation.segments where first > part.base && first <= part.next ?? .max {
      guard let segment = try? part.generation.reader(first) else { continue }
      while let record = try segment.nextBeforeDamage() { if isSought(record) { return true } }
    }
    return false
  }

  /// Removes what a stopped run has left: bases that were given up or not finished, segments before the first base and those that a merged
  /// one covers, and generations whose bases were all given up. A base that has lost its description otherwise stays.
  private func cleanUp() throws {
    let generations = try folder.generations()
    for generation in generations {
      WorkingFolder.removeAbandoned(in: generation.url)
      let all = try FileManager.default.contentsOfDirectory(at: generation.url, includingPropertiesForKeys: nil)
      let givenUp = all.filter { $0.pathExtension == "removed" }
      guard var reach = generation.bases.first else {
        if !givenUp.isEmpty, generation.number != generations.last?.number {
          // The marks last: without one, what is left would stay for ever.
          for url in all where url.pathExtension != "removed" { try remove(url) }
          try remove(generation.url)
        }
        continue
      }
      for mark in givenUp {
        let base = mark.deletingPathExtension()
        // A base with a description is whole; only its mark was left.
        if !DurableFile.stands(base.appendingPathExtension("json").path) { try remove(base.appendingPathExtension("sqlite")) }
        try remove(mark)
      }
      // Its file may come back.
      if let lost = generation.missing.first { reach = min(reach, lost) }
      for first in generation.segments {
        let (next, url) = (generation.segments.first { $0 > first }, generation.segment(first))
        let end = SegmentReader.lastCommit(url, generation.seal)
        if first <= reach, end.map({ $0 <= reach }) ?? next.map({ $0 - 1 <= reach }) ?? false {
          try remove(url)
        } else {
          reach = max(reach, end ?? reach)
        }
      }
    }
  }

  private func remove(_ url: URL) throws {
    try willChange(url)
    try DurableFile.remove(url)
    try DurableFile.flushFolder(of: url)
  }
}
