/// Counts the attributes of each tag while its bytes pass. An equals sign in a comment, text or value is not counted.
struct XMLAttributeCount {
  /// The count of the tag with most attributes.
  private(set) var most = 0
  private var count = 0
  private var place = Place.text
  /// Nil before the first bytes. In an encoding with wide characters, any byte may be half of a character, so every `=` after a
  /// `<` counts.
  private var isWide: Bool?

  private enum Place: Equatable {
    case text, opening, tag, declaration
    /// In a quoted value of a tag or declaration, until the same quote.
    case quoted(UInt8, inTag: Bool)
    /// After `<!`, with the number of bytes of `--` or `[CDATA[` so far.
    case marked(dashes: Int, brackets: Int)
    /// In a comment, CDATA or an instruction. `needed` times `last` and then a `>` end it; `found` counts the last bytes.
    case skipped(last: UInt8, needed: Int, found: Int)
  }

  private static let cdata = Array("[CDATA[".utf8)

  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    let isWide = isWide ?? Self.isWide(bytes)
    self.isWide = isWide
    for byte in bytes {
      if isWide { takeWide(byte) } else { take(byte) }
    }
  }

  private static func isWide(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let start = bytes.prefix(4)
    return start.contains(0) || start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
  }

  private mutating func takeWide(_ byte: UInt8) {
    if byte == UInt8(ascii: "<") { count = 0 } else if byte == UInt8(ascii: "=") { add() }
  }

  private mutating func add() {
    count &+= 1
    most = max(most, count)
  }

  private mutating func take(_ byte: UInt8) {
    switch place {
    case .text: if byte == UInt8(ascii: "<") { place = .opening }
    case .opening:
      count = 0
      switch byte {
      case UInt8(ascii: "!"): place = .marked(dashes: 0, brackets: 0)
      case UInt8(ascii: "?"): place = .skipped(last: UInt8(ascii: "?"), needed: 1, found: 0)
      default:
        place = .tag
        inside(byte, isTag: true)
      }
    case .tag: inside(byte, isTag: true)
    case .declaration: inside(byte, isTag: false)
    case .quoted(let quote, let isTag): if byte == quote { place = isTag ? .tag : .declaration }
    case .marked(let dashes, let brackets): marked(byte, dashes, brackets)
    case .skipped(let last, let needed, let found):
      if byte == last {
        place = .skipped(last: last, needed: needed, found: min(found + 1, needed))
      } else if byte == UInt8(ascii: ">"), found == needed {
        place = .text
      } else if found > 0 {
        place = .skipped(last: last, needed: needed, found: 0)
      }
    }
  }

  private mutating func inside(_ byte: UInt8, isTag: Bool) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): place = .quoted(byte, inTag: isTag)
    case UInt8(ascii: ">"): place = .text
    // A document's declarations stand in brackets, and contain tags and comments again.
    case UInt8(ascii: "[") where !isTag: place = .text
    case UInt8(ascii: "<"): place = .opening
    case UInt8(ascii: "=") where isTag: add()
    default: break
    }
  }

  private mutating func marked(_ byte: UInt8, _ dashes: Int, _ brackets: Int) {
    if byte == UInt8(ascii: "-"), brackets == 0 {
      place = dashes == 1 ? .skipped(last: byte, needed: 2, found: 0) : .marked(dashes: 1, brackets: 0)
    } else if dashes == 0, brackets < Self.cdata.count, byte == Self.cdata[brackets] {
      let isWhole = brackets + 1 == Self.cdata.count
      place = isWhole ? .skipped(last: UInt8(ascii: "]"), needed: 2, found: 0) : .marked(dashes: 0, brackets: brackets + 1)
    } else {
      place = .declaration
      inside(byte, isTag: false)
    }
  }
}
