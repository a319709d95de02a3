import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastTransfer

@Suite("Texts that are searched for in bytes") struct ByteNeedlesTests {
  private static let secret = "sk-live/0123456789+ä?"

  private func ranges(_ texts: [String], _ bytes: String) -> [Range<Int>] {
    ByteNeedles(texts.map { Data($0.utf8) }).ranges(in: Array(bytes.utf8))
  }

  @Test("of a text and its beginning the whole is found, whichever came first, and what overlaps is one place")
  func longest() {
    for texts in [["abcdefgh", "abcdefghijkl"], ["abcdefghijkl", "abcdefgh"]] {
      #expect(ranges(texts, "..abcdefghijkl..abcdefghij") == [2..<14, 16..<24])
    }
    #expect(ranges(["abcdefghij", "ghijklmnop"], "abcdefghijklmnop abcdefghi") == [0..<16])
    #expect(ranges(["abcdefgh"], "abcdefghabcdefgh") == [0..<16])
  }

  @Test("a text is found in JSON, in JSON that is a text of JSON, and in base64 wherever it begins", arguments: 0..<6)
  func forms(offset: Int) {
    let text = String(repeating: "x", count: offset) + Self.secret
    let inJSON = JSONValue.string(text).canonicalText()
    let slashed = inJSON.replacingOccurrences(of: "/", with: #"\/"#)
    for form in [text, inJSON, slashed, JSONValue.string(inJSON).canonicalText(), JSONValue.string(slashed).canonicalText()] {
      #expect(ranges([Self.secret], form).count == 1, "\(form)")
      let base64 = Data((form + ".").utf8).base64EncodedString()
      #expect(ranges([Self.secret], base64).count == 1, "\(form)")
      let ofURLs = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      #expect(ranges([Self.secret], ofURLs).count == 1, "\(form)")
    }
    #expect(ranges([Self.secret], text.replacingOccurrences(of: "?", with: "!")) == [])
  }

  @Test("a text is found in UTF-16, in either order of its bytes, and in base64 of that")
  func utf16() {
    let needles = ByteNeedles([Data(Self.secret.utf8)])
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      let bytes = "before \(Self.secret) behind".data(using: encoding) ?? Data()
      #expect(needles.stand(in: Array(bytes)) && needles.stand(in: Array(bytes.base64EncodedData())))
      #expect(!needles.stand(in: Array("before \(Self.secret.dropLast()) behind".data(using: encoding) ?? Data())))
    }
  }

  @Test("a long text of one letter among many of that letter is found in a moment", .timeLimit(.minutes(1)))
  func long() {
    let letters = [UInt8](repeating: UInt8(ascii: "A"), count: 400_000)
    let needles = ByteNeedles([Data(letters.prefix(140_000)), Data(letters.prefix(180_000) + [1])])
    #expect(needles.ranges(in: letters) == [0..<280_000])
    #expect(needles.ranges(in: [1] + letters.prefix(140_001) + [1]) == [1..<140_001])
  }

  @Test("of long texts that begin and end alike the one is found that stands there")
  func alike() {
    let (start, end) = (String(repeating: "a", count: 64), String(repeating: "b", count: 64))
    let (one, other) = (start + "1" + end, start + "2" + end)
    #expect(ranges([one, other], ".\(other).\(one)") == [1..<130, 131..<260])
    #expect(ranges([one], ".\(other).\(start)\(end)") == [])
  }

  @Test("what is shorter than eight bytes is not searched for, and bytes that are no text are")
  func short() {
    #expect(ByteNeedles([Data("1234567".utf8), Data()]).isEmpty)
    let bytes: [UInt8] = [0xFF, 0, 0xFE, 1, 2, 3, 4, 5, 6]
    #expect(ByteNeedles([Data(bytes)]).ranges(in: [7] + bytes + [7]) == [1..<10])
    #expect(ByteNeedles([]).ranges(in: bytes) == [])
  }

  @Test("in a file it is found at the border of two pieces, too", arguments: [-40, -21, -10, -1, 0, 1])
  func file(offset: Int) throws {
    let folder = try TemporaryFolder()
    let needles = ByteNeedles([Data(Self.secret.utf8)])
    let filler = Data(repeating: UInt8(ascii: "."), count: (1 << 20) + offset)
    try (filler + Data(Self.secret.utf8) + Data(repeating: 0, count: 100)).write(to: folder.file("with"))
    try (filler + Data(Self.secret.utf8).dropLast()).write(to: folder.file("without"))
    #expect(try needles.stand(inFileAt: folder.file("with")))
    #expect(try !needles.stand(inFileAt: folder.file("without")))
  }

  @Test("it finds what a search text by text finds, in random bytes of two letters")
  func random() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    func letters(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 97...98, using: &random) } }
    for _ in 0..<200 {
      let texts = (0..<Int.random(in: 1...6, using: &random)).map { _ in Data(letters(Int.random(in: 8...11, using: &random))) }
      let bytes = letters(200)
      var covered: Set<Int> = []
      for text in texts {
        for start in 0...(bytes.count - text.count) where bytes[start...].starts(with: text) {
          covered.formUnion(start..<start + text.count)
        }
      }
      let found = Set(ByteNeedles(texts).ranges(in: bytes).flatMap { Array($0) })
      #expect(found == covered, "seed \(seed)")
    }
  }
}
