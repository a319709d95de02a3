internal import Foundation

/// What a document says of its encoding.
enum XMLEncoding {
  /// Whether the document is in another encoding than UTF-8, by its first bytes.
  static func isAnother(_ start: Data) -> Bool {
    let start = Array(start.prefix(200))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { return false }
    // Wider characters have a mark or zeros, and EBCDIC has no <.
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.prefix(4).contains(0) { return true }
    if start.starts(with: [0x4C, 0x6F, 0xA7, 0x94]) { return true }
    let text = String(decoding: start, as: UTF8.self)
    guard text.hasPrefix("<?xml"), let end = text.range(of: "?>"),
      let key = text.range(of: "encoding", range: text.startIndex..<end.lowerBound)
    else { return false }
    let name = text[key.upperBound..<end.lowerBound].drop { "= \t\r\n\"'".contains($0) }.prefix { !" \t\r\n\"'".contains($0) }
    // A document of single bytes that says otherwise is read as UTF-8.
    return !["UTF", "UCS", "ISO-10646"].contains { name.uppercased().hasPrefix($0) }
  }
}

/// Whether bytes are UTF-8, piece by piece.
struct UTF8Check {
  /// How many bytes of a character are still to come, and what the next one may be.
  private var missing = 0
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// The offset of the first byte that has no place there.
  mutating func firstBad(in bytes: UnsafeRawBufferPointer) -> Int? {
    for (offset, byte) in bytes.enumerated() where byte >= 0x80 || missing > 0 {
      guard take(byte) else { return offset }
    }
    return nil
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    if missing > 0 {
      guard next.contains(byte) else { return false }
      (missing, next) = (missing - 1, 0x80...0xBF)
      return true
    }
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, next) = (2, 0xA0...0xBF)
    case 0xED: (missing, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, next) = (3, 0x90...0xBF)
    case 0xF1...0xF3: missing = 3
    case 0xF4: (missing, next) = (3, 0x80...0x8F)
    default: return false
    }
    return true
  }
}
