import Holdfast

// The algorithm. It never changes, because stored fingerprints are compared with new ones:
//
//   state starts as 0x484F4C4446415354 ("HOLDFAST").
//   absorb(w):  product = (state xor w) * 0x9E3779B97F4A7C15, as 128 bits;  state = high half xor low half
//   A value is absorbed as one header word, (tag << 56) | length, and its words:
//     nil      tag 0, no words                       integer  tag 2, one word
//     Double   tag 3, its bit pattern (-0 as 0, any NaN as 0x7FF8 << 48)
//     string   tag 4, length in UTF-8 bytes
//   Its bytes become words of eight, little-endian, the last one padded with zeros.
//   value:  x = state;  x = (x xor x >> 30) * 0xBF58476D1CE4E5B9;  x = (x xor x >> 27) * 0x94D049BB133111EB;  x xor x >> 31
//
// The header makes the encoding injective: ("a", "bc") and ("ab", "c") absorb different words.

/// A 64-bit hash that is the same in every process, on every platform and in every version.
///
/// Combine values in a fixed order, then read ``value``. It shows cheaply whether a record has changed. It is no proof of integrity,
/// because it does not resist a search for collisions. Two different inputs have the same hash with a probability of about 2⁻⁶⁴.
package struct Fingerprint: Sendable {
  private var state: UInt64 = 0x484F_4C44_4641_5354

  /// Makes an empty fingerprint; its ``value`` is a constant.
  package init() {}

  /// The hash of everything combined so far, as a signed number for an INTEGER column. More values may follow.
  package var value: Int64 {
    var x = state
    x = (x ^ x >> 30) &* 0xBF58_476D_1CE4_E5B9
    x = (x ^ x >> 27) &* 0x94D0_49BB_1331_11EB
    return Int64(bitPattern: x ^ x >> 31)
  }

  /// Adds a nil of any type.
  package mutating func combineNil() {
    absorb(header(.absent, 0))
  }

  /// Adds an integer or nil.
  package mutating func combine(_ value: Int64?) {
    guard let value else { return combineNil() }
    absorb(header(.integer, 8))
    absorb(UInt64(bitPattern: value))
  }

  /// Adds a number by its bits, or nil. 0 equals -0, and all NaN are equal; 1.0 differs from the integer 1.
  package mutating func combine(_ value: Double?) {
    guard let value else { return combineNil() }
    absorb(header(.double, 8))
    // SQLite stores -0.0 as 0, and a record must have the same fingerprint after saving and loading.
    absorb(value.isNaN ? 0x7FF8 << 48 : value == 0 ? 0 : value.bitPattern)
  }

  /// Adds a string by its UTF-8 bytes, or nil. Strings with different bytes differ, even when they are canonically equivalent.
  package mutating func combine(_ value: String?) {
    guard var value else { return combineNil() }
    value.withUTF8 { absorb(UnsafeRawBufferPointer($0)) }
  }

  private enum Tag: UInt64 {
    case absent = 0
    case integer = 2
    case double, string
  }

  private func header(_ tag: Tag, _ length: Int) -> UInt64 {
    tag.rawValue << 56 | UInt64(truncatingIfNeeded: length) & 0x00FF_FFFF_FFFF_FFFF
  }

  private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    absorb(header(.string, bytes.count))
    guard let base = bytes.baseAddress else { return }
    var offset = 0
    while bytes.count - offset >= 8 {
      absorb(UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    var last: UInt64 = 0
    for index in offset..<bytes.count {
      last |= UInt64(base.load(fromByteOffset: index, as: UInt8.self)) << UInt64(8 * (index - offset))
    }
    absorb(last)
  }

  @inline(__always)
  private mutating func absorb(_ word: UInt64) {
    let product = (state ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = product.high ^ product.low
  }
}

extension JSONValue {
  func combine(into print: inout Fingerprint) {
    switch self {
    case .null: print.combineNil()
    case .bool(let value): print.combine(Int64(value ? 1 : 0))
    case .integer(let value): print.combine(value)
    case .double(let value): print.combine(value)
    case .string(let value): print.combine(value)
    case .array, .object: print.combine(canonicalText())
    }
  }
}
