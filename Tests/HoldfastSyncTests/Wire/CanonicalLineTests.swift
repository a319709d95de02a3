import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

struct CanonicalLineTests {
  @Test("a line as rows write it is read without a tree of JSON, and a page of them in every part")
  func reads() throws {
    let row = SyncRow.book(
      "é/1", generation: 3, at: 7, ["a": "0", "b": "-5", "c": #""Zoë 😀""#, "d": "0.5", "year": "1815"],
      later: ["rating,rated_at": (9, ["5", "null"])])
    let read = read(row.line(at: 12))
    #expect(read?.row == row && read?.sequence == 12)
    #expect(self.read(SyncRow.book("", at: 1).line)?.row == SyncRow.book("", at: 1))
  }

  @Test("what it does not know, the full reading knows: another order, other spellings, escapes, blobs, deleted rows")
  func leaves() throws {
    let line = SyncRow.book("1", at: 1, ["a": "1", "b": "2"]).line
    for other in [
      line.replacingOccurrences(of: #""a":1,"b":2"#, with: #""b":2,"a":1"#), line.replacingOccurrences(of: "{", with: "{ "),
      SyncRow.book("\n", at: 1).line, SyncRow.book("1", at: 1, ["a": #"{"b":"AAA="}"#]).line, SyncRow.deletedBook("1").line,
    ] {
      #expect(read(other) == nil)
      #expect(throws: Never.self) { try SyncRow.read(other.utf8) }
    }
  }

  @Test("both readings agree on lines with random faults", arguments: [UInt64(1), 2, 3])
  func agree(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = Array(#"{}[]",:0123456789.-+eExvkhgtq\u\#u{E9}\ abn"#.utf8) + [0, 0x1F, 0x80, 0xFF]
    let lines = (Int64(0)..<200).map { number in
      let row = SyncRow.book(
        "k\(number)", at: 1 + number, ["a": "\(number)", "b": #""text \#(number)""#, "c": "1.5"],
        later: ["d,e": (number + 2, ["5", "null"])])
      return Array(row.line(at: number.isMultiple(of: 2) ? 5 : nil).utf8)
    }
    var both = 0
    for number in 0..<10_000 {
      var bytes = lines[number % lines.count]
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        let letter = random.pick(letters)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = letter
        case 1: bytes.insert(letter, at: place)
        default: bytes.remove(at: place)
        }
      }
      guard let fast = bytes.withUnsafeBufferPointer(CanonicalLine.read) else { continue }
      let full = try SyncRow.readAny(bytes)
      #expect(fast.row == full.row && fast.sequence == full.sequence, "seed \(seed), line \(String(decoding: bytes, as: UTF8.self))")
      both += 1
    }
    #expect(both > 2_500, "seed \(seed)")
  }

  private func read(_ line: String) -> (row: SyncRow, sequence: Int64?)? {
    Array(line.utf8).withUnsafeBufferPointer(CanonicalLine.read)
  }
}
