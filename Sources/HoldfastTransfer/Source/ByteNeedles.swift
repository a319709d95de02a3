package import Foundation
import Holdfast

/// Finds any of many texts in bytes, in one pass, in every form in which they may stand there.
///
/// A text stands in JSON with escapes, in JSON that is itself a text of JSON with more of them, in UTF-16, and in base64 in one of three
/// spellings, by the place where it begins.
package struct ByteNeedles: Sendable {
  /// Anything shorter stands in other bytes by chance, and is not looked for.
  package static let shortest = 8

  /// What of a longer text is looked up: its beginning and its end, this long together. The rest is compared only where both are there.
  private static let longestKey = 128

  /// Those with the same first eight bytes: keys of one service begin alike, and there may be many.
  private struct Bucket {
    /// The longest first: of a text and its beginning the whole is found.
    var lengths: [Int] = []
    var needles: [ArraySlice<UInt8>: Set<ArraySlice<UInt8>>] = [:]
  }

  private var byStart: [UInt64: Bucket] = [:]
  /// Whether any begins with these two bytes: most places are passed by this alone.
  private var mayStart = Array(repeating: false, count: 1 << 16)
  private var longest = 0

  package init(_ texts: some Sequence<Data>) {
    for text in texts where text.count >= Self.shortest { for form in Self.forms(of: Array(text)) { insert(form) } }
  }

  package var isEmpty: Bool { byStart.isEmpty }

  private mutating func insert(_ needle: [UInt8]) {
    guard needle.count >= Self.shortest else { return }
    let start = needle.prefix(Self.shortest).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard byStart[start, default: Bucket()].needles[Self.key(needle[...]), default: []].insert(needle[...]).inserted else { return }
    let lengths = byStart[start]?.lengths ?? []
    if !lengths.contains(needle.count) {
      byStart[start]?.lengths.insert(needle.count, at: lengths.firstIndex { $0 < needle.count } ?? lengths.endIndex)
    }
    mayStart[Int(start >> 48)] = true
    longest = max(longest, needle.count)
  }

  /// Where they stand, in order; places that overlap are one.
  package func ranges(in bytes: [UInt8]) -> [Range<Int>] {
    var found: [Range<Int>] = []
    search(bytes) { range in
      if let last = found.last, range.lowerBound <= last.upperBound {
        found.removeLast()
        found.append(last.lowerBound..<max(last.upperBound, range.upperBound))
      } else {
        found.append(range)
      }
      return true
    }
    return found
  }

  /// The bytes with another text in the place of each of these.
  package func replacing(in bytes: [UInt8], with text: [UInt8]) -> [UInt8] {
    let ranges = ranges(in: bytes)
    guard !ranges.isEmpty else { return bytes }
    var left: [UInt8] = []
    var place = 0
    for range in ranges {
      left += bytes[place..<range.lowerBound] + text
      place = range.upperBound
    }
    return left + bytes[place...]
  }

  package func stand(in bytes: [UInt8]) -> Bool {
    var found = false
    search(bytes) { _ in
      found = true
      return false
    }
    return found
  }

  /// Reads the whole file, a piece at a time.
  package func stand(inFileAt url: URL) throws -> Bool {
    guard !isEmpty else { return false }
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    var bytes: [UInt8] = []
    while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
      bytes = Array(bytes.suffix(longest - 1)) + piece
      if stand(in: bytes) { return true }
    }
    return false
  }

  private static func key(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text.count <= longestKey ? text : text.prefix(longestKey / 2) + text.suffix(longestKey / 2)
  }

  /// - Parameter found: told of the longest that begins at each place; returns whether to go on. In one that is longer than `longestKey`
  ///   only shorter ones are looked for: else a megabyte of one letter would be compared with another at each of its letters.
  private func search(_ bytes: [UInt8], found: (Range<Int>) -> Bool) {
    guard !isEmpty else { return }
    var window: UInt64 = 0
    var behindLong = 0
    for (place, byte) in bytes.enumerated() {
      window = window << 8 | UInt64(byte)
      let start = place + 1 - Self.shortest
      guard start >= 0, mayStart[Int(window >> 48)], let bucket = byStart[window] else { continue }
      let length = bucket.lengths.first { length in
        guard length <= Self.longestKey || start >= behindLong, start + length <= bytes.count else { return false }
        let text = bytes[start..<start + length]
        guard let needles = bucket.needles[Self.key(text)] else { return false }
        return needles.contains { $0.count == length && $0.elementsEqual(text) }
      }
      guard let length else { continue }
      if length > Self.longestKey { behindLong = start + length }
      if !found(start..<start + length) { return }
    }
  }

  // MARK: Forms

  private static func forms(of bytes: [UInt8]) -> Set<[UInt8]> {
    var forms: Set<[UInt8]> = [bytes]
    if let text = String(validating: bytes, as: UTF8.self) {
      var texts: Set<String> = [text]
      for _ in 0..<2 { texts.formUnion(texts.flatMap(escaped)) }
      forms.formUnion(texts.map { Array($0.utf8) })
      for text in texts {
        let units = Array(text.utf16)
        forms.insert(units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
        forms.insert(units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] })
      }
    }
    for form in forms { forms.formUnion(base64(form)) }
    return forms
  }

  /// As encoders write it between the quotes: some of them `/` as `\/`.
  private static func escaped(_ text: String) -> [String] {
    let escaped = String(JSONValue.string(text).canonicalText().dropFirst().dropLast())
    return [escaped, escaped.replacingOccurrences(of: "/", with: #"\/"#)]
  }

  /// The digits that these bytes alone decide, wherever in the encoded bytes they begin.
  private static func base64(_ bytes: [UInt8]) -> [[UInt8]] {
    (0..<3).flatMap { offset in
      let digits = Array((Data(repeating: 0, count: offset) + bytes).base64EncodedData())
      let (first, end) = ((offset * 8 + 5) / 6, (offset + bytes.count) * 8 / 6)
      let own = Array(digits.prefix(end).dropFirst(first))
      let ofURLs = own.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
      return [own, ofURLs]
    }
  }
}
