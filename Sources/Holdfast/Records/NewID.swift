public import Foundation

/// A source of new ids, passed to all code that makes records.
///
/// An app passes ``v7``. A test passes ``counting(from:)``, and so knows every id beforehand. Safe to call from any thread.
///
/// ```swift
/// let collection = Collection(id: newID(), title: title)
/// ```
public struct NewID: Sendable {
  private let make: @Sendable () -> UUID

  /// Makes a source from a function, which must never return the same id twice.
  public init(_ make: @escaping @Sendable () -> UUID) { self.make = make }

  /// A new id.
  public func callAsFunction() -> UUID { make() }

  /// Makes UUIDs of version 7 (RFC 9562) from the system clock.
  ///
  /// Ids sort in the order in which this process made them, even within one millisecond and after the clock was set back.
  public static let v7 = NewID.v7(now: { Date() })

  /// Makes UUIDs of version 7 (RFC 9562) from your own clock. Only ids of one such source are ordered.
  ///
  /// Within one millisecond a 12-bit counter orders the ids; after its last value, the time in the ids runs ahead of the clock by a
  /// millisecond. While the clock shows an earlier time than the last id, the last id's time is kept and the counter goes on. A date before
  /// 1970, after the year 9999 or not finite counts as no progress of the clock.
  ///
  /// - Parameter now: called once per id, under a lock; must not make an id from this source.
  public static func v7(now: @escaping @Sendable () -> Date) -> NewID {
    let sequence = Locked(VersionSevenSequence())
    return NewID {
      let random = UInt64.random(in: .min ... .max)
      return sequence.with { $0.next(at: now(), random) }
    }
  }

  /// For tests: 00000000-0000-7000-8000-000000000001, then …2, and so on. The last twelve digits are hexadecimal.
  ///
  /// The numbers start again at 0 after 2⁴⁸ - 1. A negative `first` counts from the low 48 bits of its two's complement.
  public static func counting(from first: Int = 1) -> NewID {
    let next = Locked(UInt64(truncatingIfNeeded: first))
    return NewID {
      next.with { number in
        defer { number &+= 1 }
        return id(0x7000, number & 0xFFFF_FFFF_FFFF)
      }
    }
  }
}

/// The state behind `v7`: method 1 of RFC 9562, section 6.2, a counter in `rand_a` that starts at random with its top bit clear.
private struct VersionSevenSequence {
  private var milliseconds: UInt64 = 0
  private var counter: UInt64 = 0

  mutating func next(at now: Date, _ random: UInt64) -> UUID {
    let clock = UInt64(clamping: DateCodec.milliseconds(now) ?? 0)
    if clock <= milliseconds, counter < 0xFFF {
      counter += 1
    } else {
      milliseconds = clock > milliseconds ? clock : (milliseconds + 1) & 0xFFFF_FFFF_FFFF
      // At least half of the counter's range is left for the same millisecond.
      counter = UInt64.random(in: 0..<0x800)
    }
    return id(milliseconds << 16 | 0x7000 | counter, random & 0x3FFF_FFFF_FFFF_FFFF)
  }
}

/// Makes an id from two big-endian halves, with the RFC's variant bits.
private func id(_ high: UInt64, _ low: UInt64) -> UUID {
  UUID(uuid: unsafeBitCast((high.bigEndian, (low | 1 << 63).bigEndian), to: uuid_t.self))
}
