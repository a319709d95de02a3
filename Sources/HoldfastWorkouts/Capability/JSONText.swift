import Foundation
import Holdfast

/// JSON text, written member by member in the order of the calls.
struct JSONText {
  private var bytes: [UInt8] = []
  /// The first value that JSON cannot express. Null was written instead, so the text is not complete.
  private var problem: StoreError?

  /// The text of a value.
  ///
  /// - Throws: `.invalidValue` for a number or a date that JSON cannot express.
  static func bytes(of value: some CoreWritten) throws -> [UInt8] {
    var text = JSONText()
    value.write(into: &text)
    if let problem = text.problem { throw problem }
    return text.bytes
  }

  /// The same as a tree, for Swift's coders.
  static func tree(of value: some CoreWritten) throws -> JSONValue {
    var scanner = JSONScanner(JSONDocument(try bytes(of: value)))
    return try scanner.value()
  }

  mutating func object(_ members: (inout JSONText) -> Void) {
    comma()
    bytes.append(UInt8(ascii: "{"))
    members(&self)
    bytes.append(UInt8(ascii: "}"))
  }

  mutating func array(_ elements: [some CoreWritten]) {
    comma()
    bytes.append(UInt8(ascii: "["))
    for element in elements { element.write(into: &self) }
    bytes.append(UInt8(ascii: "]"))
  }

  mutating func key(_ key: String) {
    key.write(into: &self)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a value with Swift's coders, with the core's keys and dates.
  mutating func coded(_ value: some Encodable) {
    do { plain(try CoreCoder.text(of: value)) } catch { fail("a value in \(type(of: value))") }
  }

  /// Notes a value that JSON cannot express.
  mutating func fail(_ value: String) {
    problem = problem ?? StoreError(.invalidValue, "JSON cannot express \(value)")
    plain("null")
  }

  /// Writes a text without characters that need an escape.
  mutating func quoted(_ text: String) {
    comma()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes JSON as given.
  mutating func plain(_ text: String) {
    comma()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a comma between two members or elements, but not after an opening bracket, nor between a key and its value.
  private mutating func comma() {
    switch bytes.last {
    case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: bytes.append(UInt8(ascii: ","))
    }
  }
}

extension JSONValue {
  /// Reads a value that Swift's decoders found.
  ///
  /// - Throws: `StoreError`, code `.invalidSource`, with the problem and its place.
  func core<Value: CoreValue>() throws -> Value {
    try JSONDocument(Array(canonicalText().utf8)).whole { try Value(core: &$0) }
  }
}
