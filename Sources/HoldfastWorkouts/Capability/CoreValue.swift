import Foundation
import Holdfast

/// A value that can be written in the core's JSON.
protocol CoreWritten {
  func write(into text: inout JSONText)
}

/// A value that can be written and read in the core's JSON.
protocol CoreValue: CoreWritten {
  /// Reads one value. Nil for a value of another kind; `fields` then has the problem.
  ///
  /// - Parameter name: the value's name in an error.
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Self?
}

extension CoreValue {
  /// Reads the value at the scanner.
  ///
  /// - Throws: `.invalidSource`, with the path, for any other value.
  init(core scanner: inout JSONScanner) throws {
    var fields = CoreFields(keys: [])
    let start = scanner.offset
    let value = try Self.read("the value at \(scanner.path)", &scanner, &fields)
    if let value, fields.problem == nil {
      self = value
      return
    }
    var error = StoreError(.invalidSource, fields.problem ?? "the value cannot be read")
    error.offset = start
    throw error
  }
}

extension Bool: CoreValue {
  func write(into text: inout JSONText) { text.plain(self ? "true" : "false") }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Bool? {
    try fields.bool(name, &value)
  }
}

extension Int: CoreValue {
  func write(into text: inout JSONText) { text.plain(description) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Int? {
    Int(clamping: try fields.int64(name, &value))
  }
}

extension Int64: CoreValue {
  func write(into text: inout JSONText) { text.plain(description) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Int64? {
    try fields.int64(name, &value)
  }
}

extension Double: CoreValue {
  /// A number that is not finite is a problem; no store holds one.
  func write(into text: inout JSONText) { if isFinite { text.plain(description) } else { text.fail("the number \(self)") } }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Double? {
    try fields.double(name, &value)
  }
}

extension String: CoreValue {
  func write(into text: inout JSONText) {
    let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { text.quoted(self) } else { text.plain(JSONValue.string(self).canonicalText()) }
  }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> String? {
    try fields.text(name, &value)
  }
}

extension UUID: CoreValue {
  func write(into text: inout JSONText) { text.quoted(IDCodec.lowercase(self)) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> UUID? {
    try fields.id(name, &value)
  }
}

extension Date: CoreValue {
  /// RFC 3339 in UTC with milliseconds. A date that cannot be stored is a problem, and is never replaced by another date.
  func write(into text: inout JSONText) {
    guard let milliseconds = DateCodec.milliseconds(self) else { return text.fail("the date \(timeIntervalSince1970) s after 1970") }
    text.quoted(DateCodec.iso8601(milliseconds, fraction: true))
  }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Date? {
    try fields.date(name, &value)
  }
}

extension PageKey: CoreValue {
  /// An array of texts, with a meaning only for the list that made it.
  func write(into text: inout JSONText) { text.coded(self) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> PageKey? {
    let tree = try value.value()
    if let key = try? JSONDecoder().decode(PageKey.self, from: Data(tree.canonicalText().utf8)) { return key }
    fields.fail("\(name) is not a page key; pass the `next` of an earlier page")
    return nil
  }
}

extension Optional: CoreWritten, CoreValue where Wrapped: CoreValue {
  func write(into text: inout JSONText) { if let self { self.write(into: &text) } else { text.plain("null") } }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Wrapped?? {
    try value.null() ? .some(nil) : Wrapped.read(name, &value, &fields).map(Optional.some)
  }
}

extension Array: CoreWritten, CoreValue where Element: CoreValue {
  func write(into text: inout JSONText) { text.array(self) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> [Element]? {
    var elements: [Element] = []
    try value.array { number, element in
      if let element = try Element.read("\(name)[\(number)]", &element, &fields) { elements.append(element) }
    }
    return elements
  }
}

extension OpenWord: CoreWritten, CoreValue {
  func write(into text: inout JSONText) { rawValue.write(into: &text) }
  static func read(_ name: String, _ value: inout JSONScanner, _ fields: inout CoreFields) throws -> Self? {
    Self(rawValue: try fields.text(name, &value))
  }
}
