import Foundation
import Holdfast
import HoldfastTransfer

/// A secret in bytes that are, or were, JSON.
struct SecretPlace: Sendable {
  /// Of a text without its quotes.
  var range: Range<Int>
  /// What may stand there.
  var replacement: [UInt8]
  /// The secret's own texts, as they are spelled there and as they are meant.
  var texts: [Data] = []
  /// The text of a member that is called as the key of the API is; nil for any other.
  var key: String?

  /// Longer texts are looked for nowhere else: no key is as long, and each is looked for in many forms.
  static let longestText = 4_096

  static let mask = Array(SecretProperties.mask.utf8)
  private static let quotedMask = Array(JSONValue.string(SecretProperties.mask).canonicalText().utf8)
  /// JSON in a text of JSON, in a text of JSON, and so on, each in base64: more is nobody's.
  private static let mostLevels = 8

  /// All bytes of a column: JSON stays JSON. Nil where they say nothing, or stand for a secret already.
  init?(whole bytes: [UInt8], isSecret: (ArraySlice<UInt8>) -> Bool) {
    range = 0..<bytes.count
    guard let value = Self.value(bytes[...]) else {
      replacement = Self.mask
      guard !bytes.isEmpty, !SecretProperties.isMask(String(decoding: bytes, as: UTF8.self)) else { return nil }
      texts = [Data(bytes)] + (EncodedText(bytes[...]).map { [Data($0.plain)] } ?? [])
      return
    }
    replacement = Self.quotedMask
    guard Self.isSecret(value) else { return nil }
    texts = Self.texts(of: value, isSecret) + [Data(bytes)]
  }

  init(range: Range<Int>, replacement: [UInt8], texts: [Data] = []) {
    self.range = range
    self.replacement = replacement
    self.texts = texts
  }

  static func masking(_ places: [SecretPlace], in bytes: [UInt8]) -> [UInt8] {
    guard !places.isEmpty else { return bytes }
    var left: [UInt8] = []
    var end = 0
    for place in places {
      left += bytes[end..<place.range.lowerBound] + place.replacement
      end = place.range.upperBound
    }
    return left + bytes[end...]
  }

  /// The bytes without their secrets, and what these were. What is left of damaged JSON may be read otherwise: it is read until nothing is
  /// found.
  ///
  /// - Parameter isText: whether people may have written it; see `all(in:level:isText:isSecret:)`.
  static func removed(
    from bytes: [UInt8], isText: Bool = false, isSecret: (ArraySlice<UInt8>) -> Bool
  ) -> (bytes: [UInt8], places: [SecretPlace]) {
    var (left, found) = (bytes, [SecretPlace]())
    for _ in 0..<mostReadings {
      let places = all(in: left, isText: isText, isSecret: isSecret)
      if places.isEmpty { break }
      left = masking(places, in: left)
      found += places
    }
    return (left, found)
  }
  private static let mostReadings = 8

  /// Before anything is read: most texts have nothing that a secret stands beside, and are no base64 or UTF-16 of it.
  static func mayStand(in text: some Collection<UInt8>) -> Bool {
    text.contains { $0 == quote || $0 == 0 } || SecretAddress.mayStand(in: text) || EncodedText.mayBeBase64(text)
  }

  /// In order: the values of all members of such a name, what lets one in in an address, and the texts that have such in them, in base64 or
  /// not.
  ///
  /// Of damaged JSON nobody knows where a text begins and where it ends: each quote is tried. A text that is not closed goes to the end of
  /// its line.
  /// - Parameter isText: whether people may have written it. Then it is read as JSON only where it begins as JSON does: a question about
  ///   passwords, or code with one, is none.
  static func all(in bytes: [UInt8], level: Int = 0, isText: Bool = false, isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    if level < mostLevels, let encoded = EncodedText(bytes[...]) {
      let places = all(in: encoded.plain, level: level + 1, isText: true, isSecret: isSecret)
      if !places.isEmpty {
        let again = encoded.encoding(masking(places, in: encoded.plain))
        return [SecretPlace(range: 0..<bytes.count, replacement: again, texts: places.flatMap(\.texts))]
      }
    }
    let addresses = SecretAddress.all(in: bytes, isSecret: isSecret)
    if isText, !beginsAsJSON(bytes) { return addresses }
    return joined(members(in: bytes, level, isSecret), addresses)
  }

  private static func members(in bytes: [UInt8], _ level: Int, _ isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    guard bytes.contains(quote) else { return [] }
    let document = JSONDocument(bytes)
    let isWhole = isJSON(document)
    var found: [SecretPlace] = []
    var place = 0
    while place < bytes.count {
      guard bytes[place] == quote else {
        place += 1
        continue
      }
      let end = closing(bytes, place, before: isWhole ? bytes.count : min(bytes.count, place + longestName))
      if let end, isWhole || isName(bytes[(place + 1)..<end]), let start = member(bytes, after: end), isSecret(bytes[(place + 1)..<end]) {
        let (range, secret) = read(bytes, document, at: start, isSecret)
        if var secret {
          if !LegacySecrets.isAPIKey(bytes[(place + 1)..<end]) { secret.key = nil }
          found.append(secret)
        }
        // Behind the quote that closes a text: else the next text would begin with it.
        place = range.upperBound + (bytes[start] == quote ? 1 : 0)
        continue
      }
      // In damaged JSON a quote may begin a text or end one, and only what is base64 has an end that is sure.
      let text = isWhole ? end.map { (place + 1)..<$0 } : EncodedText.digits(in: bytes, from: place + 1)
      if let text, level < mostLevels, let inner = inside(bytes, text, level, isSecret) {
        found.append(inner)
        place = text.upperBound
      }
      place = isWhole ? (end ?? bytes.count) + 1 : place + 1
    }
    guard !isWhole, level < mostLevels, let plain = UnescapedText(bytes) else { return found }
    // Where a text of it began that was JSON itself nobody knows either.
    return joined(found, all(in: plain.bytes, level: level + 1, isSecret: isSecret).map(plain.place))
  }

  /// In order; what overlaps is one.
  private static func joined(_ first: [SecretPlace], _ second: [SecretPlace]) -> [SecretPlace] {
    first.isEmpty || second.isEmpty ? first + second : joined(first + second)
  }

  static func joined(_ places: [SecretPlace]) -> [SecretPlace] {
    var joined: [SecretPlace] = []
    for place in places.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      guard var last = joined.last, place.range.lowerBound < last.range.upperBound else {
        joined.append(place)
        continue
      }
      joined.removeLast()
      // What stands for the longer says what is to stand there.
      if place.range.count > last.range.count { (last.replacement, last.key) = (place.replacement, place.key) }
      last.range = last.range.lowerBound..<max(last.range.upperBound, place.range.upperBound)
      last.texts += place.texts
      joined.append(last)
    }
    return joined
  }

  // MARK: Small pieces

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  /// What the values of a list of keys are called beside what is secret by its name.
  private static let valueNames: Set = ["value", "key"]

  /// Of a name in damaged JSON, where each quote may begin one.
  private static let longestName = 256

  /// Whether it may be the name of a member where nobody knows what is one, and not a piece of a sentence or of JSON.
  private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy { $0 >= 0x20 && !#""{}[],;?!"#.utf8.contains($0) } && bytes.count { $0 == 0x20 } <= 2
  }

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  /// Whether an object or a list begins here, whole or not, or it is a text of JSON.
  private static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...]
    let begin = text.drop(while: isSpace)
    switch begin.first {
    case UInt8(ascii: "{"):
      return begin.dropFirst().drop(while: isSpace).first.map { $0 == quote || $0 == UInt8(ascii: "}") } ?? true
    case UInt8(ascii: "["): return begin.dropFirst().drop(while: isSpace).first.map { #"{["]"#.utf8.contains($0) } ?? true
    case quote: return isJSON(JSONDocument(bytes))
    default: return false
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  /// Whether a text is looked for elsewhere: a shorter one, or a word, stands in others by chance, and an id, a date or an address without
  /// a password in what belongs to it.
  static func isLong(_ text: Data, isKey: Bool = false) -> Bool {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    guard text.count >= ByteNeedles.shortest, text.count <= longestText else { return false }
    let plain = String(decoding: text, as: UTF8.self)
    guard isKey || IDCodec.parse(plain) == nil else { return false }
    if DateCodec.parseISO8601(plain) != nil || DateCodec.parseSQLText(plain) != nil { return false }
    if plain.hasPrefix("http://") || plain.hasPrefix("https://") { return false }
    return text.count >= 16 || (text.contains(where: isDigit) && !text.allSatisfy(isDigit))
  }

  /// Where the value of a member begins, whose name ends here; nil when this is no name.
  private static func member(_ bytes: [UInt8], after end: Int) -> Int? {
    var place = end + 1
    var hasColon = false
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: ":") {
        hasColon = true
      } else if ![0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) {
        break
      }
      place += 1
    }
    return hasColon && place < bytes.count ? place : nil
  }

  /// The value that begins here, and what is secret of it.
  private static func read(
    _ bytes: [UInt8], _ document: JSONDocument, at start: Int, _ isName: (ArraySlice<UInt8>) -> Bool
  ) -> (range: Range<Int>, secret: SecretPlace?) {
    if bytes[start] == quote {
      let range = (start + 1)..<textEnd(bytes, start)
      let raw = bytes[range]
      let plain = text(raw)
      guard isSecret(.string(plain ?? String(decoding: raw, as: UTF8.self))) else { return (range, nil) }
      var secret = SecretPlace(range: range, replacement: mask, texts: [Data(raw)])
      if let plain {
        secret.texts.append(Data(plain.utf8))
        secret.key = plain
      }
      return (range, secret)
    }
    var scanner = JSONScanner(document, at: start)
    if let range = try? scanner.skip() {
      guard let value = value(bytes[range]) else {
        return (range, SecretPlace(range: range, replacement: quotedMask, texts: [Data(bytes[range])]))
      }
      return (range, isSecret(value) ? SecretPlace(range: range, replacement: quotedMask, texts: texts(of: value, isName)) : nil)
    }
    // What was an object or a list may be secret to its end, and that is not there.
    if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
      let range = start..<bytes.count
      return (range, SecretPlace(range: range, replacement: quotedMask, texts: [Data(bytes[range])]))
    }
    // No value of JSON: a word of code, or a key without its quotes.
    let end = bytes[start...].firstIndex { $0 <= 0x20 || #",}]""#.utf8.contains($0) } ?? bytes.count
    let range = start..<end
    let text = Data(bytes[range])
    return (range, isLong(text) ? SecretPlace(range: range, replacement: quotedMask, texts: [text]) : nil)
  }

  /// A text that has secrets in it: JSON or its beginning, an encoding of either, or an address.
  private static func inside(_ bytes: [UInt8], _ range: Range<Int>, _ level: Int, _ isName: (ArraySlice<UInt8>) -> Bool) -> SecretPlace? {
    // A text without an escape has no quote in it.
    let raw = bytes[range]
    guard raw.count >= 8, raw.contains(backslash) || EncodedText.mayBeBase64(raw), let text = text(raw) else { return nil }
    let inner = Array(text.utf8)
    let places = all(in: inner, level: level + 1, isText: true, isSecret: isName)
    guard !places.isEmpty else { return nil }
    let again = String(decoding: masking(places, in: inner), as: UTF8.self)
    let replacement = Array(JSONValue.string(again).canonicalText().utf8.dropFirst().dropLast())
    return SecretPlace(range: range, replacement: replacement, texts: places.flatMap(\.texts))
  }

  /// Where the text that the quote at `start` begins ends: at its quote, or at the end of its line.
  private static func textEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    while place < bytes.count, bytes[place] != quote, bytes[place] >= 0x20 { place += bytes[place] == backslash ? 2 : 1 }
    return min(place, bytes.count)
  }

  /// The quote that closes the one at `start`.
  private static func closing(_ bytes: [UInt8], _ start: Int, before end: Int) -> Int? {
    var place = start + 1
    while place < end {
      if bytes[place] == quote { return place }
      place += bytes[place] == backslash ? 2 : 1
    }
    return nil
  }

  /// What stands between quotes; nil when it is no text of JSON.
  private static func text(_ raw: ArraySlice<UInt8>) -> String? {
    if !raw.contains(backslash) { return String(validating: raw, as: UTF8.self) }
    guard case .string(let text)? = value(([quote] + raw + [quote])[...]) else { return nil }
    return text
  }

  private static func isJSON(_ document: JSONDocument) -> Bool {
    var scanner = JSONScanner(document)
    return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
  }

  private static func value(_ bytes: ArraySlice<UInt8>) -> JSONValue? {
    var scanner = JSONScanner(JSONDocument(Array(bytes)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return nil }
    return value
  }

  /// Null, true and false say nothing, and neither does what stands for a secret.
  private static func isSecret(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool: false
    case .integer, .double: true
    case .string(let text): !["", "true", "false"].contains(text) && !SecretProperties.isMask(text)
    case .array(let elements): elements.contains(where: isSecret)
    case .object(let members): members.values.contains(where: isSecret)
    }
  }

  /// The secret's own texts: of an object those under names that say so. What else is in it says whose the secret is.
  private static func texts(of value: JSONValue, _ isSecret: (ArraySlice<UInt8>) -> Bool) -> [Data] {
    switch value {
    case .null, .bool, .integer, .double: []
    case .string(let text): [Data(text.utf8)]
    case .array(let elements): elements.flatMap { texts(of: $0, isSecret) }
    case .object(let members):
      members.flatMap { name, value in
        valueNames.contains(name.lowercased()) || isSecret(Array(name.utf8)[...]) ? texts(of: value, isSecret) : []
      }
    }
  }
}
