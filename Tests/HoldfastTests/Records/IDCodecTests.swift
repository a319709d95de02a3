import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The id codec")
struct IDCodecTests {
  @Test("agrees with Foundation on 200,000 random ids, both ways and in both cases")
  func agreesWithFoundation() {
    var random = SeededGenerator(printing: 0x1D_0001)
    var wrong: [UUID] = []
    var written = [UInt8](repeating: 0, count: 36)
    for _ in 0..<200_000 {
      let (high, low) = (random.next(), random.next())
      let id = UUID(uuid: unsafeBitCast((high, low), to: uuid_t.self))
      let upper = id.uuidString
      let lower = IDCodec.lowercase(id)
      written.withUnsafeMutableBytes { if let base = $0.baseAddress { IDCodec.write(id, to: base) } }
      if IDCodec.uppercase(id) != upper || String(decoding: written, as: UTF8.self) != lower || lower != upper.lowercased()
        || IDCodec.parse(upper) != id || IDCodec.parse(lower) != id
      {
        wrong.append(id)
      }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("accepts a corrupted byte exactly when it is a hexadecimal digit or the hyphen in its place")
  func everySingleByteCorruption() {
    let valid = Array("0f9C2a7E-5b3D-4e81-A6c4-d70E18B2f395".utf8)
    let hyphens: Set<Int> = [8, 13, 18, 23]
    var wrong: [String] = []
    for position in 0..<36 {
      for byte in UInt8.min...UInt8.max {
        var bytes = valid
        bytes[position] = byte
        let isGood = hyphens.contains(position) ? byte == 0x2D : byte < 0x80 && Character(Unicode.Scalar(byte)).isHexDigit
        let expected = isGood ? UUID(uuidString: String(decoding: bytes, as: UTF8.self)) : nil
        let parsed = bytes.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { IDCodec.parse($0, count: bytes.count) } }
        if parsed != expected || (parsed != nil) != isGood { wrong.append("\(position): \(byte)") }
      }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("differs from Foundation only where that reads blanks, signs and 0x as digits")
  func strictness() {
    let valid = Array("00000000-0000-0000-0000-000000000000".utf8)
    let lax: Set<UInt8> = Set("\t\n\u{B}\u{C}\r +-xX".utf8)
    var wrong: [String] = []
    for position in 0..<36 {
      for byte in UInt8(1)..<0x80 {
        var bytes = valid
        bytes[position] = byte
        let text = String(decoding: bytes, as: UTF8.self)
        let (ours, theirs) = (IDCodec.parse(text), UUID(uuidString: text))
        if ours != theirs, ours != nil || !lax.contains(byte) { wrong.append("\(position): \(byte)") }
      }
    }
    #expect(wrong.prefix(5) == [])
  }

  @Test("refuses every length but 36")
  func lengths() {
    let text = "0f9c2a7e-5b3d-4e81-a6c4-d70e18b2f395"
    let twice = text + text
    let accepted = (0...72).filter { IDCodec.parse(twice.prefix($0)) != nil }
    #expect(accepted == [36])
    #expect(IDCodec.parse("") == nil)
    #expect(IDCodec.parse("{0f9c2a7e-5b3d-4e81-a6c4-d70e18b2f39}") == nil)
    #expect(IDCodec.parse("0f9c2a7e5b3d4e81a6c4d70e18b2f395") == nil)
  }

  @Test("reads an id in the middle of other text, without alignment")
  func unaligned() {
    let id = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
    for offset in 0..<16 {
      let text = String(repeating: "é", count: offset) + "x" + IDCodec.lowercase(id) + "tail"
      #expect(IDCodec.parse(text.dropFirst(offset + 1).prefix(36)) == id)
    }
    #expect(IDCodec.lowercase(id) == "00010203-0405-0607-0809-0a0b0c0d0eff")
  }
}
