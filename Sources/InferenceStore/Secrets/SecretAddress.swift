import Foundation
import Holdfast

/// What lets somebody in in an address: a user with a password before its host, in JSON as `https:\/\/…`, too, and a value of its question
/// that is called as a secret is, `?api_key=…`.
enum SecretAddress {
  /// Before anything is read.
  static func mayStand(in bytes: some Collection<UInt8>) -> Bool {
    bytes.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "=") }
  }

  /// In order.
  static func all(in bytes: [UInt8], isSecret: (ArraySlice<UInt8>) -> Bool) -> [SecretPlace] {
    guard mayStand(in: bytes) else { return [] }
    var found: [SecretPlace] = []
    var place = 0
    while let colon = bytes[place...].firstIndex(of: UInt8(ascii: ":")) {
      place = colon + 1
      guard let start = hostStart(bytes, behind: colon) else { continue }
      let end = bytes[start...].firstIndex { $0 <= 0x20 || $0 >= 0x80 || hostEnds.contains($0) } ?? bytes.count
      if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), let secret = user(bytes, start..<at) { found.append(secret) }
      place = end
      let last = bytes[end...].firstIndex { $0 <= 0x20 || $0 >= 0x80 || addressEnds.contains($0) } ?? bytes.count
      guard let question = bytes[end..<last].firstIndex(of: UInt8(ascii: "?")) else { continue }
      found += values(bytes, (question + 1)..<last, isSecret)
      place = last
    }
    return found
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
      guard let equal = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let (name, value) = (part[..<equal], part[(equal + 1)...].prefix { $0 != UInt8(ascii: "#") })
      guard !value.isEmpty, !value.elementsEqual(SecretPlace.mask), isSecret(name) || isKey(name) && SecretPlace.isLong(Data(value)) else {
        return nil
      }
      return SecretPlace(range: value.startIndex..<value.endIndex, replacement: SecretPlace.mask, texts: texts(value))
    }
  }

  /// What some services call their key.
  private static func isKey(_ name: ArraySlice<UInt8>) -> Bool { name.elementsEqual("key".utf8) }

  private static func texts(_ secret: ArraySlice<UInt8>) -> [Data] {
    let text = String(decoding: secret, as: UTF8.self)
    return Set([text, text.removingPercentEncoding ?? text]).map { Data($0.utf8) }
  }

  /// What ends the user and the host of an address, or stands in none of them without being written as `%…` (RFC 3986).
  private static let hostEnds: Set<UInt8> = Set(#"/\?#"<>()[]{}|^,;'`"#.utf8)
  private static let addressEnds: Set<UInt8> = Set(#"\"<>()[]{}|^,;'`"#.utf8)
}
