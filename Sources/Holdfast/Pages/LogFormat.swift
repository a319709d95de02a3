internal import CHoldfast
import Foundation

// SQLite's log: a header of 32 bytes, then frames. A frame has a header of 24 bytes and a page.
// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log

/// The running checksum of all bytes of a log so far: two sums over pairs of 32-bit words.
struct LogChecksum: Equatable {
  var one: UInt32 = 0
  var two: UInt32 = 0

  /// Adds `count` bytes, a multiple of 8.
  mutating func add(_ bytes: UnsafeRawPointer, _ count: Int, isBigEndian: Bool) {
    holdfast_log_sum(isBigEndian ? 1 : 0, bytes, count, &one, &two)
  }
}

struct LogHeader {
  static let bytes = 32

  let pageBytes: Int
  /// Two numbers that change each time the log starts again. Frames with other salts are left over from before.
  let salts: UInt64
  /// The checksum after it.
  let sum: LogChecksum
  private let isBigEndian: Bool

  var beginning: LogPlace { LogPlace(salts: salts, frames: 0, sum: sum) }

  /// Nil where it is cut off or damaged.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.bytes, let start = bytes.baseAddress, bytes.word(0) & ~1 == 0x377F_0682 else { return nil }
    isBigEndian = bytes.word(0) & 1 == 1
    var sum = LogChecksum()
    sum.add(start, 24, isBigEndian: isBigEndian)
    (self.sum, pageBytes, salts) = (sum, Int(bytes.word(8)), bytes.salts(16))
    guard sum == LogChecksum(one: bytes.word(24), two: bytes.word(28)), pageBytes.isPageSize else { return nil }
  }

  /// The checksum `sum`, and a whole frame of this log after it.
  func adding(_ frame: UnsafeRawBufferPointer, to sum: LogChecksum) -> LogChecksum {
    guard let start = frame.baseAddress, frame.count >= LogFrame.headerBytes else { return sum }
    var sum = sum
    sum.add(start, 8, isBigEndian: isBigEndian)
    sum.add(start + LogFrame.headerBytes, frame.count - LogFrame.headerBytes, isBigEndian: isBigEndian)
    return sum
  }
}

/// The header of a frame.
struct LogFrame {
  static let headerBytes = 24

  let page: UInt32
  /// The size of the database after a commit; 0 for other frames.
  let databasePages: UInt32
  let salts: UInt64
  /// The checksum up to the frame's end, as it stands in the log.
  let sum: LogChecksum

  /// Nil where it is cut off.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerBytes else { return nil }
    (page, databasePages, salts) = (bytes.word(0), bytes.word(4), bytes.salts(8))
    sum = LogChecksum(one: bytes.word(16), two: bytes.word(20))
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func word(_ offset: Int) -> UInt32 { UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }

  fileprivate func salts(_ offset: Int) -> UInt64 { UInt64(word(offset)) << 32 | UInt64(word(offset + 4)) }
}

extension Int {
  /// Whether SQLite knows pages of this many bytes.
  var isPageSize: Bool { (512...65_536).contains(self) && self & (self - 1) == 0 }
}
