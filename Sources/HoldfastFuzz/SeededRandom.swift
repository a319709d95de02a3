import Foundation

/// A generator (SplitMix64): the same seed gives the same cases everywhere.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// The stream of one case of a run.
  init(seed: UInt64, number: Int) {
    state = seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &self) < part }

  mutating func pick<T>(_ values: [T], otherwise: T) -> T { values.randomElement(using: &self) ?? otherwise }

  /// Of a small world: ids meet again in other collections and in other cases.
  mutating func worldID() -> String {
    let number = Int.random(in: 0..<40, using: &self)
    let text = String(number, radix: 16)
    let id = "7C9E6679-7425-40DE-944B-" + String(repeating: "A", count: 12 - text.count) + text.uppercased()
    return chance(1, of: 4) ? id.lowercased() : id
  }
}
