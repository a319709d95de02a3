/// Random numbers that a seed gives (SplitMix64).
struct Chance: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0xD1B5_4A32_D192_ED03 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// - Parameter limit: at least 1.
  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
  mutating func percent(_ percent: Int) -> Bool { below(100) < percent }
}
