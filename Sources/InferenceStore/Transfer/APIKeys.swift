import Foundation
import Holdfast

/// The keys of the API that stand as they are in one of the SDK's databases: sealed when they come in, and kept nowhere else.
///
/// The text behind a member `apiKey` of JSON, or in a column `api_key`, is one, also where the JSON around it is damaged. Where the same
/// text stands anywhere else in the file it is one, too: rows were stored from memory that was not theirs any more.
struct APIKeys: Sendable {
  private var values: Set<Data> = []

  /// - Throws: what reading a database can throw.
  init(in source: SQLiteSource) throws {
    for table in source.tables where table.lowercased() == ConfigurationRow.table {
      try source.rows(of: table) { row in
        for column in row.columns {
          guard let bytes = Self.bytes(row, column) else { continue }
          if Self.isKey(column) { insert(bytes) } else { for member in Self.members(of: bytes) { insert(bytes.subdata(in: member.range)) } }
        }
      }
    }
  }

  var isEmpty: Bool { values.isEmpty }

  /// As it stands there, and as it would stand in JSON or outside of it: an encoder writes `/` as `\/`.
  private mutating func insert(_ value: Data) {
    guard !value.isEmpty else { return }
    values.insert(value)
    let text = String(decoding: value, as: UTF8.self)
    values.insert(Data(text.replacingOccurrences(of: "/", with: #"\/"#).utf8))
    if case .string(let plain)? = JSONValue(json: "\"\(text)\""), !plain.isEmpty { values.insert(Data(plain.utf8)) }
  }

  /// What the kept copy is without; nil when there is no key.
  var blanks: SQLiteBlanks? {
    guard !isEmpty else { return nil }
    return SQLiteBlanks("the keys of the API") { row in found(in: row) }
  }

  /// What a row may have instead, by column; nothing where there is no key.
  func found(in row: SQLiteRow) -> [String: SQLValue] {
    guard !isEmpty else { return [:] }
    var blanks: [String: SQLValue] = [:]
    for column in row.columns {
      guard let bytes = Self.bytes(row, column), let left = without(bytes, isKey: Self.isKey(column)) else { continue }
      if case .text? = row.value(column) {
        blanks[column] = .text(String(decoding: left, as: UTF8.self))
      } else {
        blanks[column] = .blob(left)
      }
    }
    return blanks
  }

  /// Nil where there is nothing to leave out.
  private func without(_ bytes: Data, isKey: Bool) -> Data? {
    if isKey { return bytes.isEmpty ? nil : Data() }
    var left = bytes
    for member in Self.members(of: bytes).reversed() {
      left.replaceSubrange(member.range, with: Data(member.isText ? "".utf8 : "null".utf8))
    }
    // A shorter text stands in others by chance.
    for value in values where value.count >= 16 {
      while let range = left.range(of: value) { left.removeSubrange(range) }
    }
    return left == bytes ? nil : left
  }

  static func isKey(_ name: String) -> Bool {
    var name = name
    if name.contains("\\"), case .string(let plain)? = JSONValue(json: "\"\(name)\"") { name = plain }
    return name.utf8.filter { $0 != 0x5F && $0 != 0x2D }.map { $0 | 0x20 } == Array("apikey".utf8)
  }

  /// As it is stored. A number can be no key.
  private static func bytes(_ row: SQLiteRow, _ column: String) -> Data? {
    switch row.value(column) {
    case .text(let text): Data(text.utf8)
    case .blob(let data): Data(data)
    default: nil
    }
  }

  /// Where the value of a member stands, a text without its quotes.
  private struct Member {
    var range: Range<Int>
    var isText: Bool
  }

  /// The values of all members of such a name, in order. A text that is not closed goes to the end.
  private static func members(of data: Data) -> [Member] {
    let bytes = Array(data)
    var found: [Member] = []
    var place = 0
    while place < bytes.count {
      // A name with its escapes is no longer than this.
      guard bytes[place] == UInt8(ascii: "\""), let name = closing(bytes, place, before: min(bytes.count, place + 48)),
        isKey(String(decoding: bytes[(place + 1)..<name], as: UTF8.self))
      else {
        place += 1
        continue
      }
      var value = name + 1
      while value < bytes.count, [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ":")].contains(bytes[value]) { value += 1 }
      let member = member(of: bytes, at: value)
      if bytes[(name + 1)..<value].contains(UInt8(ascii: ":")), !member.range.isEmpty {
        found.append(member)
        place = member.range.upperBound
      } else {
        // In damaged JSON a quote may begin a text or end one: each is tried.
        place += 1
      }
    }
    return found
  }

  private static func member(of bytes: [UInt8], at start: Int) -> Member {
    var scanner = JSONScanner(JSONDocument(bytes), at: start)
    if start >= bytes.count || (try? scanner.null()) == true { return Member(range: start..<start, isText: false) }
    if bytes[start] == UInt8(ascii: "\"") {
      return Member(range: (start + 1)..<(closing(bytes, start, before: bytes.count) ?? bytes.count), isText: true)
    }
    scanner = JSONScanner(JSONDocument(bytes), at: start)
    return Member(range: (try? scanner.skip()) ?? start..<bytes.count, isText: false)
  }

  /// The quote that closes the one at `start`.
  private static func closing(_ bytes: [UInt8], _ start: Int, before end: Int) -> Int? {
    var place = start + 1
    while place < end {
      if bytes[place] == UInt8(ascii: "\"") { return place }
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }
}
