import Foundation
import HoldfastTesting

/// The random numbers of one case. The same seed gives the same cases on every system.
struct SeededRandom: RandomNumberGenerator {
  private var generator: SeededGenerator

  /// Makes the random numbers of the case with this number.
  init(seed: UInt64, number: Int) {
    generator = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95)
  }

  mutating func next() -> UInt64 { generator.next() }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &self) < part }

  mutating func pick<T>(_ values: [T], otherwise: T) -> T { values.randomElement(using: &self) ?? otherwise }

  /// One of 40 ids, so that ids recur in other collections and in other cases.
  mutating func worldID() -> String {
    let number = Int.random(in: 0..<40, using: &self)
    let text = String(number, radix: 16)
    let id = "7C9E6679-7425-40DE-944B-" + String(repeating: "A", count: 12 - text.count) + text.uppercased()
    return chance(1, of: 4) ? id.lowercased() : id
  }
}
