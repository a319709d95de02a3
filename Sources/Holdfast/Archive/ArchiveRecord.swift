internal import CHoldfast
import Foundation

/// One record of a segment. Format: Documentation/ArchiveFormat.md
enum ArchiveRecord: Equatable {
  case commit(Commit)
  case label(Mark)
  case note(Mark)
  case end(commit: Int64, records: UInt32)
  /// A record of an encrypted store.
  case sealed(Data)
  /// Of a later version.
  case unknown

  /// A text that stands at a commit.
  struct Mark: Equatable {
    var commit: Int64
    var time: Int64
    var text: String
  }

  struct Commit: Equatable {
    /// The first of the commits that retention has merged into this one; else the same as `number`.
    var first: Int64
    var number: Int64
    var time: Int64
    var wallTime: Int64
    /// The commit was made between the time of the one before and `time`.
    var isUncertain = false
    var goesOn = false
    var pages: UInt32
    var state: UInt64
    /// Where it ends in SQLite's log.
    var place = LogPlace()
    var rowsChanged: UInt32?
    var tables: [String] = []
    var changes: [Change]
    var isCompressed = true
    /// The pages of `changes`, one after another.
    var content: Data
  }

  struct Change: Equatable {
    var page: UInt32
    var isDifference: Bool
  }

  /// The length of a record's length and checksum.
  static let frameBytes = 8
  /// No record is longer: a large commit is several records.
  static let longest = 16 << 20
  /// A record has at most this many bytes of pages.
  static let mostPageBytes = 4 << 20

  var body: Data {
    switch self {
    case .commit(let commit): return Self.body(commit)
    case .label(let mark): return Self.body(2, mark)
    case .note(let mark): return Self.body(4, mark)
    case .end(let commit, let records): return Self.fields(3, commit, records)
    case .sealed(let body): return body
    case .unknown: return Data([0])
    }
  }

  private static func body(_ kind: UInt8, _ mark: Mark) -> Data { fields(kind, mark.commit, mark.time) + mark.text.utf8.prefix(10_000) }

  private static func fields(_ kind: UInt8, _ commit: Int64, _ number: some FixedWidthInteger) -> Data {
    var body = Data([kind, 0, 0, 0])
    body.add(commit)
    body.add(number)
    return body
  }

  private static func body(_ commit: Commit) -> Data {
    let tables = tableNames(commit.tables)
    var body = Data(capacity: 78 + tables.count + 5 * commit.changes.count + commit.content.count)
    body.append(1)
    body.append((commit.isUncertain ? 1 : 0) | (commit.isCompressed ? 0 : 2) | (commit.goesOn ? 4 : 0))
    body.add(UInt16(0))
    for number in [commit.first, commit.number, commit.time, commit.wallTime] { body.add(number) }
    body.add(commit.pages)
    body.add(commit.state)
    body.add(commit.place.salts)
    let (place, rows) = (commit.place, commit.rowsChanged ?? .max)
    for number in [place.frames, place.sum.one, place.sum.two, rows, UInt32(commit.changes.count)] { body.add(number) }
    body.add(UInt16(tables.count))
    body.append(tables)
    for change in commit.changes {
      body.add(change.page)
      body.append(change.isDifference ? 1 : 0)
    }
    body.append(commit.content)
    return body
  }

  /// As many names as fit.
  private static func tableNames(_ tables: [String]) -> Data {
    var names = Data()
    for table in tables where names.count + table.utf8.count + 1 < 4_000 && !table.contains("\n") {
      if !names.isEmpty { names.append(UInt8(ascii: "\n")) }
      names.append(contentsOf: table.utf8)
    }
    return names
  }

  /// Nil where the first record is cut off or damaged.
  static func first(of bytes: Data) -> (record: ArchiveRecord, length: Int)? {
    var frame = ArchiveBytes(bytes)
    guard let length = frame.number(UInt32.self), length > 0, length <= UInt32(longest), let sum = frame.number(UInt32.self),
      let body = frame.take(Int(length)), checksum(body) == sum, let record = read(body)
    else { return nil }
    return (record, frameBytes + Int(length))
  }

  /// Whether a whole record of a known kind stands anywhere in `bytes`. Reads only where the first bytes are those of a record. That is rare, so
  /// the time grows with the number of bytes. After 64 such places without a whole record it says yes: no killed program leaves that.
  static func stands(in bytes: Data) -> Bool {
    var tries = 0
    for place in bytes.indices.dropLast(frameBytes + 15) {
      let body = place + frameBytes
      // The highest bytes of the length and of the commit's number, the kind, and two bytes that are always zero.
      guard (1...sealedKind).contains(bytes[body]), bytes[place] <= 1, bytes[body + 2] == 0, bytes[body + 3] == 0, bytes[body + 4] == 0
      else {
        continue
      }
      // No body is shorter than 16 bytes. A list of pages has the rest of the pattern at each page from 256 to 1,279.
      guard bytes[place..<place + 3].contains(where: { $0 > 0 }) || bytes[place + 3] >= 16 else { continue }
      tries += 1
      if tries > 64 || first(of: bytes[place...]) != nil { return true }
    }
    return false
  }

  static func read(_ body: Data) -> ArchiveRecord? {
    var bytes = ArchiveBytes(body)
    guard let kind = bytes.number(UInt8.self) else { return nil }
    if kind == sealedKind { return .sealed(body) }
    guard (1...4).contains(kind) else { return .unknown }
    guard let flags = bytes.number(UInt8.self), bytes.take(2) != nil else { return nil }
    if kind == 1 { return commit(&bytes, flags).map(ArchiveRecord.commit) }
    guard let number = bytes.number(Int64.self) else { return nil }
    if kind == 3 { return isSane(number, 0) ? bytes.number(UInt32.self).map { .end(commit: number, records: $0) } : nil }
    guard let time = bytes.number(Int64.self), isSane(number, time) else { return nil }
    let mark = Mark(commit: number, time: time, text: String(decoding: bytes.rest, as: UTF8.self))
    return kind == 2 ? .label(mark) : .note(mark)
  }

  private static func commit(_ bytes: inout ArchiveBytes, _ flags: UInt8) -> Commit? {
    guard let first = bytes.number(Int64.self), let number = bytes.number(Int64.self), let time = bytes.number(Int64.self),
      let wallTime = bytes.number(Int64.self), let pages = bytes.number(UInt32.self), let state = bytes.number(UInt64.self),
      let salts = bytes.number(UInt64.self), let frames = bytes.number(UInt32.self), let one = bytes.number(UInt32.self),
      let two = bytes.number(UInt32.self), let rows = bytes.number(UInt32.self), let count = bytes.number(UInt32.self),
      let length = bytes.number(UInt16.self), Int(count) <= longest / 5,
      let tables = bytes.take(Int(length)).flatMap({ String(data: $0, encoding: .utf8) })
    else { return nil }
    guard first >= 1, first <= number, isSane(number, time), wallTime.magnitude < 1 << 60, pages >= 1 else { return nil }
    var changes: [Change] = []
    changes.reserveCapacity(Int(count))
    for _ in 0..<count {
      guard let page = bytes.number(UInt32.self), let kind = bytes.number(UInt8.self), kind <= 1, page >= 1, page <= pages else {
        return nil
      }
      changes.append(Change(page: page, isDifference: kind == 1))
    }
    return Commit(
      first: first, number: number, time: time, wallTime: wallTime, isUncertain: flags & 1 != 0, goesOn: flags & 4 != 0, pages: pages,
      state: state, place: LogPlace(salts: salts, frames: frames, sum: LogChecksum(one: one, two: two)),
      rowsChanged: rows == .max ? nil : rows, tables: tables.split(separator: "\n").map(String.init), changes: changes,
      isCompressed: flags & 2 == 0, content: bytes.rest)
  }

  /// Whether a commit's number and time can be counted on.
  static func isSane(_ commit: Int64, _ time: Int64) -> Bool { (0..<10_000_000_000_000_000).contains(commit) && time.magnitude < 1 << 60 }

  static func checksum(_ bytes: Data) -> UInt32 { bytes.withUnsafeBytes { holdfast_crc32(0, $0.baseAddress, $0.count) } }
}

extension ArchiveRecord.Commit {
  /// Throws `.damaged` where the pages are.
  func forEachPage(_ pageBytes: Int, _ body: (ArchiveRecord.Change, Data) throws -> Void) throws {
    guard let content = expanded(pageBytes) else {
      throw StoreError(.damaged, "the pages of commit \(number) of the archive cannot be expanded")
    }
    for (index, change) in changes.enumerated() {
      let start = content.startIndex + index * pageBytes
      try body(change, Data(content[start..<start + pageBytes]))
    }
  }

  private func expanded(_ pageBytes: Int) -> Data? {
    let length = changes.count * pageBytes
    guard length > 0 else { return content.isEmpty || isCompressed ? Data() : nil }
    guard length <= ArchiveRecord.mostPageBytes + pageBytes else { return nil }
    guard isCompressed else { return content.count == length ? content : nil }
    return Gzip.expanded(content, limit: length).flatMap { $0.count == length ? $0 : nil }
  }
}

/// Compresses the pages of commits. Keeps zlib's memory between calls.
final class PageCompressor {
  private var deflater: UnsafeMutableRawPointer?

  deinit { holdfast_deflater_free(deflater) }

  /// The same record, compressed where that makes it shorter.
  func compressed(_ record: ArchiveRecord.Commit) -> ArchiveRecord.Commit {
    guard !record.isCompressed, !record.content.isEmpty else { return record }
    let content = Gzip.changed(record.content, capacity: record.content.count) {
      holdfast_deflate(&deflater, $0.baseAddress, $0.count, $1.baseAddress, $1.count)
    }
    guard let content else { return record }
    var shorter = record
    (shorter.content, shorter.isCompressed) = (content, true)
    return shorter
  }
}
