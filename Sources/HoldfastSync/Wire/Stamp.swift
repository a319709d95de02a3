internal import Holdfast

/// When a value was written, and by which opening of which store. Of two values of one place, the one with the later stamp wins.
///
/// The time is milliseconds since 1970 by the server's clock, as far as the device knows it, shifted left by 15 bits. The 15 bits below
/// count the writes to one place within a millisecond. The node is a random number of 40 bits, new at each opening of a synced store, so that
/// a copied or restored file makes no stamp twice.
package struct Stamp: Sendable, Hashable, Comparable {
  /// Never below 0.
  package let time: Int64
  /// 0 to 2^40 - 1.
  package let node: Int64

  /// Values outside of their ranges are clamped.
  package init(time: Int64, node: Int64) {
    self.time = max(0, time)
    self.node = min(max(0, node), Self.largestNode)
  }

  package static let zero = Stamp(time: 0, node: 0)
  package static let largestNode: Int64 = 1 << 40 - 1
  /// The bits of the time below a millisecond.
  package static let counterBits: Int64 = 15

  /// The time in milliseconds since 1970.
  package var milliseconds: Int64 { time >> Self.counterBits }

  package static func < (first: Stamp, second: Stamp) -> Bool { (first.time, first.node) < (second.time, second.node) }

  // MARK: Text

  /// 21 characters that sort as the stamps do: the time in 13 digits, the node in 8, in base 32 with the alphabet of RFC 4648, section 7.
  package var text: String {
    var text: [UInt8] = []
    for (value, count) in [(time, 13), (node, 8)] {
      for place in (0..<count).reversed() { text.append(Self.digits[Int(truncatingIfNeeded: value >> Int64(5 * place)) & 31]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for a text that `text` does not make.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 21, let time = Self.number(bytes[..<13]), let node = Self.number(bytes[13...]) else { return nil }
    self.init(time: time, node: node)
  }

  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUV".utf8)

  /// Nil for another character, and above `Int64.max`.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
    var number: UInt64 = 0
    for byte in bytes {
      guard let digit = digits.firstIndex(of: byte), number >> 59 == 0 else { return nil }
      number = number << 5 | UInt64(digit)
    }
    return Int64(exactly: number)
  }
}
