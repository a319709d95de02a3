import Foundation
internal import GRDBSQLite
import Logging

// What the archive's queue does with commits.
extension Archiver {
  /// Archives the commits that the writer has noted; with `all`, which needs the writer's queue, also those of other programs.
  func drain(all: Bool = false) throws {
    if phase == .beginning { resume() }
    guard phase == .following, let follower, let source else {
      switch phase {
      case .copying: return
      // The log still has these commits. Beyond 10,000, the oldest are archived with an uncertain time, and without tables and remark.
      case .beginning: return lock.withLock { noted.removeFirst(max(0, noted.count - 10_000)) }
      // Nobody will ask for these: another process archives, or a base will hold them.
      default: return lock.withLock { noted.removeAll() }
      }
    }
    let commits = lock.withLock { noted }
    let frames = commits.last?.frames ?? 0
    guard frames > 0 || all else { return }
    guard let header = try follower.presentHeader() else {
      if frames == 0 { return }
      throw ArchiveGap.logGone
    }
    if header.salts != follower.place.salts {
      guard mayBeginAnew else { throw ArchiveGap.logBegunAnew }
      guard header.pageBytes == hashes.pageBytes else { throw ArchiveGap.pageSizeChanged }
      // SQLite adds 1 to the first salt of a log that begins anew. A log without a commit it may begin with any salts.
      let isNext =
        hasAnySalts || follower.place.frames == 0 || header.salts >> 32 == ((follower.place.salts >> 32) + 1) & 0xFFFF_FFFF
      guard isNext else { return try compareFile(all: all) }
      follower.begin(header)
      hasAnySalts = false
    }
    if frames > 0 { mayBeginAnew = false }
    try watchClock()
    var next = commits[...]
    try follower.transactions(upTo: frames, andOnTo: all ? source.committedFrames(of: header) : 0) { transaction in
      while let first = next.first, first.frames < transaction.end.frames { next.removeFirst() }
      let noted = next.first?.frames == transaction.end.frames ? next.first : nil
      if noted == nil { warnOfOldSQLite() }
      let wall = noted?.time ?? ArchiveTime.microseconds(options.now())
      let commit = ArchiveRecord.Commit(
        first: last.commit + 1, number: last.commit + 1, time: max(wall, last.time + 1), wallTime: wall, isUncertain: noted == nil,
        pages: transaction.pages, state: 0, place: transaction.end, rowsChanged: noted?.rowsChanged, tables: noted?.tables ?? [],
        changes: [], content: Data())
      mayBeginAnew = false
      try roll()
      for record in try records(commit, transaction, follower, source) { try append(.commit(record)) }
      (last, lastClock) = ((commit.number, commit.time), wall)
      if let remark = noted?.remark { try append(.note(.init(commit: commit.number, time: commit.time, text: remark))) }
    }
    lock.withLock { noted.removeFirst(min(commits.count, noted.count)) }
    tell { ($0.newest, $0.commits) = (last.time, last.commit) }
  }

  /// There was another log between the archived one and the present one. A process that was killed may have begun it, and then it had no
  /// commit. That it had none is known when the file still is what was archived.
  private func compareFile(all: Bool) throws {
    try segment?.flush()
    (segment, phase, resumesAt) = (nil, .beginning, .now)
    resume()
    if phase == .following { try drain(all: all) }
  }

  /// The number of the store's last commit. Archives every commit first. Called on the writer's queue, outside a transaction.
  func presentCommit() throws -> Int64 {
    try urgently {
      attempt { try drain(all: true) }
      try checkIsWritten()
      return last.commit
    }
  }

  /// The records of one transaction: one, or several where it is large. Brings `hashes` to the state after it.
  private func records(
    _ commit: ArchiveRecord.Commit, _ transaction: LogTransaction, _ follower: LogFollower, _ source: ArchiveSource
  ) throws -> [ArchiveRecord.Commit] {
    let pagesBefore = hashes.pages
    var parts: [ArchiveRecord.Commit] = []
    hashes.resize(to: transaction.pages)
    var delta = PageDelta(pageBytes: hashes.pageBytes)
    func close(goesOn: Bool) {
      var part = commit
      (part.goesOn, part.changes, part.content, part.isCompressed) = (goesOn, delta.changes, delta.content, false)
      parts.append(compressor.compressed(part))
      delta = PageDelta(pageBytes: hashes.pageBytes)
    }
    for (number, frame) in transaction.frames.sorted(by: { $0.key < $1.key }) where number <= transaction.pages {
      let hash = try delta.add(number, known: number <= pagesBefore ? hashes[number] : nil, hashes) { page in
        try follower.page(number, inFrame: frame, into: page)
      } earlier: { page in
        if let earlier = follower.latest[number] {
          // Hashed when it was archived. A log's frames do not change.
          try follower.page(number, inFrame: earlier, into: page)
          return true
        }
        try source.page(number, into: page)
        return false
      }
      hashes.set(number, hash)
      if delta.content.count >= ArchiveRecord.mostPageBytes { close(goesOn: true) }
    }
    close(goesOn: false)
    for index in parts.indices { parts[index].state = hashes.state }
    return parts
  }

  /// Begins a new segment where there is none, or the present one is long.
  private func roll() throws {
    if let segment, segment.bytes < SegmentWriter.longest { return }
    try segment?.finish(at: last.commit)
    // A new store has no such table before its first migration.
    let id = (try? source?.texts("SELECT id FROM holdfast_store"))?.first?[0] ?? ""
    let header = SegmentHeader(
      pageBytes: hashes.pageBytes, first: last.commit + 1, stateBefore: hashes.state, generation: generation,
      store: UInt64(id.prefix(16), radix: 16) ?? 0)
    segment = try SegmentWriter(
      folder.folder(generation).appendingPathComponent(ArchiveFolder.name(header.first, "segment")), header,
      options.key.map(RecordSeal.init), keeping: marks)
    marks = Data()
  }

  func append(_ record: ArchiveRecord) throws {
    if segment == nil { try roll() }
    try segment?.append(record)
  }

  /// Another program has written to the store, too.
  private func warnOfOldSQLite() {
    guard !hasWarned, sqlite3_libversion_number() < 3_051_003 else { return }
    hasWarned = true
    options.logger.warning(
      "several processes write to a store, and this SQLite may then damage a log that begins anew; use SQLite 3.51.3 or newer",
      metadata: ["version": "\(String(cString: sqlite3_libversion()))"])
  }

  // MARK: The clock

  /// Call it before commits are archived: the commit before must still be the last one.
  func watchClock() throws {
    try readClock()
    guard let jump = clock.jump(ArchiveTime.microseconds(options.now()), last: lastClock) else { return }
    let text = "the clock was set \(jump > 0 ? "forward" : "back") by \((abs(jump) + 500_000) / 1_000_000) seconds"
    try append(.note(.init(commit: last.commit, time: last.time, text: text)))
  }

  /// Brings `trusted` up to the clock. The file `clock` holds it while the clock is ahead, or the last commit was made by such a clock.
  func readClock(beforeBase: Bool = false) throws {
    trusted?.read(ArchiveTime.microseconds(options.now()))
    guard let trusted else { return }
    if trusted.ahead == nil, (lastClock - trusted.time).magnitude <= UInt64(TrustedTime.day) {
      // While the base is made, the commit before it is the last one.
      guard !beforeBase, storedTime != nil else { return }
      try DurableFile.remove(folder.clock)
      storedTime = nil
    } else if storedTime.map({ !trusted.isLike($0) }) ?? true {
      try DurableFile.replace(folder.clock, with: JSONEncoder().encode(trusted))
      storedTime = trusted
    }
  }

  /// - Parameter time: the clock's time of the archive's last commit.
  func trustClock(of time: Int64) {
    (lastClock, storedTime) = (time, TrustedTime(folder.clock))
    trusted = storedTime ?? TrustedTime(time)
  }
}
