import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The fingerprint")
struct FingerprintTests {
  @Test("is the same for ever")
  func goldenValues() {
    #expect(fingerprint { _ in } == 8_572_323_242_202_014_255)
    #expect(fingerprint { $0.combineNil() } == 4_499_861_044_428_197_065)
    #expect(fingerprint { $0.combine(Int64(-1)) } == -1_901_483_326_423_012_590)
    #expect(fingerprint { $0.combine(1.5) } == -9_127_098_108_937_577_544)
    #expect(fingerprint { $0.combine("") } == 1_721_532_755_395_247_299)
    #expect(fingerprint { $0.combine("三体, Crème") } == 77_424_876_727_220_838)
    let record = fingerprint {
      $0.combine("a")
      $0.combine("bc")
      $0.combine(nil as Int64?)
      $0.combine(Int64.max)
      $0.combine(Double.nan)
    }
    #expect(record == 9_200_525_523_439_632_475)
  }

  @Test("tells apart values that only differ in type, border, length or order")
  func differences() {
    let feeds: [(inout Fingerprint) -> Void] = [
      { _ in }, { $0.combineNil() }, { $0.combine(Int64(0)) }, { $0.combine(Int64(1)) },
      { $0.combine(0.0) }, { $0.combine(1.0) }, { $0.combine("") }, { $0.combine("\0") },
      { $0.combine("\0\0") }, { $0.combine("1") }, { $0.combine("abc") }, { $0.combine("cba") },
      strings("a", "bc"), strings("ab", "c"), strings("c", "ab"), strings("abc", nil), strings(nil, "abc"), strings("é"),
      strings("e\u{301}"),
    ]
    #expect(Set(feeds.map(fingerprint)).count == feeds.count)
  }

  @Test("is equal for values that SQLite cannot tell apart")
  func equalValues() {
    #expect(fingerprint { $0.combine(-0.0) } == fingerprint { $0.combine(0.0) })
    #expect(fingerprint { $0.combine(Double.signalingNaN) } == fingerprint { $0.combine(-Double.nan) })
  }

  @Test("gives 500,000 near neighbours different values")
  func noCollisions() {
    var seen: Set<Int64> = []
    for number in 0..<250_000 {
      seen.insert(fingerprint { $0.combine(Int64(number)) })
      seen.insert(fingerprint { $0.combine("track \(number)") })
    }
    #expect(seen.count == 500_000)
  }

  @Test("changes about half of its bits when one bit of the input changes")
  func avalanche() {
    var random = SeededGenerator(printing: 0xF1_0001)
    var flipped = [Int](repeating: 0, count: 64)
    let rounds = 40
    for _ in 0..<rounds {
      let base = (0..<4).map { _ in Int64(bitPattern: random.next()) }
      let before = fingerprint { print in for word in base { print.combine(word) } }
      for bit in 0..<256 {
        var changed = base
        changed[bit / 64] ^= 1 << Int64(bit % 64)
        let difference = before ^ fingerprint { print in for word in changed { print.combine(word) } }
        for output in 0..<64 where difference >> Int64(output) & 1 == 1 { flipped[output] += 1 }
      }
    }
    let shares = flipped.map { Double($0) / Double(rounds * 256) }
    #expect(shares.allSatisfy { 0.47...0.53 ~= $0 }, "\(shares)")
  }

  private func strings(_ values: String?...) -> (inout Fingerprint) -> Void {
    { print in for value in values { print.combine(value) } }
  }

  private func fingerprint(_ feed: (inout Fingerprint) -> Void) -> Int64 {
    var fingerprint = Fingerprint()
    feed(&fingerprint)
    return fingerprint.value
  }
}
