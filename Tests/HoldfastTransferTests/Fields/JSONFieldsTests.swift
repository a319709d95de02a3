import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@Suite("The fields of a JSON object, read leniently")
struct JSONFieldsTests {
  /// Reads `value` as the field `x` of an object; what came of it, or what is wrong.
  private static func read<T>(_ value: String, _ body: (inout JSONFields, inout JSONScanner) throws -> T) throws -> String {
    var fields = JSONFields(keys: ["x", "after"])
    var scanner = JSONScanner(JSONDocument(Array("{\"x\": \(value), \"after\": 1}".utf8)))
    var result: T?
    try scanner.object { key, value in
      switch fields.number(of: key) {
      case 0: result = try body(&fields, &value)
      case 1: _ = try value.int64()
      default: Issue.record("an unknown key")
      }
    }
    try scanner.finish()
    fields.requireFirst(2)
    return try fields.problem ?? "\(#require(result))"
  }

  @Test(
    "a whole number is read, null is nil, and anything else is wrong in this record only",
    arguments: [
      ("2025", "2025"), ("null", "nil"), ("-1", "x should be from 0 to 9999"), ("10000", "x should be from 0 to 9999"),
      ("1.5", "x should be a whole number"), ("9223372036854775808", "x should be a whole number"), ("\"7\"", "x should be a whole number"),
      ("[1, {}]", "x should be a whole number"), ("true", "x should be a whole number"),
    ])
  func wholeNumbers(_ json: String, _ expected: String) throws {
    let found = try Self.read(json) { fields, value in try fields.int64OrNil("x", &value, in: 0...9999).map(String.init) ?? "nil" }
    #expect(found == expected)
    let required = try Self.read(json) { fields, value in try fields.int64("x", &value, in: 0...9999) }
    #expect(required == (json == "null" ? "x should be a whole number" : expected))
  }

  @Test("without a range every whole number of 64 bits is one", arguments: [Int64.min, -1, 0, .max])
  func allNumbers(_ number: Int64) throws {
    #expect(try Self.read("\(number)") { fields, value in try fields.int64OrNil("x", &value) ?? 7 } == "\(number)")
  }

  @Test(
    "bytes are read from base64, escaped or not",
    arguments: [
      (#""""#, "[]"), (#""AAH/""#, "[0, 1, 255]"), (#""AAH\/""#, "[0, 1, 255]"), ("null", "nil"),
      (#""AA\nH/""#, "x should be bytes in base64"),
      (#""AAH""#, "x should be bytes in base64"), (#""AAH-""#, "x should be bytes in base64"), ("1", "x should be a text"),
    ])
  func bytes(_ json: String, _ expected: String) throws {
    #expect(try Self.read(json) { fields, value in try fields.base64OrNil("x", &value).map { "\(Array($0))" } ?? "nil" } == expected)
  }

  @Test("a key that stands twice and one that is missing are wrong, up to the last of 64")
  func keys() throws {
    let keys: [StaticString] = (0..<63).map { _ in "never" } + ["last"]
    var fields = JSONFields(keys: keys)
    var scanner = JSONScanner(JSONDocument(Array(#"{"last": 1}"#.utf8)))
    try scanner.object { key, value in
      #expect(fields.number(of: key) == 63)
      #expect(fields.problem == nil)
      #expect(fields.number(of: key) == 63)
      _ = try value.skip()
    }
    #expect(fields.problem == "last stands twice")
    var missing = JSONFields(keys: ["a", "b"])
    missing.requireFirst(1)
    missing.requireFirst(2)
    #expect(missing.problem == "a is missing", "the first of them")
  }

  @Test("a document that is damaged is not one record's fault")
  func damaged() {
    #expect(throws: JSONScanError.self) {
      try Self.read("[1, ") { fields, value in try fields.int64OrNil("x", &value) as Any }
    }
  }
}
