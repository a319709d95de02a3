public import Foundation

/// The archive of a store: every commit since it was begun, as far as retention keeps them.
///
/// Reads only, and changes nothing; the store may be open, here or elsewhere, or damaged. Format: `Documentation/ArchiveFormat.md`.
public struct Archive: Sendable {
  let files: StoreFiles
  private let options: StoreOptions
  var folder: ArchiveFolder { ArchiveFolder(files, options.key) }

  /// - Throws: `.notFound` when there is no archive; `.wrongKind` when it is of another store; `.cannotCreate` for a file in its place.
  public init(of url: URL, options: StoreOptions = .production) throws {
    try self.init(StoreFiles(url), options)
    try files.checkIsOwn(folder.owner(), "the archive beside \(files.path)", options.key)
  }

  init(_ files: StoreFiles, _ options: StoreOptions) throws {
    (self.files, self.options) = (files, options)
    guard folder.exists else { throw files.noArchive }
  }

  /// The size of the archive in bytes.
  public var bytes: Int64 { folder.bytes() }

  /// When `Store.drillArchive()` passed last, in any process; nil when it never did.
  public var lastDrill: Date? { folder.lastDrill }

  /// The time line, oldest first: commits, labels, gaps. Damage of segments is a `.gap` that names it, after the last commit before it; the
  /// files of the bases are not read: see `verify()`.
  ///
  /// Reads the segments of the time asked for once, the one before included, and expands no pages.
  /// - Parameters:
  ///   - from: leaves out what is older. Nil: nothing.
  ///   - to: leaves out what is newer. Nil: nothing.
  /// - Throws: the errors of reading.
  public func history(from: Date? = nil, to: Date? = nil) throws -> [ArchiveEvent] {
    let times = (from.map(ArchiveTime.microseconds) ?? .min, to.map(ArchiveTime.microseconds) ?? .max)
    return try steadily(again: true) { try events(times.0, times.1) }
  }

  /// The same without blocking the caller.
  public func history(from: Date? = nil, to: Date? = nil) async throws -> [ArchiveEvent] {
    try await offTask { _ in try self.history(from: from, to: to) }
  }

  /// How far the archive reaches: the first and the last time, the number of the last commit, the gaps between generations. Reads the
  /// descriptions of bases and the last segment only, so it tells no damage before that.
  package func reach() throws -> (oldest: Date?, newest: Date?, commit: Int64?, gaps: Int) {
    let bases = try folder.firstBases()
    // Nil where the last base cannot be read.
    let end = try folder.generations().last { !$0.bases.isEmpty }.flatMap { try? ArchiveEnd($0) }
    return (
      bases.first.map { ArchiveTime.date($0.timeMicroseconds) }, end.map { ArchiveTime.date($0.time) }, end?.commit,
      bases.count { $0.followsGap }
    )
  }

  /// What to do about damage.
  package var remedy: String {
    "What is proven can still be restored; `holdfast archive verify` lists the rest. To begin anew, close the store, move \(folder.url.path) to "
      + "another place, and open the store with `options.archive.mode = .begins`, or use `holdfast archive begin`."
  }

  /// Runs `body` again when it met damage, or always with `again`, and retention has changed the archive meanwhile.
  func steadily<T>(again: Bool = false, _ body: () throws -> T) throws -> T {
    for _ in 0..<5 {
      let before = try folder.generations()
      do {
        let result = try body()
        if try !again || stillStand(before) { return result }
      } catch let error as StoreError where [.damaged, .notFound].contains(error.code) {
        if try stillStand(before) { throw error }
      }
    }
    return try body()
  }

  /// Whether all files of these generations still stand; new ones may have been added.
  private func stillStand(_ before: [ArchiveFolder.Generation]) throws -> Bool {
    let now = try folder.generations()
    return now.count >= before.count
      && zip(now, before).allSatisfy { now, before in
        Set(before.segments).isSubset(of: now.segments) && Set(before.bases).isSubset(of: now.bases) && before.missing == now.missing
      }
  }

  private func events(_ from: Int64, _ to: Int64) throws -> [ArchiveEvent] {
    var events: [ArchiveEvent] = []
    func add(_ event: ArchiveEvent) {
      if (from...max(from, to)).contains(ArchiveTime.microseconds(event.time)) { events.append(event) }
    }
    for generation in try folder.generations() {
      let bases = try generation.descriptions { error in
        events.append(.damage(error.message, after: events.last?.time, events.last?.commit))
      }
      for (index, base) in bases.enumerated() {
        // A label at the next base's commit stands in this part, and may be newer than that base.
        if index + 2 < bases.count, bases[index + 2].timeMicroseconds <= from { continue }
        if base.timeMicroseconds > to { break }
        if index == 0 { add(ArchiveEvent(base)) }
        var last = ArchivedCommit(base)
        do {
          try ArchiveWalk(generation, from: base).records(upTo: index + 1 < bases.count ? bases[index + 1].commit : .max) { record in
            switch record {
            case .commit(let commit) where !commit.goesOn:
              last = ArchivedCommit(commit, after: last.time)
              add(ArchiveEvent(kind: .commit, time: last.time, commit: last.number, text: "", details: last))
            // A mark at a base's commit stands in the segment before it, and was met there.
            case .label(let mark) where index == 0 || mark.commit > base.commit: add(ArchiveEvent(.label, mark))
            case .note(let mark) where index == 0 || mark.commit > base.commit: add(ArchiveEvent(.note, mark))
            default: break
            }
            return true
          }
        } catch let error as StoreError where error.code == .damaged {
          // What it hides may lie within the time asked for.
          if index + 1 < bases.count, bases[index + 1].timeMicroseconds < from { continue }
          events.append(.damage(error.message, after: last.time, last.number))
        }
      }
    }
    return events
  }

  /// While the value lives, no process removes a part that the archive has now. Needs no right to write; a kill leaves nothing behind.
  package func pin() -> [FolderLock] {
    ((try? folder.generations()) ?? []).compactMap { FolderLock(existing: $0.url, isShared: true, LockWait(options)) }
  }

  /// - Throws: `.busy` when another process writes the archive now.
  package func checkIsFree() throws { _ = try FolderLock(folder.url, busy: files.archivedElsewhere) }

  /// Builds the store of a moment as a file of its own, at `file`, which must not exist, and verifies it: the checksum after each commit,
  /// SQLite's integrity check, search indexes against their text. A search index that differs from its text is first made again. Rows that
  /// point at rows that are gone come back as they were. The file gets its name once it is complete and verified. Any SQLite can read it.
  /// If the store was connected to a space for sync then, so is the file: opened and synced, it is one more device, and gets later changes.
  ///
  /// - Throws: `.notFound` when the archive does not reach back so far, or has no such label; `.damaged` with the last commit before the damage;
  ///   `.verificationFailed`; `.diskFull`, `.cannotCreate`. No file is left then.
  @discardableResult
  public func restore(to moment: Moment, at file: URL) throws -> ArchivedCommit {
    try files.checkIsNotOwn(file)
    return try DurableFile.making(file) { try built(moment, at: $0) }
  }

  /// The same without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func restore(to moment: Moment, at file: URL) async throws -> ArchivedCommit {
    try await offTask { _ in try self.restore(to: moment, at: file) }
  }

  /// The same, for a file in a working folder.
  func built(_ moment: Moment, at file: URL) throws -> ArchivedCommit {
    let (built, damage, _) = try build(moment, at: file)
    guard let first = damage.first else { return built }
    throw StoreError(.verificationFailed, "commit \(built.number) of the archive is not sound: \(first)")
  }

  /// The same, with what the checks found. `dangling` is no damage: the store was so. `check` throws to stop.
  func build(
    _ moment: Moment, at file: URL, check: () throws -> Void = {}
  ) throws -> (commit: ArchivedCommit, damage: [String], dangling: [String]) {
    let pin = pin()
    defer { withExtendedLifetime(pin) {} }
    let built = try steadily {
      let (generation, commit) = try find(moment)
      return try generation.build(commit, at: file, check: check).replay.commit
    }
    let connection = try ConnectionFactory(file.path, options).working()
    try Snapshot.makeStandAlone(connection, file, options)
    let damage = try Snapshot.damage(connection)
    return (built, try damage.isEmpty ? connection.remakeSearchIndexes().findings : damage, try Snapshot.dangling(connection))
  }

  /// Why going back to a time, which leads to `commit`, may undo commits that were made before that time: their times are ahead of the clock.
  /// Nil where none was, and for a label or a number.
  package func warning(of moment: Moment, leadingTo commit: ArchivedCommit) throws -> String? {
    guard case .time(let wanted) = moment else { return nil }
    let latest = options.now().addingTimeInterval(60)
    let ahead = try history(from: commit.time).compactMap(\.details).first {
      $0.number > commit.number && ($0.clock.map { $0 <= wanted } ?? ($0.time > latest))
    }
    return ahead.map {
      "the clock was wrong: this would also undo commits, from commit \($0.number) on, that may have been made before that time; choose a "
        + "commit by its number"
    }
  }

  private func find(_ moment: Moment) throws -> (ArchiveFolder.Generation, Int64) {
    let generations = try folder.generations()
    // Damage that may hide a later answer.
    var lost: StoreError?
    for generation in generations.reversed() {
      guard let first = generation.bases.first else {
        if lost == nil, try Self.mayHold(moment, generation) { lost = generation.withoutBase }
        continue
      }
      let found: Int64?
      switch moment {
      case .commit(let number): found = first <= number ? number : nil
      case .time(let time): found = try newest(in: generation, at: ArchiveTime.microseconds(time))
      case .label(let text):
        let label = try label(text, in: generation)
        (found, lost) = (label.commit, lost ?? label.damage)
      }
      guard let found else { continue }
      guard var lost else { return (generation, found) }
      // An older state than the one asked for.
      if case .label = moment { lost.suggestion = "The last such label to be read is at commit \(found). Restore that by its number." }
      throw lost
    }
    if case .label(let text) = moment {
      throw lost
        ?? StoreError(.notFound, "the archive of \(files.path) has no label “\(text)”", suggestion: "holdfast history lists the labels.")
    }
    let oldest = try generations.first { !$0.bases.isEmpty }.map { try ArchiveWalk($0, before: $0.bases[0]).base }
    let since = oldest.map { "commit \($0.commit), \(DateCodec.iso8601($0.timeMicroseconds / 1000, fraction: true))" } ?? "nothing"
    throw StoreError(
      .notFound, "the archive of \(files.path) does not reach back so far: it begins with \(since)",
      suggestion: "Choose a later moment; holdfast history shows where the archive begins.")
  }

  /// Whether a generation that has lost its base held the moment, or one before it.
  private static func mayHold(_ moment: Moment, _ generation: ArchiveFolder.Generation) throws -> Bool {
    guard let first = generation.segments.first else { return false }
    switch moment {
    case .commit(let number): return first <= number
    case .time(let time):
      return try SegmentReader.firstTime(generation.segment(first), generation.seal) ?? .min <= ArchiveTime.microseconds(time)
    case .label: return true
    }
  }

  /// The last commit of a generation at or before `time`; nil when all are later.
  private func newest(in generation: ArchiveFolder.Generation, at time: Int64) throws -> Int64? {
    var damage: StoreError?
    let bases = try generation.descriptions { damage = damage ?? $0 }
    guard let base = bases.last(where: { $0.timeMicroseconds <= time }) else {
      // The base that cannot be read may be early enough.
      if let damage { throw damage }
      return nil
    }
    var found = base.commit
    try ArchiveWalk(generation, from: base).records { record in
      guard case .commit(let commit) = record, !commit.goesOn else { return true }
      if commit.time <= time { found = commit.number }
      // No later commit has the same time, so damage behind it does not matter.
      return commit.time < time
    }
    return found
  }

  /// The commit of a generation's last label with this text; nil when none can be read. `damage`: may hide a later one.
  private func label(_ text: String, in generation: ArchiveFolder.Generation) throws -> (commit: Int64?, damage: StoreError?) {
    var found: Int64?
    var damage: StoreError?
    // The records of a base without a description follow the base before it.
    let bases = try generation.descriptions { damage = $0 }
    for (base, end) in zip(bases, bases.dropFirst().map(\.commit) + [Int64.max]) {
      // A later base leads past damage.
      do {
        try ArchiveWalk(generation, from: base).records(upTo: end) { record in
          if case .label(let mark) = record, mark.text == text { (found, damage) = (mark.commit, nil) }
          return true
        }
      } catch let error as StoreError where error.code == .damaged {
        damage = error
      }
    }
    return (found, damage)
  }
}

extension ArchiveEvent {
  init(_ base: ArchiveBase) {
    self.init(
      kind: base.followsGap ? .gap : .base, time: ArchiveTime.date(base.timeMicroseconds), commit: base.commit,
      text: base.followsGap ? base.reason : "the archive begins", gapFrom: base.gapFrom.map(ArchiveTime.date))
  }

  static func damage(_ message: String, after time: Date?, _ commit: Int64?) -> ArchiveEvent {
    ArchiveEvent(kind: .gap, time: time ?? Date(timeIntervalSince1970: 0), commit: commit ?? 0, text: message, gapFrom: time)
  }

  init(_ kind: Kind, _ mark: ArchiveRecord.Mark) {
    self.init(kind: kind, time: ArchiveTime.date(mark.time), commit: mark.commit, text: mark.text)
  }
}
