internal import Foundation

#if canImport(FoundationXML)
  internal import FoundationXML
#endif

/// The encoding that a document declares.
enum XMLEncoding {
  /// Wide encodings, found by a byte order mark or by zeros around the first characters.
  private static let wide: [[UInt8]] = [
    [0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0, 0x3F, 0], [0, 0x3C, 0, 0x3F], [0x3C, 0, 0, 0], [0, 0, 0, 0x3C],
  ]

  /// Whether the parser converts the document to UTF-8 before it reads it. False in doubt: the parser reads an unknown encoding
  /// as UTF-8, even after it reported an error.
  static func isAnother(_ start: Data) -> Bool {
    if wide.contains(where: { start.starts(with: $0) }) { return true }
    let text = String(decoding: start.prefix(200), as: UTF8.self)
    let version = /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.[0-9]"|'1\.[0-9]')/
    let encoding = /[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([A-Za-z][A-Za-z0-9._-]*)"|'([A-Za-z][A-Za-z0-9._-]*)')/
    guard let beginning = text.prefixMatch(of: version), let match = text[beginning.range.upperBound...].prefixMatch(of: encoding),
      let name = match.1 ?? match.2
    else { return false }
    // The parser reads a document of single bytes that declares a wide encoding as UTF-8.
    guard !["UTF", "UCS", "ISO-10646"].contains(where: name.uppercased().hasPrefix) else { return false }
    let parser = XMLParser(data: Data("<?xml version=\"1.0\" encoding=\"\(name)\"?><a/>".utf8))
    return parser.parse() && parser.parserError == nil
  }
}

/// Checks piece by piece whether bytes are UTF-8.
struct UTF8Check {
  /// How many bytes of the current character are missing, and the allowed range of the next byte.
  private var missing = 0
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// The offset of the first byte that is not valid UTF-8 there.
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
