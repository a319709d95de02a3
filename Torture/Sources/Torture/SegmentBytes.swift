import Foundation

/// The bytes of one segment of an archive, cut into its records: written from `Documentation/ArchiveFormat.md`, without the product.
struct SegmentBytes {
  static let headerBytes = 48

  struct Record {
    /// Where its length begins.
    var start: Int
    /// The bytes of its body.
    var body: Range<Int>
  }

  var bytes: [UInt8]
  private(set) var records: [Record] = []

  init(_ path: String) throws {
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    var place = Self.headerBytes
    while place + 8 <= bytes.count {
      let length = number(at: place, 4)
      guard length > 0, place + 8 + length <= bytes.count else { break }
      records.append(Record(start: place, body: place + 8..<place + 8 + length))
      place += 8 + length
    }
  }

  func number(at place: Int, _ count: Int) -> Int { bytes[place..<place + count].reduce(0) { $0 << 8 | Int($1) } }

  /// The commits among the records.
  var commits: [Record] { records.filter { bytes[$0.body.lowerBound] == 1 && $0.body.count >= 78 } }

  /// The list of pages of a commit.
  func pages(of commit: Record) -> Range<Int> {
    let start = commit.body.lowerBound + 78 + number(at: commit.body.lowerBound + 76, 2)
    return start..<min(start + 5 * number(at: commit.body.lowerBound + 72, 4), commit.body.upperBound)
  }

  /// The pages of a commit.
  func content(of commit: Record) -> Range<Int> { pages(of: commit).upperBound..<commit.body.upperBound }

  /// Makes the checksum of a record right again.
  mutating func seal(_ record: Record) {
    let sum = Self.checksum(bytes[record.body])
    for (place, shift) in [24, 16, 8, 0].enumerated() { bytes[record.start + 4 + place] = UInt8(truncatingIfNeeded: sum >> shift) }
  }

  /// Appends the end of a segment that is finished.
  mutating func finish() {
    guard let last = commits.last else { return }
    var body: [UInt8] = [3, 0, 0, 0] + bytes[last.body.lowerBound + 12..<last.body.lowerBound + 20]
    body += Self.big(UInt32(commits.count))
    bytes += Self.big(UInt32(body.count)) + Self.big(Self.checksum(body[...])) + body
  }

  /// Whether a whole record begins at any byte from `start` on.
  static func holdsRecord(_ bytes: [UInt8], from start: Int) -> Bool {
    guard start + 9 <= bytes.count else { return false }
    return (start...bytes.count - 9).contains { place in
      let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length > 0, length <= bytes.count - place - 8, (1...4).contains(bytes[place + 8]) else { return false }
      return big(checksum(bytes[place + 8..<place + 8 + length])).elementsEqual(bytes[place + 4..<place + 8])
    }
  }

  private static func big(_ number: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }

  /// CRC-32, bit by bit.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
