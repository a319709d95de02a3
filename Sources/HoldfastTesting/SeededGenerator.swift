public import Foundation

/// SplitMix64: the same numbers on every machine.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  /// Makes a generator. Equal seeds give equal numbers.
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A random id of 16 bytes, without a UUID version.
  public mutating func id() -> UUID {
    let (a, b) = (next(), next())
    return UUID(uuid: unsafeBitCast((a, b), to: uuid_t.self))
  }

  /// A random date from 2010 to 2029, in whole milliseconds.
  public mutating func date() -> Date {
    Date(timeIntervalSince1970: Double(Int64.random(in: 1_262_304_000_000...1_893_456_000_000, using: &self)) / 1000)
  }

  /// True with a probability of `percent` in a hundred.
  public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// A random one of the values. The array must not be empty.
  public mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
}
