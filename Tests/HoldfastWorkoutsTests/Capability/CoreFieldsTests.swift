import Holdfast
import Testing

@testable import HoldfastWorkouts

@Suite("The members of one object of the core")
struct CoreFieldsTests {
  @Test("a whole number of 64 bits is read", arguments: ["2025", "-9223372036854775808"])
  func wholeNumbers(_ json: String) { #expect(Self.read("{\"x\": \(json)}") == json) }

  @Test("anything else than a whole number of 64 bits is wrong", arguments: ["9223372036854775808", "1.5", "\"7\"", "[1, {}]", "null"])
  func noWholeNumbers(_ json: String) {
    #expect(Self.read("{\"x\": \(json)}") == "the value at $.x should be a whole number")
  }

  @Test("a key that stands twice, one that is missing and one that is not known are wrong")
  func keys() {
    let problem = "the object at $ cannot be read: "
    #expect(Self.read(#"{"x": 1, "x": 1}"#) == problem + "x appears twice")
    #expect(Self.read("{}") == problem + "x is missing")
    #expect(Self.read(#"{"x": 1, "y": 2}"#) == problem + "there is no such key as y")
  }

  @Test("a key with characters that JSON escapes is written as JSON")
  func escapedKey() throws {
    struct Odd: CoreWritten {
      func write(into text: inout JSONText) { text.variant("a\"b\\", 1) }
    }
    let text = String(decoding: try JSONText.bytes(of: Odd()), as: UTF8.self)
    #expect(text == #"{"a\"b\\":1}"#)
  }

  /// The whole number `x`, or the error's message.
  private static func read(_ json: String) -> String {
    var scanner = JSONScanner(JSONDocument(Array(json.utf8)))
    do {
      var fields = try CoreFields(&scanner)
      let number: Int64 = try fields.needed("x")
      try fields.finish()
      return "\(number)"
    } catch {
      return StoreError.invalidJSON(error).message
    }
  }
}
