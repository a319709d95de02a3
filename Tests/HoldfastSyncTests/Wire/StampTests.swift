import HoldfastSync
import Testing

struct StampTests {
  @Test("a stamp's text reads back, and sorts as the stamp")
  func text() throws {
    let stamps = [(0, 0), (0, 1), (1, 0), (1 << 40, 7), (Int64.max, Stamp.largestNode)].map { Stamp(time: $0, node: $1) }
    #expect(stamps.map(\.text) == stamps.map(\.text).sorted())
    #expect(stamps.map { Stamp($0.text) } == stamps)
    #expect(stamps.allSatisfy { $0.text.utf8.count == 21 })
  }

  @Test("another text is no stamp", arguments: ["", "0", String(repeating: "0", count: 20) + "W", String(repeating: "V", count: 21)])
  func refused(_ text: String) { #expect(Stamp(text) == nil) }
}
