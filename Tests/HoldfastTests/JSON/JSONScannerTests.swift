import Foundation
import Holdfast
import Testing

@Suite("JSON scanner")
struct JSONScannerTests {
  static let sample = #"""
    {
      "schemaVersion" : 3,
      "collections" : [
        { "title" : "三体 \ud83d\ude00 \u00e9", "tags" : [], "a key" : { }, "tracks" : [ { "path" : "\/a\"b\/\\", "size" : 29360128 },
          { "duration" : 1832.48, "isFavorite" : true, "none" : null, "small" : -1.5e-7 } ] }
      ],
      "last" : [false, "é😀", 0, -0, 12E+2]
    }
    """#

  static func scanner(_ text: String) -> JSONScanner {
    JSONScanner(JSONDocument([UInt8](text.utf8)))
  }

  static func tree(_ bytes: [UInt8]) throws -> JSONValue {
    var scanner = JSONScanner(JSONDocument(bytes))
    let value = try scanner.value()
    try scanner.finish()
    return value
  }

  static func error(_ bytes: [UInt8]) -> JSONScanError? {
    do {
      _ = try tree(bytes)
      return nil
    } catch {
      return error as? JSONScanError
    }
  }

  /// One line per value, in document order, through the closures only.
  static func lines(_ scanner: inout JSONScanner) throws -> [String] {
    var lines: [String] = []
    let path = scanner.path
    switch try scanner.peek() {
    case .object: try scanner.object { _, scanner in lines += try Self.lines(&scanner) }
    case .array: try scanner.array { _, scanner in lines += try Self.lines(&scanner) }
    case .string: lines = ["\(path) = \(try scanner.string())"]
    case .number: lines = ["\(path) = \(try scanner.double())"]
    case .bool: lines = ["\(path) = \(try scanner.bool())"]
    case .null: lines = ["\(path) = \(try scanner.null() ? "null" : "?")"]
    case .end: lines = ["end"]
    }
    return lines
  }

  @Test("every value is found with its path")
  func paths() throws {
    var scanner = Self.scanner(Self.sample)
    #expect(
      try Self.lines(&scanner) == [
        "$.schemaVersion = 3.0",
        "$.collections[0].title = 三体 😀 é",
        #"$.collections[0].tracks[0].path = /a"b/\"#,
        "$.collections[0].tracks[0].size = 29360128.0",
        "$.collections[0].tracks[1].duration = 1832.48",
        "$.collections[0].tracks[1].isFavorite = true",
        "$.collections[0].tracks[1].none = null",
        "$.collections[0].tracks[1].small = -1.5e-07",
        "$.last[0] = false", "$.last[1] = é😀", "$.last[2] = 0.0", "$.last[3] = -0.0", "$.last[4] = 1200.0",
      ])
    try scanner.finish()
    #expect(try scanner.peek() == .end)
  }

  @Test("a document cut at any byte gives an error at its end, by every way of reading")
  func truncation() throws {
    let bytes = [UInt8](Self.sample.utf8)
    #expect(Self.error(bytes) == nil)
    for length in 0..<bytes.count {
      let document = JSONDocument(Array(bytes[..<length]))
      let readings: [(inout JSONScanner) throws -> Void] = [
        { _ = try $0.value() }, { try $0.skip() }, { _ = try $0.object { _, _ in } },
        { scanner in if try scanner.peek() == .end { try scanner.skip() } else { _ = try Self.lines(&scanner) } },
      ]
      var paths: Set<String> = []
      for read in readings {
        var scanner = JSONScanner(document)
        let error = #expect(throws: JSONScanError.self) { try read(&scanner) }
        #expect(error?.offset == length && error?.found == "end of the file", "cut to \(length): \(String(describing: error))")
        #expect(scanner.offset <= length && scanner.path == "$")
        paths.insert(error?.path ?? "")
      }
      #expect(paths.count == 1, "cut to \(length): \(paths)")
    }
  }

  @Test(
    "an error says where, what was expected and what is there",
    arguments: [
      (#"{"a":[1,{"b" 2}]}"#, "expected a colon, found '2', at byte 13 in $.a[1]"),
      (#"{"a":[1,{"b":x}]}"#, "expected a value, found 'x', at byte 13 in $.a[1].b"),
      (#"{"a":[1 2]}"#, "expected a comma or the end of the array, found '2', at byte 8 in $.a"),
      (#"{"a":1 "b":2}"#, "expected a comma or the end of the object, found '\"', at byte 7 in $"),
      (#"{"a":[1,]}"#, "expected a value, found ']', at byte 8 in $.a[1]"),
      (#"{"a":[[],],"b":1}"#, "expected a value, found ']', at byte 9 in $.a[1]"),
      ("[,1]", "expected a value or the end of the array, found ',', at byte 1 in $[0]"),
      (#"{,"a":1}"#, "expected a key or the end of the object, found ',', at byte 1 in $"),
      (#"{"a":1,}"#, "expected a key, found '}', at byte 7 in $"),
      (#"[true,fals]"#, "expected false, found ']', at byte 10 in $[1]"),
      (#"{"x y":[01]}"#, "expected no digit after a leading zero, found '1', at byte 9 in $[\"x y\"][0]"),
      (#"{"":[1.]}"#, "expected a digit after the point, found ']', at byte 7 in $[\"\"][0]"),
      (#"["\ud800x"]"#, "expected a pair of surrogates, found '\\', at byte 2 in $[0]"),
      ("[\"a\u{1}\"]", "expected an escape for a control character, found the control character 1, at byte 3 in $[0]"),
      (#"{"k\"":é}"#, "expected a value, found 'é', at byte 7 in $[\"k\\\"\"]"),
      ("[1e999]", "expected a number that a Double can hold, found 1e999, at byte 1 in $[0]"),
      (#"{"a":{"b":1,"b":2}}"#, "expected a key that the object does not have yet, found duplicate key \"b\", at byte 12 in $.a"),
      ("[] []", "expected end of the file, found '[', at byte 3 in $"),
      ("", "expected a value, found end of the file, at byte 0 in $"),
    ])
  func messages(_ text: String, _ message: String) {
    #expect(Self.error([UInt8](text.utf8))?.description == message)
  }

  @Test("a value of another type is an error that names it, and can be read as what it is")
  func mismatch() throws {
    var scanner = Self.scanner(#"  {"n":"5","f":1.5,"big":9223372036854775808,"t":1}"#)
    var messages: [String] = []
    try scanner.object { key, scanner in
      do {
        switch key {
        case "n", "f", "big": _ = try scanner.int64()
        default: _ = try scanner.bool()
        }
      } catch let error as JSONScanError {
        messages.append("\(error) / \(try scanner.value().canonicalText())")
      }
    }
    #expect(
      messages == [
        #"expected a number, found a string, at byte 7 in $.n / "5""#,
        "expected an integer of 64 bits, found 1.5, at byte 15 in $.f / 1.5",
        "expected an integer of 64 bits, found 9223372036854775808, at byte 25 in $.big / 9.223372036854776e+18",
        "expected true or false, found a number, at byte 49 in $.t / 1",
      ])
  }

  @Test("an object that fails can be skipped, and its bytes kept")
  func quarantine() throws {
    let text = #"[{"id":1},{"id":"x","more":[1,2]},{"id":3}]"#
    let document = JSONDocument([UInt8](text.utf8))
    var scanner = JSONScanner(document)
    var log: [String] = []
    try scanner.array { _, scanner in
      do {
        try scanner.object { key, scanner in if key == "id" { log.append("\(try scanner.int64())") } }
      } catch {
        let path = scanner.path
        log.append("\(path): " + String(decoding: document.bytes(try scanner.skip()), as: UTF8.self))
      }
    }
    #expect(log == ["1", #"$[1]: {"id":"x","more":[1,2]}"#, "3"])
  }

  @Test("a copy is a bookmark, and so are an offset with a path")
  func bookmarks() throws {
    let document = JSONDocument([UInt8](#"{"tracks":[{"n":1},{"n":2}],"id":"x"}"#.utf8))
    var scanner = JSONScanner(document)
    var copy: JSONScanner?
    var place: (offset: Int, path: JSONPath)?
    try scanner.object { key, scanner in
      if key == "tracks" {
        copy = scanner
        place = (scanner.offset, scanner.location)
      }
    }
    try scanner.finish()
    let found = try #require(place)
    for start in [try #require(copy), JSONScanner(document, at: found.offset, path: found.path)] {
      var again = start
      #expect(try Self.lines(&again) == ["$.tracks[0].n = 1.0", "$.tracks[1].n = 2.0"])
    }
    var elsewhere = JSONScanner(JSONDocument([UInt8]("[7]".utf8)), path: found.path)
    #expect(try Self.lines(&elsewhere) == ["$[0] = 7.0"])
    for offset in [Int.min, -1, 37, 38, Int.max] {
      var outside = JSONScanner(document, at: offset)
      #expect((try? outside.skip()) == (offset < 0 ? 0..<37 : nil))
    }
  }

  @Test("512 levels are read, deeper ones are an error, and 100,000 exhaust no stack")
  func depth() throws {
    for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
      let deepest = String(repeating: open, count: 512) + (open == "[" ? "" : "0") + String(repeating: close, count: 512)
      let tree = try Self.tree([UInt8](deepest.utf8))
      #expect(tree.canonicalText() == deepest)
      for count in [513, 100_000] {
        let bytes = [UInt8](String(repeating: open, count: count).utf8)
        let error = try #require(Self.error(bytes))
        #expect(error.offset == 512 * open.utf8.count && error.found == "one more", "\(error)")
        var scanner = JSONScanner(JSONDocument(bytes))
        #expect(throws: error) { try scanner.skip() }
      }
    }
  }

  @Test("a scanner that comes back to a place knows how deep it is")
  func depthOfPlaces() throws {
    let document = JSONDocument([UInt8](String(repeating: "[", count: 600).utf8))
    var scanner = JSONScanner(document)
    var levels = 0
    var last: JSONScanError?
    while last == nil, levels < 600 {
      var inner: JSONScanner?
      do {
        try scanner.array { _, scanner in
          inner = JSONScanner(document, at: scanner.offset, path: scanner.location)
          throw CancellationError()
        }
      } catch {
        last = error as? JSONScanError
      }
      levels += inner == nil ? 0 : 1
      scanner = inner ?? scanner
    }
    let eight = String(repeating: "[0]", count: 8)
    #expect(levels == 512 && last?.found == "one more" && last?.path == "$\(eight)…\(eight)")
  }

  @Test("an error's path of more than 16 steps is its first and its last eight", arguments: [16, 17, 18, 500])
  func longPath(steps: Int) throws {
    let text = (0..<steps).map { #"{"k\#($0)":"# }.joined() + "x"
    let path = try #require(Self.error([UInt8](text.utf8))).path
    let keys = (0..<steps).map { ".k\($0)" }
    #expect(path == (steps == 16 ? "$" + keys.joined() : "$\(keys.prefix(8).joined())…\(keys.suffix(8).joined())"))
  }

  @Test("an element that the closure leaves is checked all the same; the caller's own errors pass")
  func unread() throws {
    struct Enough: Error {}
    var scanner = Self.scanner(#"[1,{"a":tru}]"#)
    let error = #expect(throws: JSONScanError.self) { try scanner.array { _, _ in } }
    #expect(error?.path == "$[1].a" && error?.offset == 11)
    var keys: [String] = []
    var object = Self.scanner(#"{"a\u0062":1,"ab":2,"c":3}"#)
    #expect(throws: Enough.self) {
      try object.object { key, _ in
        guard key == "ab" else { throw Enough() }
        keys.append(key.string)
      }
    }
    #expect(keys == ["ab", "ab"] && object.offset == 0 && object.path == "$")
    #expect(throws: JSONScanError.self) { try object.object { _, scanner in scanner = Self.scanner("1") } }
  }

  @Test("a byte order mark is skipped; other encodings are named")
  func encodings() throws {
    #expect(try Self.tree([0xEF, 0xBB, 0xBF, 0x31]) == .integer(1))
    let encodings: [(String.Encoding, String)] = [
      (.utf16, "UTF-16"), (.utf16BigEndian, "UTF-16"), (.utf16LittleEndian, "UTF-16"), (.utf32, "UTF-32"),
      (.utf32BigEndian, "UTF-32"), (.utf32LittleEndian, "UTF-32"),
    ]
    for (encoding, name) in encodings {
      for text in ["1", "{}", #"{"a":"三"}"#] {
        let bytes = [UInt8](try #require(text.data(using: encoding)))
        let error = JSONScanError(offset: 0, expected: "text in UTF-8", found: name, path: "$")
        #expect(Self.error(bytes) == error, "\(text) \(encoding)")
        var scanner = JSONScanner(JSONDocument(bytes))
        #expect(throws: error) { _ = try scanner.peek() }
      }
    }
  }

  @Test("bytes of a document are clamped, and a file is read whole")
  func documents() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("[1]".utf8).write(to: file)
    let document = try JSONDocument(contentsOf: file)
    #expect(document.count == 3 && document.bytes(-5..<2) == [0x5B, 0x31] && document.bytes(2..<Int.max) == [0x5D])
    #expect(document.bytes(7..<9) == [] && JSONDocument([UInt8]()).bytes(0..<1) == [])
    #expect(failure { try JSONDocument(contentsOf: file.appendingPathExtension("gone")) }?.code == .notFound)
    // Read in several pieces.
    let long = (0..<5_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(long).write(to: file)
    #expect(try JSONDocument(contentsOf: file).bytes(0..<Int.max) == long)
  }
}
