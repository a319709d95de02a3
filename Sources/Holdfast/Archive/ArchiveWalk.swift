import Foundation

/// Walks the records of one generation in order, from a base on, and checks that none is missing.
struct ArchiveWalk {
  let generation: ArchiveFolder.Generation
  let base: ArchiveBase

  /// - Throws: `.damaged` when the generation has no base at or before `commit` that can be read.
  init(_ generation: ArchiveFolder.Generation, before commit: Int64 = .max) throws {
    self.generation = generation
    guard let chosen = generation.bases.last(where: { $0 <= commit }) else { throw Self.noBase(generation, commit) }
    base = try ArchiveBase.read(generation.description(chosen))
  }

  init(_ generation: ArchiveFolder.Generation, from base: ArchiveBase) { (self.generation, self.base) = (generation, base) }

  /// Calls `body` with each record after the base, up to commit `end` or until it returns false. A commit of several records comes as several.
  /// Throws `.damaged` where a record is missing or damaged; the message names the last commit before that. Proves no state: see `ArchiveReplay`.
  func records(upTo end: Int64 = .max, _ body: (ArchiveRecord) throws -> Bool) throws {
    var (last, state) = (base.commit, base.stateNumber)
    // The segment that holds the commit after the base may begin before it, or hold the base's own commit.
    let start = generation.segments.lastIndex { $0 <= base.commit + 1 } ?? 0
    for first in generation.segments.dropFirst(start) {
      let segment: SegmentReader
      do {
        segment = try proven(last) { try generation.reader(first) }
      } catch let error as StoreError where error.code == .notFound {
        // Retention has merged it into the segment before it, after the folder was listed. If not, the next segment does not follow.
        continue
      }
      let header = segment.header
      // Retention was stopped after it had merged this segment into the one before it.
      let isCovered = last > base.commit && header.first <= last
      guard first <= base.commit || isCovered || header.first == last + 1 && header.stateBefore == state else {
        throw broken(last, "the next segment begins at commit \(header.first)")
      }
      let owner = base.store.flatMap { UInt64($0.prefix(16), radix: 16) } ?? 0
      guard header.pageBytes == base.pageBytes, header.generation == generation.number, [0, owner].contains(header.store) || owner == 0
      else {
        throw broken(last, "\(segment.url.path) belongs to another generation, or to another store")
      }
      while let record = try proven(last, { try segment.next() }) {
        switch record {
        case .commit(let commit):
          if commit.number <= base.commit || isCovered && commit.number <= last { continue }
          guard commit.first == last + 1, commit.number >= commit.first else {
            throw broken(last, "the next record begins at commit \(commit.first)")
          }
          guard commit.number <= end else { return }
          if !commit.goesOn { (last, state) = (commit.number, commit.state) }
        case .label(let mark), .note(let mark):
          if mark.commit < base.commit || isCovered && mark.commit <= last { continue }
          // A commit with a label is never merged into a later one.
          if case .label = record, mark.commit > last { throw broken(last, "a label stands at commit \(mark.commit)") }
        case .end(let commit, _):
          guard commit == last || commit <= base.commit || isCovered && commit < last else {
            throw broken(last, "\(segment.url.path) ends at commit \(commit)")
          }
        case .sealed, .unknown: continue
        }
        guard try body(record) else { return }
      }
    }
  }

  /// Runs `body`. Where it meets damage, the error names the last commit before it.
  private func proven<T>(_ commit: Int64, _ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as StoreError where error.code == .damaged { throw broken(commit, error.message) }
  }

  private func broken(_ commit: Int64, _ reason: String) -> StoreError {
    StoreError(
      .damaged, "the archive is damaged or incomplete after commit \(commit): \(reason)",
      suggestion: "Restore commit \(commit) or one before it, or a moment after the next base.")
  }

  fileprivate static func noBase(_ generation: ArchiveFolder.Generation, _ commit: Int64) -> StoreError {
    StoreError(
      .damaged, "\(generation.url.path) has no whole base at or before commit \(commit)", suggestion: suggestionWithoutBase)
  }

  static let suggestionWithoutBase = "Restore a moment after the next base. `holdfast archive verify` lists all damage."
}

extension ArchiveFolder.Generation {
  /// Builds the file of `commit`, or of the last commit before it where commits were merged, from the newest base that is sound. `check` throws
  /// to stop. When it throws, no file is left. Without a sound base it throws the error of the newest.
  func build(_ commit: Int64, at url: URL, check: () throws -> Void = {}) throws -> (replay: ArchiveReplay, base: ArchiveBase) {
    var damage: StoreError?
    for base in bases.reversed() where base <= commit {
      let walk: ArchiveWalk
      let replay: ArchiveReplay
      do {
        walk = try ArchiveWalk(self, before: base)
        replay = try ArchiveReplay(walk, at: url)
      } catch let error as StoreError where error.code == .damaged {
        damage = damage ?? error
        continue
      }
      do {
        try replay.advance(walk, to: commit, check: check)
        try replay.file.flush()
        return (replay, walk.base)
      } catch {
        _ = try? DurableFile.remove(url)
        throw error
      }
    }
    throw damage ?? ArchiveWalk.noBase(self, commit)
  }
}

extension ArchivedCommit {
  init(_ base: ArchiveBase) {
    self.init(number: base.commit, time: ArchiveTime.date(base.timeMicroseconds), tables: [], pages: Int(base.pages), merged: 0)
  }

  init(_ commit: ArchiveRecord.Commit, after earlier: Date) {
    self.init(
      number: commit.number, time: ArchiveTime.date(commit.time), earliest: commit.isUncertain ? earlier : nil,
      rowsChanged: commit.rowsChanged.map(Int.init), tables: commit.tables, pages: Int(commit.pages), merged: commit.number - commit.first,
      clock: commit.time - commit.wallTime > 60_000_000 ? ArchiveTime.date(commit.wallTime) : nil)
  }
}
