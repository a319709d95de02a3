import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("JSON columns")
struct StoredJSONTests {
  struct Payload: Codable, Equatable, Sendable {
    var url: String
    var at: Date
  }

  @Test("contents are written with sorted keys and dates as ISO 8601, so equal contents are equal texts")
  func encoding() throws {
    let column = try StoredJSON(Payload(url: "https://example.org/a", at: Date(timeIntervalSince1970: 0)))
    #expect(column.text == #"{"at":"1970-01-01T00:00:00Z","url":"https://example.org/a"}"#)
    #expect(try column.decoded() == Payload(url: "https://example.org/a", at: Date(timeIntervalSince1970: 0)))
    #expect(try StoredJSON(["b": 1, "a": 2]) == StoredJSON(text: #"{"a":2,"b":1}"#))
    #expect(StoredJSON<[String: String]>.empty.text == "{}")
  }

  @Test("text that is not of this shape is kept, and is an error only when it is decoded")
  func notOfThisShape() {
    let column = StoredJSON<Payload>(text: "[1, 2")
    #expect(column.text == "[1, 2")
    #expect(failure { try column.decoded() }?.code == .decoding)
  }

  @Test("contents that JSON cannot hold are refused")
  func invalid() {
    #expect(failure { try StoredJSON(["a": Double.infinity]) }?.code == .invalidValue)
  }
}
