import Holdfast
import Testing

@testable import HoldfastWorkouts

@Suite("The members of one object of the core")
struct CoreFieldsTests {
  @Test(
    "a whole number of 64 bits is read, and anything else is wrong in this object only",
    arguments: [
      ("2025", "2025"), ("-9223372036854775808", "-9223372036854775808"), ("9223372036854775808", "x should be a whole number"),
      ("1.5", "x should be a whole number"), ("\"7\"", "x should be a whole number"), ("[1, {}]", "x should be a whole number"),
      ("null", "x should be a whole number"),
    ])
  func wholeNumbers(_ json: String, _ expected: String) throws {
    var fields = CoreFields(keys: ["x", "after"])
    var scanner = JSONScanner(JSONDocument(Array("{\"x\": \(json), \"after\": 1}".utf8)))
    var found: Int64 = 0
    try scanner.object { key, value in
      let number = try fields.int64("x", &value)
      if fields.number(of: key) == 0 { found = number }
    }
    try scanner.finish()
    fields.requireFirst(2)
    #expect(fields.problem ?? "\(found)" == expected)
  }

  @Test("a key that stands twice and one that is missing are wrong, up to the last of 64")
  func keys() throws {
    let keys: [StaticString] = (0..<63).map { _ in "never" } + ["last"]
    var fields = CoreFields(keys: keys)
    var scanner = JSONScanner(JSONDocument(Array(#"{"last": 1}"#.utf8)))
    try scanner.object { key, value in
      #expect(fields.number(of: key) == 63)
      #expect(fields.problem == nil)
      #expect(fields.number(of: key) == 63)
      _ = try value.skip()
    }
    #expect(fields.problem == "last appears twice")
    var missing = CoreFields(keys: ["a", "b"])
    missing.requireFirst(1)
    missing.requireFirst(2)
    #expect(missing.problem == "a is missing", "the first of them")
  }
}
