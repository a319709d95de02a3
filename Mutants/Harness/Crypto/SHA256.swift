import Foundation

/// SHA-256 in the place of swift-crypto's, whose BoringSSL takes two thirds of a first build. FIPS 180-4, section 6.2.
public struct SHA256 {
  public typealias Digest = [UInt8]

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// Less than a block of 64.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  public init() {}

  public static func hash(data: some Sequence<UInt8>) -> Digest {
    var sum = SHA256()
    sum.add(Array(data))
    return sum.finalize()
  }

  public mutating func update(data: some Sequence<UInt8>) { add(Array(data)) }
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { add(Array(bufferPointer)) }

  public func finalize() -> Digest {
    var sum = self
    let bits = count &* 8
    let zeros = (119 - rest.count) % 64
    sum.add([0x80] + [UInt8](repeating: 0, count: zeros) + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    return sum.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
  }

  private mutating func add(_ bytes: [UInt8]) {
    count &+= UInt64(bytes.count)
    let all = rest + bytes
    var words = [UInt32](repeating: 0, count: 64)
    all.withUnsafeBufferPointer { all in
      for block in 0..<all.count / 64 { mix(all, from: block * 64, &words) }
    }
    rest = Array(all.suffix(all.count % 64))
  }

  private mutating func mix(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ words: inout [UInt32]) {
    func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }
    for i in 0..<16 { words[i] = (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[start + 4 * i + $1]) } }
    for i in 16..<64 {
      let (a, b) = (words[i - 15], words[i - 2])
      let first = turned(a, 7) ^ turned(a, 18) ^ a >> 3
      let second = turned(b, 17) ^ turned(b, 19) ^ b >> 10
      words[i] = words[i - 16] &+ first &+ words[i - 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for i in 0..<64 {
      let first = h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ (e & f ^ ~e & g) &+ Self.constants[i] &+ words[i]
      let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, as FIPS 180-4 defines them.
  private static let constants: [UInt32] = {
    let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }
    return primes.map { prime in
      // The whole cube root of prime · 2^96: its last 32 bits are those behind the point.
      var root: UInt64 = 0
      for bit in stride(from: UInt64(34), through: 0, by: -1) {
        let tried = root | 1 << bit
        let square = tried.multipliedFullWidth(by: tried)
        // tried² < 2^70, so its high word times tried stays within 64 bits.
        let low = square.low.multipliedFullWidth(by: tried)
        let high = square.high &* tried &+ low.high
        let limit = UInt64(prime) << 32
        if high < limit || high == limit && low.low == 0 { root = tried }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }()
}
