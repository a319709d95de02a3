import Foundation
import Holdfast

/// JSON as it is written, member by member, in the order in which it is said.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  /// The first value that JSON has no word for, in whose place null stands: then the text says less than it was given.
  private(set) var problem: StoreError?

  /// - Throws: `problem`.
  func checked() throws -> [UInt8] {
    if let problem { throw problem }
    return bytes
  }

  mutating func object(_ members: (inout JSONText) -> Void) {
    comma()
    bytes.append(UInt8(ascii: "{"))
    members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func array<Element>(_ elements: [Element], _ write: (inout JSONText, Element) -> Void) {
    comma()
    bytes.append(UInt8(ascii: "["))
    for element in elements { write(&self, element) }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func key(_ key: StaticString) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func null() { plain("null") }
  mutating func value(_ value: Bool) { plain(value ? "true" : "false") }

  mutating func value(_ id: UUID?) {
    guard let id else { return null() }
    quoted(IDCodec.lowercase(id))
  }

  mutating func value(_ number: Int?) {
    guard let number else { return null() }
    plain(number.description)
  }

  /// One that is not finite is a problem; none is ever stored.
  mutating func value(_ number: Double?) {
    guard let number else { return null() }
    guard number.isFinite else { return fail("the number \(number)") }
    plain(number.description)
  }

  mutating func value(_ text: String?) {
    guard let text else { return null() }
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { quoted(text) } else { plain(JSONValue.string(text).canonicalText()) }
  }

  /// RFC 3339 in UTC with milliseconds. A date that no store holds is a problem: never another one.
  mutating func value(_ date: Date?) {
    guard let date else { return null() }
    guard let milliseconds = DateCodec.milliseconds(date) else { return fail("the date \(date.timeIntervalSince1970) s after 1970") }
    quoted(DateCodec.iso8601(milliseconds, fraction: true))
  }

  /// What Swift's coders write of a value, with the core's keys and dates.
  mutating func value(coded value: some Encodable) {
    do { plain(try CoreCoder.text(of: value)) } catch { fail("what is in \(type(of: value))") }
  }

  mutating func value(_ texts: [String]?) {
    guard let texts else { return null() }
    array(texts) { $0.value($1) }
  }

  /// An array of texts, which only the list that it is of understands.
  mutating func value(_ next: PageKey?) {
    if let next { value(coded: next) } else { null() }
  }

  private mutating func fail(_ value: String) {
    problem = problem ?? StoreError(.invalidValue, "JSON has no word for \(value)")
    null()
  }

  private mutating func quoted(_ text: String) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func plain(_ text: String) {
    comma()
    bytes.append(contentsOf: text.utf8)
  }

  /// Between two members or elements; not after what opens one, nor between a key and its value.
  private mutating func comma() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }
}
