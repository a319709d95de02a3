import Foundation
import Holdfast

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

  static let mask = Array(SecretProperties.mask.utf8)
  private static let quotedMask = Array(JSONValue.string(SecretProperties.mask).canonicalText().utf8)
  /// JSON in a text of JSON, in a text of JSON, and so on, each in base64: more is nobody's.
  private static let mostLevels = 8

  /// All bytes of a column: JSON stays JSON. Nil where they say nothing, or stand for a secret already.
  init?(whole bytes: [UInt8]) {
    range = 0..<bytes.count
    guard let value = Self.value(bytes[...]) else {
      replacement = Self.mask
      guard !bytes.isEmpty, bytes != Self.mask else { return nil }
      texts = [Data(bytes)] + (EncodedText(bytes[...]).map { [Data($0.plain)] } ?? [])
      return
    }
    replacement = Self.quotedMask
    guard Self.isSecret(value) else { return nil }
    texts = Self.texts(of: value) + [Data(bytes)]
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

  /// In order: the values of all members of such a name, the user and the password in an address, and the texts that have such in them,
  /// in base64 or not.
  ///
  /// Of damaged JSON nobody knows where a text begins and where it ends: each quote is tried. A text that is not closed goes to the end.
  static func all(in bytes: [UInt8], level: Int = 0, isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    if level < mostLevels, let encoded = EncodedText(bytes[...]) {
      let places = all(in: encoded.plain, level: level + 1, isSecret: isSecret)
      if !places.isEmpty {
        let again = encoded.encoding(masking(places, in: encoded.plain))
        return [SecretPlace(range: 0..<bytes.count, replacement: again, texts: places.flatMap(\.texts))]
      }
    }
    return joined(members(in: bytes, level, isSecret), addresses(in: bytes))
  }

  private static func members(in bytes: [UInt8], _ level: Int, _ isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    guard bytes.contains(quote) else { return [] }
    let document = JSONDocument(bytes)
    let isWhole = isJSON(document)
    var found: [SecretPlace] = []
    var place = 0
    while place < bytes.count {
      // A name of damaged JSON is no longer than this.
      guard bytes[place] == quote, let end = closing(bytes, place, before: isWhole ? bytes.count : min(bytes.count, place + 256)) else {
        place += 1
        continue
      }
      if let start = member(bytes, after: end), isSecret(bytes[(place + 1)..<end]) {
        let (range, secret) = read(bytes, document, at: start)
        if var secret {
          if !LegacySecrets.isAPIKey(bytes[(place + 1)..<end]) { secret.key = nil }
          found.append(secret)
        }
        // Behind the quote that closes a text: else the next text would begin with it.
        place = range.upperBound + (bytes[start] == quote ? 1 : 0)
        continue
      }
      if isWhole, level < mostLevels, let inner = inside(bytes, (place + 1)..<end, level, isSecret) { found.append(inner) }
      // In damaged JSON a quote may begin a text or end one.
      place = isWhole ? end + 1 : place + 1
    }
    guard !isWhole, level < mostLevels, let plain = UnescapedText(bytes) else { return found }
    // Where a text of it began that was JSON itself nobody knows either.
    return joined(found, all(in: plain.bytes, level: level + 1, isSecret: isSecret).map(plain.place))
  }

  /// In order; what overlaps is one.
  private static func joined(_ first: [SecretPlace], _ second: [SecretPlace]) -> [SecretPlace] {
    guard !first.isEmpty, !second.isEmpty else { return first + second }
    var joined: [SecretPlace] = []
    for place in (first + second).sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
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

  /// The user and the password before the host of an address: `https://user:password@host`, in JSON as `https:\/\/…`, too.
  private static func addresses(in bytes: [UInt8]) -> [SecretPlace] {
    guard bytes.contains(UInt8(ascii: "@")) else { return [] }
    var found: [SecretPlace] = []
    var place = 0
    while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
      place = colon + 1
      var start = place
      var slashes = 0
      while start < bytes.count, slashes < 2, bytes[start] == backslash || bytes[start] == slash {
        slashes += bytes[start] == slash ? 1 : 0
        start += 1
      }
      guard slashes == 2, colon > 0, isLetterOrDigit(bytes[colon - 1]) else { continue }
      let end = bytes[start...].firstIndex { $0 <= 0x20 || hostEnds.contains($0) } ?? bytes.count
      place = end
      guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), at > start, !bytes[start..<at].elementsEqual(mask) else {
        continue
      }
      let user = bytes[start..<at]
      var secret = SecretPlace(range: start..<at, replacement: mask, texts: [Data(user)])
      if let colon = user.firstIndex(of: UInt8(ascii: ":")) {
        let password = String(decoding: user[(colon + 1)...], as: UTF8.self)
        secret.texts += [password, password.removingPercentEncoding ?? password].map { Data($0.utf8) }
      }
      found.append(secret)
    }
    return found
  }

  // MARK: Small pieces

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let slash = UInt8(ascii: "/")
  /// What can stand in no name of a user, and ends the host.
  private static let hostEnds: Set<UInt8> = Set(#"/\?#"<>"#.utf8)

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
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
  private static func read(_ bytes: [UInt8], _ document: JSONDocument, at start: Int) -> (range: Range<Int>, secret: SecretPlace?) {
    if bytes[start] == quote {
      let range = (start + 1)..<max(start + 1, closing(bytes, start, before: bytes.count) ?? bytes.count)
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
    let range = (try? scanner.skip()) ?? start..<bytes.count
    guard let value = value(bytes[range]) else {
      return (range, SecretPlace(range: range, replacement: quotedMask, texts: [Data(bytes[range])]))
    }
    return (range, isSecret(value) ? SecretPlace(range: range, replacement: quotedMask, texts: texts(of: value)) : nil)
  }

  /// A text that has secrets in it: whole JSON, a piece of it, or an encoding of either.
  private static func inside(_ bytes: [UInt8], _ range: Range<Int>, _ level: Int, _ isName: (ArraySlice<UInt8>) -> Bool) -> SecretPlace? {
    // A text without an escape has no quote in it.
    guard range.count >= 8, bytes[range].contains(backslash) || EncodedText.mayBeBase64(bytes[range]), let text = text(bytes[range]) else {
      return nil
    }
    let inner = Array(text.utf8)
    let places = all(in: inner, level: level + 1, isSecret: isName)
    guard !places.isEmpty else { return nil }
    let again = String(decoding: masking(places, in: inner), as: UTF8.self)
    let replacement = Array(JSONValue.string(again).canonicalText().utf8.dropFirst().dropLast())
    return SecretPlace(range: range, replacement: replacement, texts: places.flatMap(\.texts))
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
    case .string(let text): !["", "true", "false", SecretProperties.mask].contains(text)
    case .array(let elements): elements.contains(where: isSecret)
    case .object(let members): members.values.contains(where: isSecret)
    }
  }

  private static func texts(of value: JSONValue) -> [Data] {
    switch value {
    case .null, .bool, .integer, .double: []
    case .string(let text): [Data(text.utf8)]
    case .array(let elements): elements.flatMap(texts)
    case .object(let members): members.values.flatMap(texts)
    }
  }
}
