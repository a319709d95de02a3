import Foundation
import Holdfast

/// Bytes that are a text in another form as a whole: in base64, or in UTF-16.
struct EncodedText {
  /// In UTF-8.
  let plain: [UInt8]
  private let form: Form

  private enum Form {
    case base64(Base64)
    case utf16(isBigEndian: Bool, hasMark: Bool)
  }

  /// Nil for bytes that are neither.
  init?(_ bytes: ArraySlice<UInt8>) {
    if let mark = Self.utf16(bytes) {
      form = .utf16(isBigEndian: mark.isBigEndian, hasMark: mark.hasMark)
      let pairs = Array(bytes.dropFirst(mark.hasMark ? 2 : 0))
      let units = stride(from: 0, to: pairs.count - 1, by: 2).map { place -> UInt16 in
        let (first, second) = (UInt16(pairs[place]), UInt16(pairs[place + 1]))
        return mark.isBigEndian ? first << 8 | second : second << 8 | first
      }
      plain = Array(String(decoding: units, as: UTF16.self).utf8)
    } else {
      guard Self.mayBeBase64(bytes), let base64 = Base64(bytes), let decoded = base64.decoded else { return nil }
      form = .base64(base64)
      plain = Array(decoded)
    }
  }

  /// Whether this begins as an object, a list, a text of JSON or white space do in base64, in UTF-16 too, or as such base64 does in base64
  /// again: before anything is decoded.
  static func mayBeBase64(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count >= 8, let first = bytes.first, let second = bytes.dropFirst().first else { return false }
    switch first {
    // What an object begins with: a quote or white space.
    case UInt8(ascii: "e"): return "wy".utf8.contains(second)
    case UInt8(ascii: "W"): return "wy31zl".utf8.contains(second)
    case UInt8(ascii: "I"): return "HCAFgnlm".utf8.contains(second)
    case UInt8(ascii: "C"): return "nliglXSQV".utf8.contains(second)
    case UInt8(ascii: "D"): return "QXSV".utf8.contains(second)
    // The mark of UTF-8.
    case UInt8(ascii: "7"): return second == UInt8(ascii: "7")
    case UInt8(ascii: "Z"): return second == UInt8(ascii: "X")
    case UInt8(ascii: "V"): return "3zj2".utf8.contains(second)
    // An address of data, or a space before it.
    case UInt8(ascii: "d"): return second == UInt8(ascii: "a")
    case 0x20, 0x0A, 0x0D, 0x09: return true
    // UTF-16: its mark, or a zero before the first character.
    case UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "A"): return mayBeUTF16(Array(bytes.prefix(3)))
    default: return false
    }
  }

  private static func mayBeUTF16(_ start: [UInt8]) -> Bool {
    guard start.count == 3 else { return false }
    switch (start[0], start[1]) {
    case (UInt8(ascii: "/"), UInt8(ascii: "/")), (UInt8(ascii: "_"), UInt8(ascii: "_")): return "4567".utf8.contains(start[2])
    case (UInt8(ascii: "/"), UInt8(ascii: "v")), (UInt8(ascii: "_"), UInt8(ascii: "v")): return start[2] == UInt8(ascii: "8")
    case (UInt8(ascii: "A"), UInt8(ascii: "H")), (UInt8(ascii: "A"), UInt8(ascii: "F")): return start[2] == UInt8(ascii: "s")
    case (UInt8(ascii: "A"), UInt8(ascii: "C")): return "AI".utf8.contains(start[2])
    case (UInt8(ascii: "A"), UInt8(ascii: "A")): return "ok0".utf8.contains(start[2])
    default: return false
    }
  }

  /// The digits of base64 that stand here to the end, or to a quote, where they begin as such of JSON do.
  static func digits(in bytes: [UInt8], from start: Int) -> Range<Int>? {
    guard start < bytes.count, mayBeBase64(bytes[start...]) else { return nil }
    let end = bytes[start...].firstIndex { !Base64.isDigit($0) && $0 != Base64.padding } ?? bytes.count
    guard end == bytes.count || bytes[end] == UInt8(ascii: "\"") || bytes[end] == UInt8(ascii: "\\") else { return nil }
    return start..<end
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>) -> (isBigEndian: Bool, hasMark: Bool)? {
    let start = Array(bytes.prefix(2))
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2), start.count == 2 else { return nil }
    let found: (isBigEndian: Bool, hasMark: Bool)
    switch (start[0], start[1]) {
    case (0xFE, 0xFF): found = (true, true)
    case (0xFF, 0xFE): found = (false, true)
    // The first character is one of ASCII.
    case (0, 1...): found = (true, false)
    case (1..., 0): found = (false, false)
    default: return nil
    }
    // Numbers of a model look so, too, and are many.
    let high = bytes.startIndex + (found.isBigEndian ? 0 : 1)
    let low = bytes.startIndex + (found.isBigEndian ? 1 : 0)
    let isOfInterest = stride(from: 0, to: bytes.count, by: 2).contains { place in
      bytes[high + place] == 0 && (bytes[low + place] == UInt8(ascii: "\"") || bytes[low + place] == UInt8(ascii: ":"))
    }
    return isOfInterest ? found : nil
  }

  func encoding(_ text: [UInt8]) -> [UInt8] {
    switch form {
    case .base64(let base64): return base64.encoding(text)
    case .utf16(let isBigEndian, let hasMark):
      let mark: [UInt16] = hasMark ? [0xFEFF] : []
      let units = mark + Array(String(decoding: text, as: UTF8.self).utf16)
      return units.flatMap { unit -> [UInt8] in
        let (high, low) = (UInt8(truncatingIfNeeded: unit >> 8), UInt8(truncatingIfNeeded: unit))
        return isBigEndian ? [high, low] : [low, high]
      }
    }
  }
}

/// Which base64: the one of MIME, or that of addresses, with - and _ in the place of + and /; with or without = at its end. Lines and
/// spaces are left out, and what stands before it in an address of data, `data:…;base64,`, stays.
struct Base64 {
  private let prefix: [UInt8]
  private let digits: [UInt8]
  private let isOfAddresses: Bool
  private let isPadded: Bool

  /// Nil for what is none. Where the digits leave it open what has no = at its end, and needs it, is that of addresses.
  init?(_ bytes: ArraySlice<UInt8>) {
    var text = bytes
    if bytes.starts(with: "data:".utf8) {
      guard let comma = bytes.prefix(256).firstIndex(of: UInt8(ascii: ",")), bytes[..<comma].suffix(7).elementsEqual(";base64".utf8) else {
        return nil
      }
      text = bytes[(comma + 1)...]
    }
    // Most texts have something else before long.
    guard text.allSatisfy(Self.isDigitOrSpace) else { return nil }
    let plain = text.filter { !Self.isSpace($0) }
    var own = plain[...]
    while own.last == Self.padding { own.removeLast() }
    // What was cut off behind one digit of four.
    if own.count % 4 == 1 { own.removeLast() }
    guard own.count >= 7, plain.count - own.count <= 3, !own.contains(Self.padding) else { return nil }
    prefix = Array(bytes[..<text.startIndex])
    digits = Array(own)
    isPadded = plain.count.isMultiple(of: 4)
    isOfAddresses =
      own.contains { $0 == Self.minus || $0 == Self.low } || !isPadded && !own.contains { $0 == Self.plus || $0 == Self.slash }
  }

  var decoded: Data? {
    let plain = digits.map { $0 == Self.minus ? Self.plus : $0 == Self.low ? Self.slash : $0 }
    return Data(base64Encoded: Data(plain + Array(repeating: Self.padding, count: (4 - plain.count % 4) % 4)))
  }

  func encoding(_ bytes: [UInt8]) -> [UInt8] {
    var digits = Array(Data(bytes).base64EncodedData())
    if isOfAddresses { digits = digits.map { $0 == Self.plus ? Self.minus : $0 == Self.slash ? Self.low : $0 } }
    if !isPadded { while digits.last == Self.padding { digits.removeLast() } }
    return prefix + digits
  }

  private static let (plus, slash) = (UInt8(ascii: "+"), UInt8(ascii: "/"))
  private static let (minus, low) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
  static let padding = UInt8(ascii: "=")

  static func isDigit(_ byte: UInt8) -> Bool {
    SecretPlace.isLetterOrDigit(byte) || byte == plus || byte == slash || byte == minus || byte == low
  }

  /// Whether it may stand in base64, or at its end.
  private static func isDigitOrSpace(_ byte: UInt8) -> Bool { isDigit(byte) || byte == padding || isSpace(byte) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

/// A piece of JSON with the escapes of one level taken away, as far as they are those of quotes, slashes and backslashes.
struct UnescapedText {
  private(set) var bytes: [UInt8] = []
  /// Where each byte stands in the escaped ones.
  private var origins: [Int] = []

  /// Nil where no quote is escaped.
  init?(_ escaped: [UInt8]) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    guard zip(escaped, escaped.dropFirst()).contains(where: { $0 == (backslash, quote) }) else { return nil }
    var place = 0
    while place < escaped.count {
      origins.append(place)
      if escaped[place] == backslash, place + 1 < escaped.count, [quote, backslash, UInt8(ascii: "/")].contains(escaped[place + 1]) {
        place += 1
      }
      bytes.append(escaped[place])
      place += 1
    }
    origins.append(escaped.count)
  }

  /// The same place in the escaped bytes.
  func place(_ inner: SecretPlace) -> SecretPlace {
    var place = inner
    place.range = origins[inner.range.lowerBound]..<origins[inner.range.upperBound]
    place.replacement = Array(
      JSONValue.string(String(decoding: inner.replacement, as: UTF8.self)).canonicalText().utf8.dropFirst().dropLast())
    place.key = nil
    return place
  }
}
