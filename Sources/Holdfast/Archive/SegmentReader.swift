import Foundation

/// Reads a segment's records in order, up to the end or to the first that is cut off or damaged.
final class SegmentReader {
  let url: URL
  let header: SegmentHeader
  private let file: FileHandle
  /// The byte behind the last whole record.
  private(set) var wholeBytes: Int
  /// Whether the segment's end was read: nothing may be missing behind it.
  private(set) var isFinished = false
  /// A commit of several records that is being read, and whose last record is there.
  private var whole: Int64?

  init(_ url: URL) throws {
    self.url = url
    do {
      file = try FileHandle(forReadingFrom: url)
      guard let bytes = try file.read(upToCount: SegmentHeader.bytes), let header = SegmentHeader(bytes),
        url.lastPathComponent == ArchiveFolder.name(header.first, "segment")
      else { throw StoreError(.damaged, "the header of \(url.path) is damaged") }
      self.header = header
      wholeBytes = SegmentHeader.bytes
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// The next record; nil at the end, where a record is cut off or damaged, and at the first record of a commit whose last record is missing.
  func next() throws -> ArchiveRecord? {
    let start = wholeBytes
    guard let record = try nextRecord() else { return nil }
    guard case .commit(let part) = record, part.goesOn, part.number != whole else { return record }
    let behind = wholeBytes
    guard try holdsRest(of: part.number) else {
      (wholeBytes, isFinished) = (start, false)
      return nil
    }
    (wholeBytes, whole) = (behind, part.number)
    return record
  }

  private func holdsRest(of commit: Int64) throws -> Bool {
    while case .commit(let part)? = try nextRecord(), part.number == commit {
      if !part.goesOn { return true }
    }
    return false
  }

  private func nextRecord() throws -> ArchiveRecord? {
    guard !isFinished else { return nil }
    do {
      try file.seek(toOffset: UInt64(wholeBytes))
      guard let frame = try file.read(upToCount: ArchiveRecord.frameBytes), frame.count == ArchiveRecord.frameBytes else { return nil }
      var bytes = ArchiveBytes(frame)
      guard let length = bytes.number(UInt32.self), length <= UInt32(ArchiveRecord.longest),
        let body = try file.read(upToCount: Int(length)), let (record, count) = ArchiveRecord.first(of: frame + body)
      else { return nil }
      wholeBytes += count
      if case .end = record { isFinished = true }
      return record
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// The bytes of all records that were read.
  func read() throws -> Data {
    do {
      try file.seek(toOffset: UInt64(SegmentHeader.bytes))
      return try file.read(upToCount: wholeBytes - SegmentHeader.bytes) ?? Data()
    } catch {
      throw DurableFile.failure(error, url)
    }
  }
}

extension SegmentReader {
  /// The last commit of a segment that is finished, by its end; nil where the end is missing.
  static func lastCommit(_ url: URL) -> Int64? {
    let length = ArchiveRecord.end(commit: 0, records: 0).framed.count
    guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(), size >= UInt64(length), (try? file.seek(toOffset: size - UInt64(length))) != nil,
      let bytes = try? file.readToEnd(), case .end(let commit, _)? = ArchiveRecord.first(of: bytes)?.record
    else { return nil }
    return commit
  }

  /// Writes the whole records of a segment into a new file with the same name: a failed flush may have lost parts of the old one, even where
  /// they can still be read.
  static func writeAnew(_ url: URL) throws {
    guard let segment = try? SegmentReader(url) else { return }
    while try segment.next() != nil {}
    try DurableFile.replace(url, with: segment.header.encoded + segment.read())
  }
}

/// Where a generation ends: its last whole commit.
struct ArchiveEnd {
  var commit: Int64
  var time: Int64
  var state: UInt64
  var pages: UInt32
  var pageBytes: Int
  /// Where the last commit ends in SQLite's log; zero when it is not known.
  var place: ArchiveRecord.LogPlace
  /// The records of a last segment that holds no commit yet: its file is written anew.
  var marks = Data()

  /// - Throws: `ArchiveGap` when the generation does not lead to an end: then the row is broken.
  init(_ generation: ArchiveFolder.Generation) throws {
    guard let newest = generation.bases.last else { throw ArchiveGap(reason: "the archive has no whole base") }
    do {
      let base = try ArchiveBase.read(generation.description(newest))
      (commit, time, state, pages) = (base.commit, base.timeMicroseconds, base.stateNumber, base.pages)
      (pageBytes, place) = (base.pageBytes, base.place)
    } catch let error as StoreError where error.code == .damaged {
      throw ArchiveGap(reason: "the description of the archive's base is damaged")
    }
    // The last segment may hold no whole commit.
    for first in generation.segments.reversed() where first > commit {
      let segment: SegmentReader
      do { segment = try SegmentReader(generation.segment(first)) } catch let error as StoreError where error.code == .damaged { continue }
      var last: ArchiveRecord.Commit?
      while let record = try segment.next() {
        if case .commit(let commit) = record, !commit.goesOn { last = commit }
      }
      guard let last else {
        if first == generation.segments.last { marks = try segment.read() }
        continue
      }
      (commit, time, state, pages, place) = (last.number, last.time, last.state, last.pages, last.place)
      break
    }
    if generation.segments.last != commit + 1 { marks = Data() }
  }
}
