import Foundation
import Holdfast
import HoldfastTesting
import Testing

/// The scanner against Foundation: the same verdict and the same values, but for the differences that are meant.
@Suite("JSON scanner against Foundation")
struct JSONScannerFoundationTests {
  /// Foundation's tree, with all numbers as doubles; nil when it refuses the document.
  private static func foundation(_ bytes: [UInt8]) -> JSONValue? {
    func tree(_ object: Any) -> JSONValue {
      switch object {
      case let string as String: .string(string)
      case let elements as [Any]: .array(elements.map(tree))
      case let members as [String: Any]: .object(members.mapValues(tree))
      case let number as NSNumber: String(cString: number.objCType) == "c" ? .bool(number.boolValue) : .double(number.doubleValue)
      default: .null
      }
    }
    return (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)).map(tree)
  }

  /// Whether the two trees are the same, but for the last bits of a number: the serializer rounds long numbers twice.
  /// Their bits are compared with those of `JSONDecoder` elsewhere.
  private static func agree(_ ours: JSONValue?, _ theirs: JSONValue?) -> Bool {
    switch (ours, theirs) {
    case (.integer(let a), .double(let b)): abs(Double(a) - b) <= b.magnitude * 1e-15
    case (.double(let a), .double(let b)): abs(a - b) <= max(b.magnitude * 1e-15, Double.leastNonzeroMagnitude)
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { agree($0, $1) }
    case (.object(let a), .object(let b)): a.count == b.count && a.allSatisfy { agree($0.value, b[$0.key]) }
    default: ours == theirs
    }
  }

  /// The deliberate differences: we refuse, for a reason that Foundation lets pass.
  private static func isMeant(_ error: JSONScanError, _ bytes: [UInt8]) -> Bool {
    // Foundation keeps one of the two values, and nobody knows of the other.
    if error.found.hasPrefix("duplicate key") { return true }
    // Foundation reads UTF-16 and UTF-32 too.
    if error.found.hasPrefix("UTF-") { return true }
    // Some versions of Foundation let one comma pass before the end of an array or object.
    let isEnd = error.expected == "a value" && error.found == "']'" || error.expected == "a key" && error.found == "'}'"
    return isEnd && bytes[..<error.offset].last { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: ",")
  }

  private static let valid = [
    "null", "true", "false", "0", "-0", "-1.25e+10", "1E5", "\"\"", "[]", "{}", " [ ] ", "\t{\r\n}\n",
    #"["a",["b",[]],{}]"#, #"{"a":{"b":{"c":[1,2,3]}}}"#,
    #""\u0000\u001f\"\\\/\b\f\n\r\t""#, #""\ud83d\ude00\uD834\uDD1E""#, "\"é三😀\u{7F}\"",
    "\"\u{FFFF}\u{10FFFF}\u{2028}\"", "123456789012345678901234567890", "1e-400", "4.9e-324", "1.7976931348623157e308", "9007199254740993",
    "0.1000000000000000055511151231257827021181583404541015625", JSONScannerTests.sample,
  ]

  private static let invalid = [
    "", " ", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "-",
    "1e999", "-1e309", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "1.e5", "0x10", "1 2", "1,",
    "[", "]", "[1", "[1,", "[,]", "[1 2]", "{", "}", "{]", "[}", #"{"a"}"#, #"{"a":}"#, "{a:1}", "{'a':1}", "{1:2}", #"{"a" "b"}"#,
    "\"", "\"a", "\"\\", #""\x""#, #""\u12""#, #""\u12G4""#, #""\ud800""#, #""\ud800\u0041""#, #""\udc00""#, #""\ud800x""#,
    #""\ude00\ud83d""#,
    "\"\u{0}\"", "\"\n\"", "\"\t\"", "\"\u{1F}\"", "[1]x", "\u{A0}1", "\u{FEFF} \u{FEFF}1", "// c\n1", "/**/1", "[1]\u{0}", "1\u{B}",
  ]

  private static let invalidBytes: [[UInt8]] = [
    [0x22, 0x80, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
    [0x22, 0xE4, 0xB8, 0x22], [0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
    [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
    [0x22, 0xFF, 0x22], [0x22, 0xFE, 0xFE, 0x22], [0xC3, 0xA9], [0x22, 0xF0, 0x9F, 0x98, 0x22],
  ]

  @Test("valid documents are read alike, invalid ones refused alike")
  func table() throws {
    for text in Self.valid {
      let bytes = [UInt8](text.utf8)
      let tree = try JSONScannerTests.tree(bytes)
      #expect(Self.agree(tree, Self.foundation(bytes)), "\(text)")
    }
    for bytes in Self.invalid.map({ [UInt8]($0.utf8) }) + Self.invalidBytes {
      #expect(JSONScannerTests.error(bytes) != nil && Self.foundation(bytes) == nil, "\(String(decoding: bytes, as: UTF8.self))")
    }
  }

  @Test("damaged documents get Foundation's verdict and values")
  func mutations() throws {
    let seed: UInt64 = 42
    var random = SeededGenerator(printing: seed)
    let corpus = Self.valid.map { [UInt8]($0.utf8) } + [[UInt8](JSONScannerTests.sample.utf8)]
    let alphabet =
      [UInt8](#"{}[]:,"\/ -+.0123456789eEtrufalsn"#.utf8) + [0, 9, 10, 31, 0x7F, 0x80, 0xBF, 0xC3, 0xA9, 0xE4, 0xED, 0xF0, 0x9F, 0xFF]
    var accepted = 0
    var differences: [String] = []
    for _ in 0..<(ProofRun.isLong ? 40_000 : 10_000) {
      guard var bytes = corpus.randomElement(using: &random) else { continue }
      for _ in 0...(random.next() % 3) {
        let position = Int(random.next() % UInt64(bytes.count + 1))
        let byte = alphabet[Int(random.next() % UInt64(alphabet.count))]
        switch random.next() % 4 {
        case 0: bytes.insert(byte, at: position)
        case 1 where position < bytes.count: bytes.remove(at: position)
        case 2 where position < bytes.count: bytes[position] = byte
        default: bytes.insert(contentsOf: bytes[..<position].suffix(Int(random.next() % 12)), at: position)
        }
      }
      let error = JSONScannerTests.error(bytes)
      if error == nil { accepted += 1 }
      var scanner = JSONScanner(JSONDocument(bytes))
      let isSkipped = (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
      if let error, Self.isMeant(error, bytes) { continue }
      if !Self.agree(try? JSONScannerTests.tree(bytes), Self.foundation(bytes)) || isSkipped != (error == nil) {
        differences.append(String(decoding: bytes, as: UTF8.self))
      }
    }
    #expect(differences == [], "seed \(seed)")
    #expect(accepted > (ProofRun.isLong ? 4000 : 1000), "seed \(seed)")
  }

  @Test("what Foundation lets pass and we do not: duplicate keys, other encodings, a comma before the end")
  func differences() throws {
    for bytes in [[UInt8](#"{"a":1,"a":2}"#.utf8), [0x31, 0x00], [UInt8]("[1, ]".utf8), [UInt8](#"{"a":1,}"#.utf8)] {
      #expect(Self.isMeant(try #require(JSONScannerTests.error(bytes)), bytes))
    }
    #expect(Self.foundation([UInt8](#"{"a":1,"a":2}"#.utf8)) != nil)
  }
}
