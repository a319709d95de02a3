internal import Foundation

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// What a document says of its encoding.
enum XMLEncoding {
  /// The wide ones, by a mark or by the zeros around the first characters.
  private static let wide: [[UInt8]] = [
    [0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0, 0x3F, 0], [0, 0x3C, 0, 0x3F], [0x3C, 0, 0, 0], [0, 0, 0, 0x3C],
  ]

  /// Whether the parser makes UTF-8 of the document before it reads it. In doubt not: what it does not know, it reads as UTF-8
  /// even where that has been said to be an error.
  static func isAnother(_ start: Data) -> Bool {
    if wide.contains(where: { start.starts(with: $0) }) { return true }
    let text = String(decoding: start.prefix(200), as: UTF8.self)
    let version = /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]"|'1\.[0-9]')/
    let encoding = /[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([A-Za-z][A-Za-z0-9._-]*)"|'([A-Za-z][A-Za-z0-9._-]*)')/
    guard let beginning = text.prefixMatch(of: version), let match = text[beginning.range.upperBound...].prefixMatch(of: encoding),
      let name = match.1 ?? match.2
    else { return false }
    // A document of single bytes that says it is wide is read as UTF-8.
    guard !["UTF", "UCS", "ISO-10646"].contains(where: name.uppercased().hasPrefix) else { return false }
    let parser = XMLParser(data: Data("<?xml version=\"1.0\" encoding=\"\(name)\"?><a/>".utf8))
    return parser.parse() && parser.parserError == nil
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
