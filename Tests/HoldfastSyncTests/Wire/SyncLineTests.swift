import Foundation
import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

struct SyncLineTests {
  @Test("a row is one line of sorted keys, and a deleted row has no more than its name and generation")
  func lines() {
    let row = SyncRow.book(
      "é/1", generation: 3, at: 1, ["year": "1815", "title": #""Emma \"I\"""#], later: ["rating,rated_at": (2, ["5", "null"])])
    let exceptions = #"{"rating,rated_at":["000000000200000000000",5,null]}"#
    let values = #"{"title":"Emma \"I\"","year":1815}"#
    #expect(row.line == #"{"g":3,"h":"000000000100000000000","k":"é/1","t":"books","v":\#(values),"x":\#(exceptions)}"#)
    #expect(SyncRow.book("1", at: 1).line == #"{"g":1,"h":"000000000100000000000","k":"1","t":"books"}"#)
    #expect(SyncRow.deletedBook("1").line == #"{"g":2,"k":"1","t":"books"}"#)
  }

  @Test("a row that was purged has f before all else, and reads back so")
  func purged() throws {
    let row = SyncRow.deletedBook("1", forgets: true)
    #expect(row.line == #"{"f":true,"g":2,"k":"1","t":"books"}"#)
    #expect(try SyncRow(line: row.line) == row && SyncRow(line: #"{"t":"books","k":"1","g":2,"f":true}"#) == row)
  }

  @Test("every value of SQLite, and every text as a key, reads back")
  func roundTrip() throws {
    let values: [SQLValue] = [
      .null, .integer(0), .integer(-1), .integer(1 << 53), .integer(1 << 53 + 1), .integer(.max), .integer(.min), .real(0), .real(0.1),
      .real(1e300), .real(5), .real(.infinity), .real(-.infinity), .text(""), .text("a\u{0}\n\"\\\u{1F600}"), .blob(Data()),
      .blob(Data([0, 255])),
    ]
    let keys = ["", "a", "a/b", "\u{0}", "e\u{301}", "é", "\n\u{2028}\"\\"] + values.map { "\($0)" }
    for (value, key) in zip(values, keys) {
      let text = SyncValue.text(of: value)
      let row = SyncRow.book(key, at: 1, ["a": text.text], later: ["b,c": (2, [text.text, "null"])])
      #expect(try SyncRow(line: row.line) == row)
      #expect(SyncValue.value(of: text) == value)
    }
  }

  @Test("any form of JSON is brought into the one form")
  func canonical() throws {
    let (first, second) = (Stamp.at(1).text, Stamp.at(2).text)
    let loose = """
       { "t":"\\u0062ooks", "v":{ "d":12345678901234567890, "c":-0.0, "b":1e2, "a":9007199254740993, "e":{"i":"7"}, "f":1 }, \
      "k":"1", "x":{ "a":["\(first)", 5] , "f":["\(second)" ,2] }, "h":"\(first)" , "g":1 , "q":null}
      """
    let values = #"{"a":{"i":"9007199254740993"},"b":100.0,"c":0.0,"d":1.2345678901234567e+19,"e":7}"#
    #expect(try SyncRow(line: loose).line == #"{"g":1,"h":"\#(first)","k":"1","t":"books","v":\#(values),"x":{"f":["\#(second)",2]}}"#)
  }

  /// Of a living row, behind its stamp.
  private static let rests = [
    #","v":[]"#, #","v":{"a":true}"#, #","v":{"a":{"b":{"c":1}}}"#, #","v":{"a":[1]}"#, #","v":{"a":{}}"#, #","v":{"a":{"i":"x"}}"#,
    #","v":{"a":{"b":"?"}}"#, #","v":{"a":{"r":"nan"}}"#, #","v":{"a":{"i":"1","b":""}}"#, #","v":{"a":NaN}"#, #","v":{"a":1e999}"#,
    #","v":{"a":"\ud800"}"#, #","v":{"a,b":1}"#, #","v":{"":1}"#, #","v":{"ä":1}"#, #","v":{"a\"":1}"#, #","v":{"a":1,"a":1}"#, #","x":[]"#,
    #","x":{"a":5}"#, #","x":{"a":[]}"#, #","x":{"a":["S"]}"#, #","x":{"a":["S",1,2]}"#, #","x":{"a,b":["S",1]}"#, #","x":{"a":["",1]}"#,
    #","x":{"a":[1,1]}"#, #","x":{"a,a":["S",1,2]}"#, #","x":{"a,":["S",1,2]}"#, #","x":{"":["S",1]}"#, #","x":{"a":["S",false]}"#,
    #","f":true"#, #","f":false"#, #","y":1"#, #","g":1"#, #","q":1"#,
  ].map { $0.replacingOccurrences(of: "\"S\"", with: "\"\(Stamp.at(9).text)\"") }

  private static let wrong = [
    "", " ", "null", "[]", "{}", "1", "{", #"{"g":2,"k":"1","t":"books"}{}"#, #"{"g":2,"k":"1","t":"books"},"#,
    #"{"k":"1","t":"books"}"#, #"{"g":2,"t":"books"}"#, #"{"g":2,"k":"1"}"#, #"{"g":2,"k":1,"t":"books"}"#, #"{"g":2,"k":"1","t":""}"#,
    #"{"g":2,"k":"1","t":"a,b"}"#, #"{"g":2,"k":"1","t":"bücher"}"#, #"{"g":2,"k":"1","t":null}"#, #"{"g":0,"k":"1","t":"books"}"#,
    #"{"g":-2,"k":"1","t":"books"}"#, #"{"g":2.0,"k":"1","t":"books"}"#, #"{"g":"2","k":"1","t":"books"}"#,
    #"{"g":9007199254740994,"k":"1","t":"books"}"#, #"{"g":99999999999999999999,"k":"1","t":"books"}"#, #"{"g":1,"k":"1","t":"books"}"#,
    #"{"f":false,"g":2,"k":"1","t":"books"}"#, #"{"f":1,"g":2,"k":"1","t":"books"}"#, #"{"f":"true","g":2,"k":"1","t":"books"}"#,
    #"{"g":2,"h":"000000000100000000000","k":"1","t":"books"}"#, #"{"g":2,"k":"1","t":"books","v":{}}"#,
    #"{"g":2,"k":"1","t":"books","x":{}}"#, #"{"g":1,"h":1,"k":"1","t":"books"}"#, #"{"g":1,"h":"","k":"1","t":"books"}"#,
    #"{"g":1,"h":"\#(String(repeating: "V", count: 21))","k":"1","t":"books"}"#,
    #"{"g":1,"h":"00000000010000000000a","k":"1","t":"books"}"#,
  ]

  private static let wrongRests = rests.map { #"{"g":1,"h":"\#(Stamp.at(1).text)","k":"1","t":"books"\#($0)}"# }

  @Test("a line that is not exactly a row is refused", arguments: wrong + wrongRests)
  func refused(_ line: String) {
    #expect(code { _ = try SyncRow(line: line) } == .invalidSource)
  }

  @Test("lines of 10 MB are refused or read, and end nothing")
  func hugeLines() throws {
    let size = 10_000_000
    let key = String(repeating: "k", count: size)
    #expect(try SyncRow(line: #"{"g":2,"k":"\#(key)","t":"books"}"#).name.key.text.utf8.count == size)
    for start in [String(repeating: "[", count: size), #"{"g":"# + String(repeating: "9", count: size) + "}"] {
      #expect(code { _ = try SyncRow(line: start) } == .invalidSource)
    }
  }

  @Test("a digest is made of the first 8 bytes of the line's SHA-256")
  func digest() {
    #expect(SyncRow.digest(ofLine: #"{"g":2,"k":"1","t":"books"}"#) == 11_132_523_041_628_548_358)
  }
}
