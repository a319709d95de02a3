import Foundation

/// The bytes of a store's log, followed as SQLite documents its format, without the product:
/// https://www.sqlite.org/fileformat2.html#the_write_ahead_log
struct LogBytes {
  /// The page size of every store of the harness.
  private static let pageBytes = 4_096
  private static let headerBytes = 32
  private static let frameBytes = 24 + pageBytes

  private let bytes: [UInt8]

  /// A missing log is an empty one.
  init(_ path: String) throws {
    bytes = FileManager.default.fileExists(atPath: path) ? [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) : []
  }

  /// Whether the first invalid frame, or a frame behind it, is a commit of the same log. SQLite drops such a commit without a word, and a
  /// kill or power loss before the commit was flushed leaves none, so the product must tell it.
  ///
  /// The salts tell which frames are of the same log: those of the header, or of the first frame that has a page if the header is invalid.
  var hidesCommits: Bool {
    var sum = headerSum
    var salts: ArraySlice<UInt8>? = sum == nil ? nil : bytes[16..<24]
    for start in stride(from: Self.headerBytes, through: bytes.count - Self.frameBytes, by: Self.frameBytes) {
      let (page, databasePages, own) = (word(start), word(start + 4), bytes[start + 8..<start + 16])
      if let before = sum {
        let after = adding(start + 24, Self.pageBytes, to: adding(start, 8, to: before))
        if own == salts, page != 0, after == Sum(one: word(start + 16), two: word(start + 20)) {
          sum = after
          continue
        }
        sum = nil
      }
      guard page != 0 else { continue }
      if salts == nil { salts = own }
      // A commit has the number of the database's pages, which is never less than the frame's page.
      if own == salts, databasePages >= page, databasePages < 1 << 31 { return true }
    }
    return false
  }

  // MARK: Checksums

  private struct Sum: Equatable {
    var one: UInt32 = 0
    var two: UInt32 = 0
  }

  /// The checksum after the header; nil if the header is invalid.
  private var headerSum: Sum? {
    guard bytes.count >= Self.headerBytes, word(0) & ~1 == 0x377F_0682, word(8) == UInt32(Self.pageBytes) else { return nil }
    let sum = adding(0, 24, to: Sum())
    return sum == Sum(one: word(24), two: word(28)) ? sum : nil
  }

  private func adding(_ start: Int, _ count: Int, to before: Sum) -> Sum {
    // The magic number's last bit says how the words are read for the checksum.
    let isBigEndian = word(0) & 1 == 1
    var sum = before
    for place in stride(from: start, to: start + count, by: 8) {
      let (one, two) = (word(place), word(place + 4))
      sum.one &+= (isBigEndian ? one : one.byteSwapped) &+ sum.two
      sum.two &+= (isBigEndian ? two : two.byteSwapped) &+ sum.one
    }
    return sum
  }

  private func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
}
