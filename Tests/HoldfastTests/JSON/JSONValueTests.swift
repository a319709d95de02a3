import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("JSON value")
struct JSONValueTests {
  @Test(
    "numbers keep their kind, and integers beyond 64 bits become doubles",
    arguments: [
      ("0", JSONValue.integer(0), 0 as Int64?), ("-0", .integer(0), 0), ("-7", .integer(-7), -7), ("1.0", .double(1), 1),
      ("1e3", .double(1000), 1000),
      ("1.50e1", .double(15), 15), ("0e9999999999999999999999", .double(0), 0), ("-9223372036854775808", .integer(.min), .min),
      ("9223372036854775807", .integer(.max), .max), ("9223372036854775808", .double(0x1p63), nil),
      ("-9223372036854775809", .double(-0x1p63), nil),
      ("18446744073709551616", .double(0x1p64), nil), ("100000000000000000000e-5", .double(1e15), 1_000_000_000_000_000),
      ("1e-1", .double(0.1), nil), ("1e-400", .double(0), nil), ("1e19", .double(1e19), nil),
      ("9.223372036854775807e18", .double(0x1p63), .max),
      ("9007199254740993.0", .double(9_007_199_254_740_992), 9_007_199_254_740_993), ("1.000000000000000000000000", .double(1), 1),
      ("123456789012345678901234567890e-29", .double(1.2345678901234567), nil),
    ])
  func numbers(_ text: String, _ value: JSONValue, _ integer: Int64?) throws {
    #expect(try JSONScannerTests.tree([UInt8](text.utf8)) == value)
    var scanner = JSONScannerTests.scanner(text)
    #expect((try? scanner.int64()) == integer)
  }

  @Test("canonical text sorts keys and escapes no more than it must")
  func canonicalText() throws {
    let text = #"""
       { "b" : [ 1 , 1.0, 1e300, -0.0, 5e-324 ], "a\/" : "\u002f \u00e9 \" \\ \b\f\n\r\t \u0001 \u007f \ud83d\ude00",
        "é" : null, "Z" : {}, "z":[] }
      """#
    let value = try JSONScannerTests.tree([UInt8](text.utf8))
    let canonical = value.canonicalText()
    #expect(
      canonical
        == #"{"Z":{},"a/":"/ é \" \\ \b\f\n\r\t \u0001 "# + "\u{7F}" + #" 😀","b":[1,1.0,1e+300,0.0,5e-324],"z":[],"é":null}"#)
    #expect(try JSONScannerTests.tree([UInt8](canonical.utf8)) == value)
    #expect(JSONValue.array([.double(.nan), .double(.infinity)]).canonicalText() == "[null,null]")
  }

  @Test("the deepest document is read and written on the smallest stack that a thread gets")
  func smallStack() async {
    let text = String(repeating: #"{"a":["#, count: 256) + String(repeating: "]}", count: 256)
    let written = await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: try? JSONScannerTests.tree([UInt8](text.utf8)).canonicalText()) }
      thread.stackSize = 512 * 1024
      thread.start()
    }
    #expect(written == text)
  }

  @Test("100,000 random doubles have Foundation's bits, however they are written")
  func doubles() throws {
    let seed: UInt64 = 20_260_101
    var random = SeededGenerator(printing: seed)
    var texts: [String] = []
    while texts.count < 100_000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let digits = String(random.next() % 1_000_000_000_000_000_000).prefix(Int(random.next() % 18) + 1)
      switch random.next() % 5 {
      case 0: texts.append("\(double)")
      case 1: texts.append("\(Double(random.next() % 100_000_000) / 1000)")
      case 2: texts.append("\(Int64(digits) ?? 1)e\(Int(random.next() % 60) - 30)")
      case 3: texts.append("-\(random.next() % 100_000).\(digits)\(digits)")
      default: texts.append("\(random.next())\(random.next() % 10).5E-\(random.next() % 330)")
      }
    }
    let document = Data("[\(texts.joined(separator: ","))]".utf8)
    let expected = try JSONDecoder().decode([Double].self, from: document)
    var scanner = JSONScanner(JSONDocument(document))
    var wrong: [String] = []
    var count = 0
    try scanner.array { index, scanner in
      if try scanner.double().bitPattern != expected[index].bitPattern { wrong.append(texts[index]) }
      count += 1
    }
    #expect(wrong == [] && count == 100_000, "seed \(seed)")
  }
}
