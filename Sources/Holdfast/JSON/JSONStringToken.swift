/// A string, checked and not decoded yet; valid as long as its document.
struct JSONStringToken {
  /// The offset of the first byte behind the opening quote.
  let start: Int
  /// The bytes between the quotes.
  let bytes: UnsafeBufferPointer<UInt8>
  let isEscaped: Bool

  var string: String {
    isEscaped ? unescaped() : String(decoding: bytes, as: UTF8.self)
  }

  private func unescaped() -> String {
    // An escape is never shorter than its character, so the target is large enough.
    String(unsafeUninitializedCapacity: bytes.count) { target in
      var length = 0
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte != UInt8(ascii: "\\") {
          target[length] = byte
          index += 1
          length += 1
          continue
        }
        let (scalar, next) = escape(at: index)
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          target[length] = unit
          length += 1
        }
        index = next
      }
      return length
    }
  }

  /// The character of the escape whose backslash is at `index`, and where the escape ends.
  private func escape(at index: Int) -> (Unicode.Scalar, end: Int) {
    let kind = index + 1 < bytes.count ? bytes[index + 1] : 0
    switch kind {
    case UInt8(ascii: "b"): return ("\u{8}", index + 2)
    case UInt8(ascii: "f"): return ("\u{C}", index + 2)
    case UInt8(ascii: "n"): return ("\n", index + 2)
    case UInt8(ascii: "r"): return ("\r", index + 2)
    case UInt8(ascii: "t"): return ("\t", index + 2)
    case UInt8(ascii: "u"):
      let first = unit(at: index + 2)
      guard first & 0xFC00 == 0xD800 else { return (Unicode.Scalar(first) ?? "\u{FFFD}", index + 6) }
      let pair = 0x10000 + (first & 0x3FF) << 10 + unit(at: index + 8) & 0x3FF
      return (Unicode.Scalar(pair) ?? "\u{FFFD}", index + 12)
    default: return (Unicode.Scalar(kind), index + 2)
    }
  }

  private func unit(at index: Int) -> UInt32 {
    guard index + 4 <= bytes.count else { return 0 }
    return bytes[index..<(index + 4)].reduce(0) { $0 << 4 | (Self.hexDigit($1) ?? 0) }
  }

  static func hexDigit(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
