import Foundation
import Holdfast
import Testing

@Suite("New ids")
struct NewIDTests {
  @Test("100,000 ids from eight threads are all different, and each thread's own increase")
  func threads() async {
    let newID = NewID.v7
    let perThread = await withTaskGroup(of: [String].self, returning: [[String]].self) { group in
      for _ in 0..<8 { group.addTask { (0..<12_500).map { _ in IDCodec.lowercase(newID()) } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let different = Set(perThread.joined()).count
    let inOrder = perThread.allSatisfy(isIncreasing)
    #expect(different == 100_000)
    #expect(inOrder)
  }

  @Test("carry the time, the version and the variant of RFC 9562")
  func layout() {
    let newID = NewID.v7(now: { Date(timeIntervalSince1970: 1_645_557_742) })
    let before = DateCodec.milliseconds(Date()) ?? 0
    let real = IDCodec.lowercase(NewID.v7())
    // The time of the example in the RFC's appendix.
    let wrong = (0..<1000).map { _ in IDCodec.lowercase(newID()) }.filter { text in
      !text.hasPrefix("017f22e2-79b0-7") || !"89ab".contains(text.dropFirst(19).prefix(1))
    }
    #expect(wrong.prefix(3) == [])
    let milliseconds = Int64(real.replacingOccurrences(of: "-", with: "").prefix(12), radix: 16) ?? 0
    #expect((before...(before + 60_000)).contains(milliseconds))
  }

  @Test("increase within one millisecond beyond the counter, and when the clock steps back, stands still or is absurd")
  func clocks() {
    let clock = Clock()
    let newID = NewID.v7(now: { clock.now })
    var ids: [String] = []
    let times: [TimeInterval] = [1_000_000, 1_000_000.001, 999_000, 0, -5, .nan, .infinity, 1_000_000.002, 1e300, 1_000_100]
    for seconds in times {
      clock.set(Date(timeIntervalSince1970: seconds))
      for _ in 0..<10_000 { ids.append(IDCodec.lowercase(newID())) }
    }
    let inOrder = isIncreasing(ids)
    let versions = Set(ids.map { $0.dropFirst(14).prefix(1) })
    let differentEnds = Set(ids.map { $0.suffix(16) }).count
    #expect(inOrder)
    #expect(versions == ["7"])
    #expect(differentEnds == ids.count)
  }

  @Test("are random in at least the 62 bits that no counter uses")
  func randomness() {
    var ones = [Int](repeating: 0, count: 64)
    for _ in 0..<10_000 {
      let low = withUnsafeBytes(of: NewID.v7().uuid) { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) }
      for bit in 0..<64 where low >> UInt64(bit) & 1 == 1 { ones[bit] += 1 }
    }
    #expect(ones[63] == 10_000)
    #expect(ones[62] == 0)
    #expect(ones[0..<62].allSatisfy { 4_500...5_500 ~= $0 }, "\(ones)")
  }

  @Test("count from one, or from where a test likes")
  func counting() {
    let newID = NewID.counting()
    #expect(IDCodec.lowercase(newID()) == "00000000-0000-7000-8000-000000000001")
    #expect(IDCodec.lowercase(newID()) == "00000000-0000-7000-8000-000000000002")
    #expect(IDCodec.lowercase(NewID.counting(from: 0xABC)()) == "00000000-0000-7000-8000-000000000abc")
    let last = NewID.counting(from: -1)
    #expect(IDCodec.lowercase(last()) == "00000000-0000-7000-8000-ffffffffffff")
    #expect(IDCodec.lowercase(last()) == "00000000-0000-7000-8000-000000000000")
  }

  private func isIncreasing(_ texts: [String]) -> Bool {
    zip(texts, texts.dropFirst()).allSatisfy { $0 < $1 }
  }
}

private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var date = Date(timeIntervalSince1970: 0)

  var now: Date { lock.withLock { date } }

  func set(_ date: Date) { lock.withLock { self.date = date } }
}
