import Foundation

/// Merges finished segments that follow one another into one with fewer commits.
///
/// Rule R2: an old segment is removed only after the new one was written, flushed and replayed, and has led to the same state at every commit
/// that stays, and to the same pages. The new segment then takes the name of the first of the old ones. Stopped anywhere, the old segments
/// or the new one can be read; readers skip old ones that the new one covers.
struct SegmentMerge {
  /// A merged commit has at most this many bytes of pages, so that they fit into memory. Commits stay where more would be needed.
  static let mostPageBytes = 64 << 20

  let generation: ArchiveFolder.Generation
  /// The first commits of the segments.
  let segments: [Int64]
  /// The commits that stay, with their states.
  private(set) var kept: [Int64: UInt64] = [:]
  private(set) var commits = 0
  /// Whether a record is of a later version.
  private var hasUnknown = false

  /// Reads the segments, and decides which commits stay: those with a label, the last commit of each period, and all without a period.
  init(_ generation: ArchiveFolder.Generation, _ segments: [Int64], period: (Int64) -> Range<Int64>?) throws {
    (self.generation, self.segments) = (generation, segments)
    var previous: ArchiveRecord.Commit?
    var (window, pages): (Set<UInt32>, Set<UInt32>) = ([], [])
    for first in segments {
      let segment = try generation.reader(first)
      let most = Self.mostPageBytes / segment.header.pageBytes
      while let record = try segment.next() {
        switch record {
        case .commit(let commit):
          pages.formUnion(commit.changes.map(\.page))
          if commit.goesOn { continue }
          if let previous {
            let isInPeriod = period(previous.time).map { $0 == period(commit.time) } ?? false
            if !isInPeriod || window.count + pages.count(where: { !window.contains($0) }) > most { kept[previous.number] = previous.state }
            if kept[previous.number] != nil { window = [] }
          }
          window.formUnion(pages)
          pages = []
          commits += 1
          previous = commit
          previous?.content = Data()
        case .label(let mark):
          if let previous, mark.commit == previous.number { kept[previous.number] = previous.state }
        case .note, .end: break
        case .sealed, .unknown: hasUnknown = true
        }
      }
    }
    if let previous { kept[previous.number] = previous.state }
  }

  /// Whether at least a quarter of the commits goes, or many segments become one. For less, the same bytes would be written again and again.
  var isWorthwhile: Bool { !hasUnknown && commits > 0 && (kept.count * 4 <= commits * 3 || segments.count >= 8) }

  /// Writes, proves and names the new segment, and removes the old ones. `check` throws to stop; `willChange` is called before each change of
  /// a file of the archive. Whatever is thrown, the old segments are unchanged, or the new one stands.
  func run(check: () throws -> Void, willChange: (URL) throws -> Void) throws {
    guard let first = segments.first, isWorthwhile else { return }
    let walk = try ArchiveWalk(generation, before: first - 1)
    let bytes = segments.reduce(2 * DurableFile.size(generation.base(walk.base.commit).path)) {
      $0 + DurableFile.size(generation.segment($1).path)
    }
    try DurableFile.checkFreeSpace(bytes, in: generation.url, for: "merging commits of the archive")
    let folder = try WorkingFolder(in: generation.url, "merging")
    let old = try ArchiveReplay(walk, at: folder.file("old.sqlite"))
    try old.advance(walk, to: first - 1, check: check)
    let written = folder.file(ArchiveFolder.name(first, "segment"))
    try write(first, written, old, check)
    try check()

    let new = try ArchiveReplay(walk, at: folder.file("new.sqlite"))
    try new.advance(walk, to: first - 1, check: check)
    guard try replay(written, new) == kept, new.hashes == old.hashes else {
      throw StoreError(.verificationFailed, "the merged commits \(first) to \(old.commit.number) of the archive differ; the old ones stay")
    }
    try check()

    try willChange(written)
    try DurableFile.move(written, over: generation.segment(first))
    for other in segments.dropFirst() {
      try willChange(generation.segment(other))
      try DurableFile.remove(generation.segment(other))
    }
    try DurableFile.flushFolder(of: generation.segment(first))
  }

  /// Writes the new segment, and brings `old` to the state after the old ones.
  private func write(_ first: Int64, _ url: URL, _ old: ArchiveReplay, _ check: () throws -> Void) throws {
    let pageBytes = old.hashes.pageBytes
    let header = SegmentHeader(
      pageBytes: pageBytes, first: first, stateBefore: old.hashes.state, generation: generation.number,
      store: try generation.reader(first).header.store)
    let (writer, compressor) = (try SegmentWriter(url, header, generation.seal), PageCompressor())
    var merged: MergedCommit?
    for name in segments {
      let segment = try generation.reader(name)
      while let record = try segment.next() {
        try check()
        switch record {
        case .commit(let part):
          guard part.first == old.commit.number + 1 else {
            throw StoreError(.damaged, "the archive lacks the commit after \(old.commit.number)")
          }
          if merged == nil, kept[part.number] != nil {
            try writer.append(.commit(compressor.compressed(part)))
            try old.apply(part)
            continue
          }
          var window = merged ?? MergedCommit(pagesBefore: old.hashes.pages, pageBytes: pageBytes)
          // One owner, so that the pages are not copied.
          merged = nil
          try window.add(part)
          try old.apply(part)
          if !part.goesOn, kept[part.number] != nil {
            for record in window.records { try writer.append(.commit(compressor.compressed(record))) }
          } else {
            merged = window
          }
        case .label, .note: try writer.append(record)
        case .end, .sealed, .unknown: break
        }
      }
    }
    try checkReaches(old.commit.number)
    try writer.finish(at: old.commit.number)
  }

  /// A damaged record ends a segment early. What stands behind the damage is not thrown away.
  private func checkReaches(_ commit: Int64) throws {
    guard let last = segments.last else { return }
    let end = generation.segments.first { $0 > last }.map { $0 - 1 } ?? SegmentReader.lastCommit(generation.segment(last), generation.seal)
    guard end == nil || end == commit else { throw StoreError(.damaged, "the archive is damaged or incomplete after commit \(commit)") }
  }

  /// Applies the new segment. Returns its commits and their states.
  private func replay(_ url: URL, _ new: ArchiveReplay) throws -> [Int64: UInt64] {
    var states: [Int64: UInt64] = [:]
    let segment = try SegmentReader(url, generation.seal)
    guard segment.header.stateBefore == new.hashes.state else { return [:] }
    while let record = try segment.next() {
      guard case .commit(let part) = record else { continue }
      guard part.first == new.commit.number + 1 else { return [:] }
      try new.apply(part)
      if !part.goesOn { states[part.number] = new.hashes.state }
    }
    return segment.isFinished ? states : [:]
  }
}

/// Several commits as one, whose pages apply to the state before the first.
private struct MergedCommit {
  let pagesBefore: UInt32
  let pageBytes: Int
  var commit: ArchiveRecord.Commit?
  var pages: [UInt32: (isDifference: Bool, content: Data)] = [:]

  mutating func add(_ part: ArchiveRecord.Commit) throws {
    if part.number != commit?.number { begin(part) }
    try part.forEachPage(pageBytes) { change, page in
      if change.isDifference, pages[change.page] != nil {
        pages[change.page]?.content.combine(page)
      } else {
        pages[change.page] = (change.isDifference, page)
      }
    }
  }

  private mutating func begin(_ part: ArchiveRecord.Commit) {
    let pagesNow = commit?.pages ?? pagesBefore
    if part.pages < pagesNow {
      pages = pages.filter { $0.key <= part.pages }
    } else if pagesNow < min(part.pages, pagesBefore) {
      // These pages were cut off in between. The state before still has them, so a difference, or no change, would bring old bytes back.
      for page in pagesNow + 1...min(part.pages, pagesBefore) { pages[page] = (false, Data(count: pageBytes)) }
    }
    var next = part
    (next.goesOn, next.changes, next.content) = (false, [], Data())
    if let commit {
      next.first = commit.first
      next.tables = commit.tables + part.tables.filter { !commit.tables.contains($0) }
      // The largest number says that it is not known.
      let sum = (commit.rowsChanged ?? .max).addingReportingOverflow(part.rowsChanged ?? .max)
      next.rowsChanged = sum.overflow ? nil : sum.partialValue
    }
    commit = next
  }

  /// One record, or several where there are many pages. Not compressed.
  var records: [ArchiveRecord.Commit] {
    guard let commit else { return [] }
    let sorted = pages.sorted { $0.key < $1.key }
    let most = max(1, ArchiveRecord.mostPageBytes / pageBytes)
    return stride(from: 0, to: max(1, sorted.count), by: most).map { start in
      let some = sorted[start..<min(start + most, sorted.count)]
      var part = commit
      part.goesOn = start + most < sorted.count
      part.changes = some.map { ArchiveRecord.Change(page: $0.key, isDifference: $0.value.isDifference) }
      part.content = some.reduce(into: Data()) { $0.append($1.value.content) }
      part.isCompressed = false
      return part
    }
  }
}
