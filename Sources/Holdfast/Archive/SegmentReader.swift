import Foundation

/// Reads a segment's records in order.
final class SegmentReader {
  let url: URL
  let header: SegmentHeader
  private let seal: RecordSeal?
  private let file: FileHandle
  /// The byte behind the last whole record.
  private(set) var wholeBytes = SegmentHeader.bytes
  /// Whether the segment's end was read: nothing may be missing behind it.
  private(set) var isFinished = false
  /// A commit of several records that is being read, and whose last record is there.
  private var whole: Int64?
  /// The byte at which the next record was not whole, or was not of the commit that is not whole yet.
  private var stop = SegmentHeader.bytes

  init(_ url: URL, _ seal: RecordSeal?) throws {
    // Read without SQLite: a segment of an archive is no database.
    let file = try DurableFile.handle(reading: url)
    let bytes = try DurableFile.naming(url) { try file.read(upToCount: SegmentHeader.bytes) }
    guard let bytes, let header = SegmentHeader(bytes), url.lastPathComponent == ArchiveFolder.name(header.first, "segment") else {
      throw StoreError(.damaged, "the header of \(url.path) is damaged")
    }
    (self.url, self.seal, self.file, self.header) = (url, seal, file, header)
  }

  /// The next record; nil at the end, where a record is cut off, and at the first record of a commit whose last record is missing.
  ///
  /// - Throws: `.damaged` when a whole record stands anywhere behind that: a killed program has written nothing more.
  func next() throws -> ArchiveRecord? {
    if let record = try nextBeforeDamage() { return record }
    guard !isFinished, try ArchiveRecord.stands(in: bytes(from: stop)) else { return nil }
    // The archive may be open, and the record be written by now.
    if let record = try nextBeforeDamage() { return record }
    throw StoreError(.damaged, "\(url.path) is damaged at byte \(stop)")
  }

  /// The same; nil also where the segment is damaged.
  func nextBeforeDamage() throws -> ArchiveRecord? {
    let start = wholeBytes
    stop = start
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
    while true {
      stop = wholeBytes
      guard case .commit(let part)? = try nextRecord(), part.number == commit else { return false }
      if !part.goesOn { return true }
    }
  }

  private func nextRecord() throws -> ArchiveRecord? {
    guard !isFinished else { return nil }
    let frame = try bytes(from: wholeBytes, ArchiveRecord.frameBytes)
    var numbers = ArchiveBytes(frame)
    guard let length = numbers.number(UInt32.self), length <= UInt32(ArchiveRecord.longest) else { return nil }
    let body = try bytes(from: wholeBytes + ArchiveRecord.frameBytes, Int(length))
    guard let (found, count) = ArchiveRecord.first(of: frame + body) else { return nil }
    let record = try found.opened(seal, url)
    wholeBytes += count
    if case .end = record { isFinished = true }
    return record
  }

  /// The bytes of all records that were read.
  func read() throws -> Data { try bytes(from: SegmentHeader.bytes, wholeBytes - SegmentHeader.bytes) }

  /// At most `count` bytes; nil: all up to the end.
  private func bytes(from start: Int, _ count: Int? = nil) throws -> Data {
    try DurableFile.naming(url) {
      try file.seek(toOffset: UInt64(start))
      guard let count else { return try file.readToEnd() ?? Data() }
      return try file.read(upToCount: count) ?? Data()
    }
  }
}

extension SegmentReader {
  /// The last commit of a segment that is finished, by its end; nil where the end is missing.
  static func lastCommit(_ url: URL, _ seal: RecordSeal?) -> Int64? {
    guard let length = try? ArchiveRecord.end(commit: 0, records: 0).framed(seal).count, let file = try? DurableFile.handle(reading: url)
    else { return nil }
    defer { try? file.close() }
    guard let size = try? file.seekToEnd(), size >= UInt64(length), (try? file.seek(toOffset: size - UInt64(length))) != nil,
      let bytes = try? file.readToEnd(), case .end(let commit, _)? = try? ArchiveRecord.first(of: bytes)?.record.opened(seal, url)
    else { return nil }
    return commit
  }

  /// The time of the first commit in a segment; nil when none can be read.
  static func firstTime(_ url: URL, _ seal: RecordSeal?) throws -> Int64? {
    guard let segment = try? SegmentReader(url, seal) else { return nil }
    while let record = try segment.nextBeforeDamage() {
      if case .commit(let commit) = record { return commit.time }
    }
    return nil
  }

  /// Writes the records before damage, and `more`, into a new file: a failed flush may have lost parts of the old one that can be read.
  static func writeAnew(_ url: URL, _ seal: RecordSeal?, adding more: Data = Data()) throws {
    guard let segment = try? SegmentReader(url, seal) else { return }
    while try segment.nextBeforeDamage() != nil {}
    try DurableFile.replace(url, with: segment.header.encoded + segment.read() + more)
  }
}

/// Where a generation ends: its last whole commit. Damage behind it does no harm as long as SQLite's log has the commits that follow.
struct ArchiveEnd {
  var commit: Int64
  var time: Int64
  var wallTime: Int64
  var state: UInt64
  var pages: UInt32
  var pageBytes: Int
  /// Where the last commit ends in SQLite's log; zero when it is not known.
  var place: LogPlace
  /// The records of a last segment that holds no commit yet: its file is written anew.
  var marks = Data()
  /// The segment that is damaged behind this commit.
  private(set) var damaged: URL?
  private let seal: RecordSeal?

  /// - Throws: `ArchiveGap` when the generation does not lead to an end: then the row is broken.
  init(_ generation: ArchiveFolder.Generation) throws {
    seal = generation.seal
    guard let newest = generation.bases.last else { throw ArchiveGap.baseMissing }
    do {
      let base = try ArchiveBase.read(generation.description(newest))
      (commit, time, wallTime) = (base.commit, base.timeMicroseconds, base.timeMicroseconds)
      (state, pages, pageBytes, place) = (base.stateNumber, base.pages, base.pageBytes, base.place)
    } catch let error as StoreError where error.code == .damaged {
      throw ArchiveGap.descriptionDamaged
    }
    // The last segment may hold no whole commit.
    for first in generation.segments.reversed() where first > commit {
      var (segment, last): (SegmentReader?, ArchiveRecord.Commit?) = (nil, nil)
      do {
        segment = try generation.reader(first)
        while let record = try segment?.next() {
          if case .commit(let commit) = record, !commit.goesOn { last = commit }
        }
      } catch let error as StoreError where error.code == .damaged {
        damaged = generation.segment(first)
      }
      guard let last else {
        if first == generation.segments.last { marks = try segment?.read() ?? Data() }
        continue
      }
      (commit, time, wallTime) = (last.number, last.time, last.wallTime)
      (state, pages, place) = (last.state, last.pages, last.place)
      break
    }
    if generation.segments.last != commit + 1 { marks = Data() }
  }

  /// Throws `ArchiveGap` when a state is not that of this end.
  func check(_ hashes: PageHashes) throws {
    guard hashes.state == state, hashes.pages == pages else { throw damaged == nil ? ArchiveGap.fileDiffers : .archiveDamaged }
  }

  /// Removes what stands behind the damage, and notes that. Call it when the store is as at this end.
  mutating func cutDamage() throws {
    guard let damaged else { return }
    let text = "the archive was damaged here; the commits that follow were archived again from the log"
    let note = try ArchiveRecord.note(.init(commit: commit, time: time, text: text)).framed(seal)
    try SegmentReader.writeAnew(damaged, seal, adding: note)
    // The next segment takes this name.
    if damaged.lastPathComponent == ArchiveFolder.name(commit + 1, "segment") { marks += note }
  }
}
