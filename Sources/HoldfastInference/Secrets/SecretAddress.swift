import Foundation
import Holdfast

/// What lets somebody in in an address: a user with a password before its host, in JSON as `https:\/\/…`, too, and a value of its question
/// that is called as a secret is, `?api_key=…` or `#access_token=…`.
enum SecretAddress {
  /// Before anything is read.
  static func mayStand(in bytes: some Collection<UInt8>) -> Bool {
    bytes.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }
  }

  /// In order. An address in the question of another is one, too.
  static func all(in bytes: [UInt8], isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    guard mayStand(in: bytes) else { return [] }
    var found: [SecretPlace] = []
    var place = 0
    // The end of the last question: what an address in it asks is part of it, and is not read again.
    var asked = 0
    while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
      place = colon + 1
      guard let start = hostStart(bytes, behind: colon) else { continue }
      let at = userEnd(bytes, start)
      if let at, let secret = user(bytes, start..<at) { found.append(secret) }
      place = hostEnd(bytes, numberEnd(bytes, at.map { $0 + 1 } ?? start))
      guard place >= asked, place < bytes.count, pathBeginnings.contains(bytes[place]) else { continue }
      asked = addressEnd(bytes, from: place, behind: opener(bytes, before: colon))
      guard let question = bytes[place..<asked].firstIndex(where: questionBeginnings.contains) else { continue }
      found += values(bytes, (question + 1)..<asked, isSecret)
    }
    return SecretPlace.joined(found)
  }

  /// Behind `://`, where a letter stands before it.
  private static func hostStart(_ bytes: [UInt8], behind colon: Int) -> Int? {
    var start = colon + 1
    var slashes = 0
    while start < bytes.count, slashes < 2, bytes[start] == UInt8(ascii: "\\") || bytes[start] == UInt8(ascii: "/") {
      slashes += bytes[start] == UInt8(ascii: "/") ? 1 : 0
      start += 1
    }
    return slashes == 2 && colon > 0 && SecretPlace.isLetterOrDigit(bytes[colon - 1]) ? start : nil
  }

  /// The `@` behind the user; nil where there is none.
  ///
  /// A password may have every character in it that may stand there as it is, and people write letters beyond ASCII; the name before it,
  /// and a host, have none of those that end a part of a sentence as well. So what follows a host in a text is no password.
  private static func userEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
    var at: Int?
    var begin = start
    while true {
      let end = hostEnd(bytes, begin)
      if let last = bytes[begin..<end].lastIndex(of: UInt8(ascii: "@")) { (at, begin) = (last, last + 1) }
      guard let colon = bytes[begin..<end].firstIndex(of: UInt8(ascii: ":")),
        !isPort(bytes, begin..<colon, (colon + 1)..<end, isBehindUser: at != nil),
        let next = bytes[end...].firstIndex(where: { $0 <= 0x20 || userEnds.contains($0) }), bytes[next] == UInt8(ascii: "@")
      else { return at }
      (at, begin) = (next, next + 1)
    }
  }

  /// Whether a name and a number are a host and its port: `https://a.example:8080, or me@b.example` without the space.
  private static func isPort(_ bytes: [UInt8], _ name: Range<Int>, _ number: Range<Int>, isBehindUser: Bool) -> Bool {
    guard (1...5).contains(number.count), bytes[number].allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return false }
    if isBehindUser || bytes[name].contains(UInt8(ascii: ".")) || bytes[name].elementsEqual("localhost".utf8) { return true }
    return number.upperBound < bytes.count && "')".utf8.contains(bytes[number.upperBound])
  }

  /// Behind a host that is a number of IPv6 in its brackets; elsewhere where it is.
  private static func numberEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "["),
      let end = bytes[start...].prefix(64).firstIndex(of: UInt8(ascii: "]")),
      bytes[(start + 1)..<end].allSatisfy({ SecretPlace.isLetterOrDigit($0) || ":.%".utf8.contains($0) })
    else { return start }
    return end + 1
  }

  private static func hostEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    bytes[start...].firstIndex { $0 <= 0x20 || $0 >= 0x80 || hostEnds.contains($0) } ?? bytes.count
  }

  /// The end of an address with all its question. A letter of two bytes is part of it; one of more may be a sentence without spaces.
  ///
  /// - Parameter opener: what stands before the address; the mark that closes it ends the address.
  private static func addressEnd(_ bytes: [UInt8], from start: Int, behind opener: UInt8?) -> Int {
    var place = start
    var (depth, brackets) = (0, 0)
    while place < bytes.count, bytes[place] > 0x20, !addressEnds.contains(bytes[place]) || "[]".utf8.contains(bytes[place]) {
      switch bytes[place] {
      // `?f[0]=1`, which nobody writes as it should be.
      case UInt8(ascii: "["): brackets += 1
      case UInt8(ascii: "]"):
        if brackets == 0 { return place }
        brackets -= 1
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        if depth == 0, opener == UInt8(ascii: "(") { return place }
        depth -= 1
      case UInt8(ascii: "'") where opener == UInt8(ascii: "'"): return place
      case 0xC3...0xDF where place + 1 < bytes.count && 0x80...0xBF ~= bytes[place + 1]: place += 1
      case 0x80...: return place
      default: break
      }
      place += 1
    }
    return place
  }

  /// What stands before the scheme that ends here.
  private static func opener(_ bytes: [UInt8], before colon: Int) -> UInt8? {
    bytes[..<colon].last { !SecretPlace.isLetterOrDigit($0) && !"+-.".utf8.contains($0) }
  }

  /// A user alone says who somebody is; one that looks like a key lets in by itself.
  private static func user(_ bytes: [UInt8], _ range: Range<Int>) -> SecretPlace? {
    let user = bytes[range]
    let secret: ArraySlice<UInt8>
    if let colon = user.firstIndex(of: UInt8(ascii: ":")) {
      secret = user[(colon + 1)...]
    } else {
      secret = user.count >= 20 && user.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? user : []
    }
    return secret.isEmpty ? nil : SecretPlace(range: range, replacement: SecretPlace.mask, texts: texts(secret))
  }

  private static func values(_ bytes: [UInt8], _ question: Range<Int>, _ isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    bytes[question].split(separator: UInt8(ascii: "&")).compactMap { part in
      var begin = part.startIndex
      while let equal = part[begin...].firstIndex(of: UInt8(ascii: "=")) {
        // Of an address that is a value itself the first name stands behind its own question mark.
        let mark = part[begin..<equal].lastIndex(where: questionBeginnings.contains)
        let name = part[(mark.map { $0 + 1 } ?? begin)..<equal]
        if mark != nil || begin == part.startIndex, let value = secret(name, part[(equal + 1)...], isSecret) {
          return SecretPlace(range: value.startIndex..<value.endIndex, replacement: SecretPlace.mask, texts: texts(value))
        }
        begin = equal + 1
      }
      return nil
    }
  }

  /// What is secret of what stands behind a name; nil where nothing is. What follows a name that says nothing is not read.
  private static func secret(
    _ name: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>, _ isSecret: (ArraySlice<UInt8>) -> Bool
  ) -> ArraySlice<UInt8>? {
    let plain = name.contains(UInt8(ascii: "%")) ? String(decoding: name, as: UTF8.self).removingPercentEncoding : nil
    let isNamed = isSecret(plain.map { Array($0.utf8)[...] } ?? name)
    guard isNamed || isKey(name) else { return nil }
    // Of what is too long to be a key no more is read than shows that.
    let value = trimmed((isNamed ? rest : rest.prefix(SecretPlace.longestText + 1)).prefix { $0 != UInt8(ascii: "#") })
    guard !value.isEmpty, !value.elementsEqual(SecretPlace.mask), isNamed || SecretPlace.isLong(Data(value)) else { return nil }
    return value
  }

  /// Without the marks at its end that belong to the sentence around the address.
  private static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var value = value
    var open = value.reduce(0) { $0 + ($1 == UInt8(ascii: "(") ? 1 : $1 == UInt8(ascii: ")") ? -1 : 0) }
    while let last = value.last, ",;'".utf8.contains(last) || last == UInt8(ascii: ")") && open < 0 {
      if last == UInt8(ascii: ")") { open += 1 }
      value.removeLast()
    }
    return value
  }

  /// What some services call their key.
  private static func isKey(_ name: ArraySlice<UInt8>) -> Bool { name.elementsEqual("key".utf8) }

  private static func texts(_ secret: ArraySlice<UInt8>) -> [Data] {
    let text = String(decoding: secret, as: UTF8.self)
    return Array(Set([Data(secret), Data((text.removingPercentEncoding ?? text).utf8)]))
  }

  /// What ends an address wherever it stands in it: no address has one that is not written as `%…` (RFC 3986).
  private static let addressEnds: Set<UInt8> = Set(#"\"<>[]{}|^`"#.utf8)
  /// What ends the user of an address.
  private static let userEnds = addressEnds.union("/?#@".utf8)
  /// What ends the host of an address, and is part of no name: a user and a password may have the last five (RFC 3986), and in a text they
  /// stand behind an address as well.
  private static let hostEnds = addressEnds.union("/?#(),;'".utf8)
  private static let pathBeginnings: Set<UInt8> = Set("/?#".utf8)
  private static let questionBeginnings: Set<UInt8> = Set("?#".utf8)
}
