// The lexical half of the scanner: turns bytes into tokens, exactly as RFC 8259 and UTF-8 say. It knows offsets, but no paths.
//
// Invariants: `base[end]` and the bytes behind it are zero for at least a word; 0 <= offset <= end; a method that throws
// leaves `offset` where it was.

/// A token that is missing or malformed.
struct JSONTokenFailure: Error {
  var offset: Int
  var expected: String
  /// The found content, when that is more than the byte at `offset`.
  var found: String?
}

/// A cursor over UTF-8 text that reads one token at a time.
struct JSONTokens {
  let base: UnsafePointer<UInt8>
  let end: Int
  var offset: Int

  /// The byte at the cursor; zero at the end.
  @inline(__always)
  var byte: UInt8 { base[offset] }

  @inline(__always)
  mutating func skipSpace() {
    while byte <= 0x20 {
      switch byte {
      case 0x20:
        offset += 1
        // Indentation, eight spaces at a time.
        while word(at: offset) == 0x2020_2020_2020_2020 { offset += 8 }
      case 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Whether a value can begin with the byte at the cursor.
  @inline(__always)
  var startsValue: Bool { JSONKind(firstByte: byte) != nil }

  mutating func literal(_ text: StaticString) throws(JSONTokenFailure) {
    let length = text.utf8CodeUnitCount
    for index in 0..<length where base[offset + index] != text.utf8Start[index] {
      throw JSONTokenFailure(offset: offset + index, expected: "\(text)")
    }
    offset += length
  }

  mutating func bool() throws(JSONTokenFailure) -> Bool {
    let isTrue = byte == UInt8(ascii: "t")
    try literal(isTrue ? "true" : "false")
    return isTrue
  }

  /// Reads a string and checks every byte. The cursor must be at the opening quote.
  mutating func string() throws(JSONTokenFailure) -> JSONStringToken {
    var index = offset + 1
    var isEscaped = false
    while true {
      let word = word(at: index)
      // The top bit of each byte: is the byte a quote, a backslash, a control character, or not ASCII? Only the lowest bit that is set is
      // exact, because a borrow can run upwards. Only that one is used.
      let quote = word ^ 0x2222_2222_2222_2222
      let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
      let ones: UInt64 = 0x0101_0101_0101_0101
      let special =
        ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- 0x2020_2020_2020_2020) & ~word | word)
        & 0x8080_8080_8080_8080
      guard special != 0 else {
        index += 8
        continue
      }
      index += special.trailingZeroBitCount >> 3
      switch base[index] {
      case UInt8(ascii: "\""):
        let start = offset + 1
        offset = index + 1
        let bytes = UnsafeBufferPointer(start: base + start, count: index - start)
        return JSONStringToken(start: start, bytes: bytes, isEscaped: isEscaped)
      case UInt8(ascii: "\\"):
        isEscaped = true
        index = try escape(at: index)
      case 0x80...:
        repeat { index = try character(at: index) } while base[index] >= 0x80
      default:
        throw JSONTokenFailure(offset: index, expected: index >= end ? "the end of the string" : "an escape for a control character")
      }
    }
  }

  /// Checks the UTF-8 sequence at `index`, whose first byte is not ASCII; returns the index behind it.
  @inline(__always)
  private func character(at index: Int) throws(JSONTokenFailure) -> Int {
    let first = base[index]
    let second = base[index + 1]
    // The ranges of the second byte exclude overlong forms, surrogates, and values above U+10FFFF.
    let length =
      switch first {
      case 0xC2...0xDF: second & 0xC0 == 0x80 ? 2 : 0
      case 0xE0: 0xA0...0xBF ~= second ? 3 : 0
      case 0xED: 0x80...0x9F ~= second ? 3 : 0
      case 0xE1...0xEF: second & 0xC0 == 0x80 ? 3 : 0
      case 0xF0: 0x90...0xBF ~= second ? 4 : 0
      case 0xF1...0xF3: second & 0xC0 == 0x80 ? 4 : 0
      case 0xF4: 0x80...0x8F ~= second ? 4 : 0
      default: 0
      }
    let isComplete =
      switch length {
      case 2: true
      case 3: base[index + 2] & 0xC0 == 0x80
      case 4: base[index + 2] & 0xC0 == 0x80 && base[index + 3] & 0xC0 == 0x80
      default: false
      }
    guard isComplete else {
      var cut = index + 1
      if 0xC2...0xF4 ~= first {
        while cut < min(end, index + max(length, 1)), base[cut] & 0xC0 == 0x80 { cut += 1 }
      }
      throw JSONTokenFailure(offset: cut >= end ? end : index, expected: "valid UTF-8")
    }
    return index + length
  }

  /// Checks the escape whose backslash is at `index`; returns the index behind it.
  private func escape(at index: Int) throws(JSONTokenFailure) -> Int {
    switch base[index + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return index + 2
    case UInt8(ascii: "u"):
      let unit = try hexUnit(at: index + 2)
      guard unit & 0xF800 == 0xD800 else { return index + 6 }
      var low = index + 6
      if unit < 0xDC00, base[low] == UInt8(ascii: "\\") {
        low += 1
        if base[low] == UInt8(ascii: "u"), try hexUnit(at: low + 1) & 0xFC00 == 0xDC00 { return index + 12 }
      }
      throw JSONTokenFailure(offset: unit < 0xDC00 && low >= end ? end : index, expected: "a pair of surrogates")
    default:
      throw JSONTokenFailure(offset: index + 1, expected: "one of \" \\ / b f n r t u after a backslash")
    }
  }

  private func hexUnit(at index: Int) throws(JSONTokenFailure) -> UInt32 {
    var unit: UInt32 = 0
    for position in index..<(index + 4) {
      guard let digit = JSONStringToken.hexDigit(base[position]) else {
        throw JSONTokenFailure(offset: position, expected: "a hexadecimal digit")
      }
      unit = unit << 4 | digit
    }
    return unit
  }
}
