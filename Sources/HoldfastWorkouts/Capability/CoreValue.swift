import Foundation
import Holdfast
import HoldfastTransfer

/// A value that can be written in the core's JSON.
protocol CoreWritten {
  func write(into text: inout JSONText)
}

/// A value that can be written and read in the core's JSON.
protocol CoreValue: CoreWritten {
  /// Reads the value at the scanner.
  ///
  /// - Throws: `.invalidSource`, with the path, for a value of another kind; `JSONScanError` for text that is not JSON, and for a value
  ///   that is not the expected list or object.
  init(core scanner: inout JSONScanner) throws
}

extension JSONScanner {
  /// Reads a value of one kind; nil from `read` means that it cannot be read.
  fileprivate mutating func core<T>(_ kind: JSONKind, _ wanted: String, _ read: (inout JSONScanner) throws -> T?) throws -> T {
    var other = self
    if try peek() == kind, let value = try read(&self) { return value }
    let error = other.unreadable("should be \(wanted)")
    // A value that is not JSON is the greater problem.
    _ = try other.skip()
    throw error
  }

  /// Reads a text with a meaning; nil from `parse` means that it has none.
  fileprivate mutating func core<T>(_ wanted: String, _ parse: (String) -> T?) throws -> T {
    let start = self
    let text = try String(core: &self)
    if let value = parse(text) { return value }
    throw start.unreadable("is not \(wanted): \(text.prefix(60))")
  }

  /// The error for the value at the scanner.
  fileprivate func unreadable(_ problem: String) -> StoreError {
    StoreError(.invalidSource, "the value at \(path) \(problem)", offset: offset)
  }
}

extension Bool: CoreValue {
  func write(into text: inout JSONText) { text.plain(self ? "true" : "false") }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core(.bool, "true or false") { try $0.bool() } }
}

extension Int: CoreValue {
  func write(into text: inout JSONText) { text.plain(description) }
  init(core scanner: inout JSONScanner) throws { self = Int(clamping: try Int64(core: &scanner)) }
}

extension Int64: CoreValue {
  func write(into text: inout JSONText) { text.plain(description) }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core(.number, "a whole number") { try? $0.int64() } }
}

extension Double: CoreValue {
  /// A number that is not finite is a problem; no store holds one.
  func write(into text: inout JSONText) { if isFinite { text.plain(description) } else { text.fail("the number \(self)") } }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core(.number, "a number") { try $0.double() } }
}

extension String: CoreValue {
  func write(into text: inout JSONText) {
    let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { text.quoted(self) } else { text.plain(JSONValue.string(self).canonicalText()) }
  }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core(.string, "a text") { try $0.string() } }
}

extension UUID: CoreValue {
  func write(into text: inout JSONText) { text.quoted(IDCodec.lowercase(self)) }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core("a UUID") { IDCodec.parse($0) } }
}

extension Date: CoreValue {
  /// RFC 3339 in UTC with milliseconds. A date that cannot be stored is a problem, and is never replaced by another date.
  func write(into text: inout JSONText) {
    guard let milliseconds = DateCodec.milliseconds(self) else { return text.fail("the date \(timeIntervalSince1970) s after 1970") }
    text.quoted(DateCodec.iso8601(milliseconds, fraction: true))
  }
  init(core scanner: inout JSONScanner) throws { self = try scanner.core("a date") { Written<Date>(date: $0)?.value } }
}

extension PageKey: CoreValue {
  /// An array of texts, with a meaning only for the list that made it.
  func write(into text: inout JSONText) { text.coded(self) }
  init(core scanner: inout JSONScanner) throws {
    let start = scanner
    let tree = try scanner.value()
    guard let key = try? JSONDecoder().decode(PageKey.self, from: Data(tree.canonicalText().utf8)) else {
      throw start.unreadable("is not a page key; pass the `next` of an earlier page")
    }
    self = key
  }
}

extension Optional: CoreWritten where Wrapped: CoreWritten {
  func write(into text: inout JSONText) { if let self { self.write(into: &text) } else { text.plain("null") } }
}

extension Optional: CoreValue where Wrapped: CoreValue {
  init(core scanner: inout JSONScanner) throws { self = try scanner.null() ? .none : .some(Wrapped(core: &scanner)) }
}

extension Array: CoreWritten where Element: CoreWritten {
  func write(into text: inout JSONText) { text.array(self) }
}

extension Array: CoreValue where Element: CoreValue {
  init(core scanner: inout JSONScanner) throws {
    var elements: [Element] = []
    try scanner.array { _, element in elements.append(try Element(core: &element)) }
    self = elements
  }
}

extension OpenWord: CoreWritten, CoreValue {
  func write(into text: inout JSONText) { rawValue.write(into: &text) }
  init(core scanner: inout JSONScanner) throws { self.init(rawValue: try String(core: &scanner)) }
}
