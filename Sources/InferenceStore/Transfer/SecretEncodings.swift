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
      guard Self.mayBeBase64(bytes) else { return nil }
      let base64 = Base64(bytes)
      guard let decoded = base64.decoded(bytes) else { return nil }
      form = .base64(base64)
      plain = Array(decoded)
    }
  }

  /// Whether the first digits are those of an object, a list or white space: before anything is decoded.
  static func mayBeBase64(_ bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count >= 8, bytes.count % 4 != 1, let first = bytes.first else { return false }
    return "eWCDI7".utf8.contains(first)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>) -> (isBigEndian: Bool, hasMark: Bool)? {
    let start = Array(bytes.prefix(2))
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2), start.count == 2 else { return nil }
    if start == [0xFE, 0xFF] { return (true, true) }
    if start == [0xFF, 0xFE] { return (false, true) }
    // The first character is one of ASCII.
    if start[0] == 0, start[1] != 0 { return (true, false) }
    guard start[0] != 0, start[1] == 0 else { return nil }
    return (false, false)
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

/// Which base64: the one of MIME, or that of addresses, with - and _ in the place of + and /; with or without = at its end.
private struct Base64 {
  private let isOfAddresses: Bool
  private let isPadded: Bool

  /// Where the digits leave it open what has no = at its end, and needs it, is that of addresses.
  init(_ digits: ArraySlice<UInt8>) {
    isPadded = digits.count.isMultiple(of: 4)
    isOfAddresses =
      !isPadded && !digits.contains { $0 == Self.plus || $0 == Self.slash } || digits.contains { $0 == Self.minus || $0 == Self.low }
  }

  /// Nil for what is none.
  func decoded(_ digits: ArraySlice<UInt8>) -> Data? {
    // Most texts have a space before long.
    let rest = digits.drop { Self.isDigit($0) }
    guard rest.count <= 2, rest.allSatisfy({ $0 == Self.padding }), isPadded || rest.isEmpty else { return nil }
    let plain = digits.map { $0 == Self.minus ? Self.plus : $0 == Self.low ? Self.slash : $0 }
    return Data(base64Encoded: Data(plain + Array(repeating: Self.padding, count: (4 - plain.count % 4) % 4)))
  }

  func encoding(_ bytes: [UInt8]) -> [UInt8] {
    var digits = Array(Data(bytes).base64EncodedData())
    if isOfAddresses { digits = digits.map { $0 == Self.plus ? Self.minus : $0 == Self.slash ? Self.low : $0 } }
    if !isPadded { while digits.last == Self.padding { digits.removeLast() } }
    return digits
  }

  private static let (plus, slash, padding) = (UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="))
  private static let (minus, low) = (UInt8(ascii: "-"), UInt8(ascii: "_"))

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: byte == plus || byte == slash || byte == minus || byte == low
    }
  }
}

/// A piece of JSON with the escapes of one level taken away, as far as they are those of quotes, slashes and backslashes.
struct UnescapedText {
  private(set) var bytes: [UInt8] = []
  /// Where each byte stands in the escaped ones.
  private var origins: [Int] = []

  /// Nil where no quote is escaped.
  init?(_ escaped: [UInt8]) {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    var hasQuote = false
    var place = 0
    while place < escaped.count {
      origins.append(place)
      if escaped[place] == backslash, place + 1 < escaped.count, [quote, backslash, UInt8(ascii: "/")].contains(escaped[place + 1]) {
        place += 1
        hasQuote = hasQuote || escaped[place] == quote
      }
      bytes.append(escaped[place])
      place += 1
    }
    guard hasQuote else { return nil }
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
