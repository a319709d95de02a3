import Foundation

/// Walks the records of one generation in order, from a base on, and checks that none is missing.
struct ArchiveWalk {
  let generation: ArchiveFolder.Generation
  let base: ArchiveBase

  /// - Throws: `.damaged` when the generation has no base at or before `commit` that can be read.
  init(_ generation: ArchiveFolder.Generation, before commit: Int64 = .max) throws {
    self.generation = generation
    guard let chosen = generation.bases.last(where: { $0 <= commit }) else {
      throw StoreError(.damaged, "\(generation.url.path) has no whole base at or before commit \(commit)")
    }
    base = try ArchiveBase.read(generation.description(chosen))
  }

  /// Calls `body` with each record after the base, until it returns false. A commit of several records comes as several.
  ///
  /// - Throws: `.damaged` where a record is missing or damaged. The message names the last proven commit.
  func records(_ body: (ArchiveRecord) throws -> Bool) throws {
    var (last, state) = (base.commit, base.stateNumber ?? 0)
    // The segment that holds the commit after the base may begin before it, or hold the base's own commit.
    let start = generation.segments.lastIndex { $0 <= base.commit + 1 } ?? 0
    for first in generation.segments.dropFirst(start) {
      let segment: SegmentReader
      do { segment = try SegmentReader(generation.segment(first)) } catch let error as StoreError where error.code == .damaged {
        throw broken(last, error.message)
      }
      let header = segment.header
      guard first <= base.commit || header.first == last + 1 && header.stateBefore == state else {
        throw broken(last, "the next segment begins at commit \(header.first)")
      }
      guard header.pageBytes == base.pageBytes, header.generation == generation.number else {
        throw broken(last, "\(segment.url.path) belongs to another generation")
      }
      while let record = try segment.next() {
        switch record {
        case .commit(let commit):
          if commit.number <= base.commit { continue }
          guard commit.first == last + 1 || commit.first <= last && last == base.commit, commit.number >= commit.first else {
            throw broken(last, "the next record begins at commit \(commit.first)")
          }
          if !commit.goesOn { (last, state) = (commit.number, commit.state) }
        case .label(let mark), .note(let mark):
          if mark.commit < base.commit { continue }
        case .end(let commit, _):
          guard commit == last || commit <= base.commit else { throw broken(last, "\(segment.url.path) ends at commit \(commit)") }
        case .unknown: continue
        }
        guard try body(record) else { return }
      }
    }
  }

  private func broken(_ commit: Int64, _ reason: String) -> StoreError {
    StoreError(
      .damaged, "the archive is damaged or incomplete after commit \(commit): \(reason)",
      suggestion: "Restore commit \(commit), which is proven, or a moment after the next base.")
  }
}

/// Builds the database of a commit beside the store, and proves each step by its checksum.
struct ArchiveBuilder {
  let walk: ArchiveWalk

  /// Builds the file of `commit`, or of the last commit before it where commits were merged. `url` must not exist.
  ///
  /// - Throws: `.damaged`, `.diskFull`, `.inputOutput`; no file is left then.
  func build(_ commit: Int64, at url: URL) throws -> ArchivedCommit {
    let base = walk.base
    do {
      try DurableFile.copy(walk.generation.base(base.commit), to: url)
      var hashes = try PageHashes.of(url, pageBytes: base.pageBytes)
      guard hashes.state == base.stateNumber, hashes.pages == base.pages else {
        throw StoreError(.damaged, "the base \(walk.generation.base(base.commit).path) is damaged")
      }
      let file = try FileHandle(forUpdating: url)
      defer { try? file.close() }
      var built = ArchivedCommit(base)
      try walk.records { record in
        guard case .commit(let part) = record else { return true }
        guard part.number <= commit else { return false }
        try Self.apply(part, file, &hashes)
        guard !part.goesOn else { return true }
        guard hashes.state == part.state else {
          throw StoreError(
            .damaged, "commit \(part.number) of the archive is damaged",
            suggestion: "Restore commit \(built.number), which is proven, or a moment after the next base.")
        }
        built = ArchivedCommit(part, after: built.time)
        return part.number < commit
      }
      try file.synchronize()
      return built
    } catch {
      _ = try? DurableFile.remove(url)
      throw DurableFile.failure(error, url)
    }
  }

  private static func apply(_ commit: ArchiveRecord.Commit, _ file: FileHandle, _ hashes: inout PageHashes) throws {
    let bytes = hashes.pageBytes
    if hashes.pages != commit.pages {
      try file.truncate(atOffset: UInt64(commit.pages) * UInt64(bytes))
      hashes.resize(to: commit.pages)
    }
    guard let content = commit.expanded(pageBytes: bytes) else {
      throw StoreError(.damaged, "the pages of commit \(commit.number) of the archive cannot be expanded")
    }
    for (index, change) in commit.changes.enumerated() {
      let place = UInt64(change.page - 1) * UInt64(bytes)
      let start = content.startIndex + index * bytes
      var page = Data(content[start..<start + bytes])
      if change.isDifference {
        try file.seek(toOffset: place)
        let before = try file.read(upToCount: bytes) ?? Data()
        page.combine(before)
      }
      hashes.set(change.page, page.withUnsafeBytes { hashes.hash(change.page, $0) })
      try file.seek(toOffset: place)
      try file.write(contentsOf: page)
    }
  }
}

extension ArchivedCommit {
  init(_ base: ArchiveBase) {
    self.init(
      number: base.commit, time: ArchiveTime.date(base.timeMicroseconds), earliest: nil, rowsChanged: nil, tables: [], pages: Int(base.pages),
      merged: 0)
  }

  init(_ commit: ArchiveRecord.Commit, after earlier: Date) {
    self.init(
      number: commit.number, time: ArchiveTime.date(commit.time), earliest: commit.isUncertain ? earlier : nil,
      rowsChanged: commit.rowsChanged.map(Int.init), tables: commit.tables, pages: Int(commit.pages), merged: commit.number - commit.first)
  }
}
