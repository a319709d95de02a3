import HoldfastTesting
import Testing

@testable import Holdfast

struct ValidUTF8Tests {
  private static let valid = ["", "a", "é", "e\u{301}", "\u{FFFD}", "\u{1F4D6}", "\0", "\u{FEFF}a"]

  @Test("bytes in UTF-8 are their text, byte for byte; others are none: on old systems as on new ones")
  func both() {
    for text in Self.valid {
      for read in [String(validUTF8: Array(text.utf8)), String(repairing: Array(text.utf8))] {
        #expect(read.map { ExactText($0) } == ExactText(text))
      }
    }
    let broken: [[UInt8]] = [
      [0x80], [0xC3], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xF0, 0x9F, 0x93],
    ]
    for bytes in broken {
      #expect(String(validUTF8: bytes) == nil && String(repairing: bytes) == nil)
    }
  }

  @Test("both ways agree on random bytes")
  func agree() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        random.pick([0x00, 0x41, 0x7F, 0x80, 0xA0, 0xBF, 0xC3, 0xE2, 0xED, 0xEF, 0xF0, 0xF4] as [UInt8])
      }
      #expect(String(validUTF8: bytes).map { ExactText($0) } == String(repairing: bytes).map { ExactText($0) }, "\(bytes)")
    }
  }
}
