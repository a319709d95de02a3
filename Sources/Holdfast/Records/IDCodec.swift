public import Foundation

// The text of an id is 36 ASCII bytes, with hyphens at 8, 13, 18 and 23:
//
//   xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
//
// Parsing is the hottest function of a load (two ids per row). So it checks and folds eight digits at a time in one 64-bit word, and
// collects all possible errors in two words that are tested once.

/// Converts between ids and their text; no other code does.
///
/// Writes lowercase, reads both cases. All functions are pure and safe to call from any thread.
public enum IDCodec {
  /// The length of an id's text, in bytes.
  static let byteCount = 36

  /// Parses the id in the `count` bytes at `utf8`; nil when they are not the text of an id.
  ///
  /// The text must have exactly 36 bytes: hyphens at 8, 13, 18 and 23, and hexadecimal digits of either case elsewhere. No braces, spaces
  /// or prefixes. Accepts any version and variant, all zeros included.
  ///
  /// - Parameter utf8: must be readable for `count` bytes; needs no alignment and no terminator.
  package static func parse(_ utf8: UnsafeRawPointer, count: Int) -> UUID? {
    guard count == byteCount else { return nil }
    let a = word(utf8, 0)
    let b = half(utf8, 9) | half(utf8, 14) << 32
    let c = half(utf8, 19) | half(utf8, 24) << 32
    let d = word(utf8, 28)
    let digits = digitMarks(a) & digitMarks(b) & digitMarks(c) & digitMarks(d)
    let hyphens = (byte(utf8, 8) ^ hyphen) | (byte(utf8, 13) ^ hyphen) | (byte(utf8, 18) ^ hyphen) | (byte(utf8, 23) ^ hyphen)
    guard digits == highBits, hyphens == 0 else { return nil }
    return uuid((fold(a) | fold(b) << 32).littleEndian, (fold(c) | fold(d) << 32).littleEndian)
  }

  /// Parses the id in a string; nil unless the whole string is the text of an id.
  public static func parse(_ string: some StringProtocol) -> UUID? {
    if let id = string.utf8.withContiguousStorageIfAvailable({ parse($0) }) { return id }
    var copy = String(string)
    return copy.withUTF8 { parse($0) }
  }

  /// Writes the 36 lowercase bytes of `id` to `target`, without a terminator. `target`: must be writable for 36 bytes; needs no alignment.
  package static func write(_ id: UUID, to target: UnsafeMutableRawPointer) {
    writeText(id, to: target, letterOffset: lowercaseOffset)
  }

  /// The 36 lowercase characters of `id`.
  public static func lowercase(_ id: UUID) -> String {
    text(id, letterOffset: lowercaseOffset)
  }

  /// The 36 uppercase characters of `id`, as Foundation's `uuidString` and its JSON encoder print them.
  public static func uppercase(_ id: UUID) -> String {
    text(id, letterOffset: uppercaseOffset)
  }

  private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> UUID? {
    guard let base = bytes.baseAddress else { return nil }
    return parse(UnsafeRawPointer(base), count: bytes.count)
  }
}

extension UUID {
  /// All bits 0. Stands for an id while a record is read field by field, before its own id is known; no record should have it.
  public static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

// MARK: - Reading eight digits at a time

/// The byte in all eight places of a word.
@inline(__always)
private func eight(_ byte: UInt64) -> UInt64 {
  byte &* 0x0101_0101_0101_0101
}

private let highBits: UInt64 = 0x8080_8080_8080_8080
private let hyphen = UInt8(ascii: "-")

@inline(__always)
private func byte(_ base: UnsafeRawPointer, _ offset: Int) -> UInt8 {
  base.load(fromByteOffset: offset, as: UInt8.self)
}

// Words are read as little-endian on every machine, so the first character is always the lowest byte.
@inline(__always)
private func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
  UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
}

@inline(__always)
private func half(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
  UInt64(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
}

/// Sets the high bit of each byte that is a hexadecimal digit.
///
/// Seven-bit values plus a constant below 0x80 never carry into the next byte, so adding (0x80 - n) sets the high bit
/// exactly where the byte is at least n.
@inline(__always)
private func digitMarks(_ text: UInt64) -> UInt64 {
  let plain = text & ~highBits
  let lower = plain | eight(0x20)
  let decimal = (plain &+ eight(0x80 - 0x30)) & ~(plain &+ eight(0x80 - 0x3A))
  let letter = (lower &+ eight(0x80 - 0x61)) & ~(lower &+ eight(0x80 - 0x67))
  return (decimal | letter) & ~text & highBits
}

/// The four bytes of eight valid digits, in the low half, the first byte lowest.
@inline(__always)
private func fold(_ text: UInt64) -> UInt64 {
  // Letters have bit 6 set, and their low nibble counts from 1 where their value counts from 10.
  let nibbles = (text & eight(0x0F)) &+ ((text >> 6) & eight(1)) &* 9
  let bytes = ((nibbles &* 0x1001) >> 8) & 0x00FF_00FF_00FF_00FF
  let pairs = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF
  return (pairs | pairs >> 16) & 0xFFFF_FFFF
}

/// An id from its 16 bytes as two words of this machine.
@inline(__always)
private func uuid(_ low: UInt64, _ high: UInt64) -> UUID {
  // UUID's own initialiser takes 16 arguments, which costs as much as parsing the text. UUID stores only these 16 bytes. If that ever
  // changes, its size differs and the initialiser is used.
  guard MemoryLayout<UUID>.size == 16 else { return UUID(uuid: unsafeBitCast((low, high), to: uuid_t.self)) }
  return unsafeBitCast((low, high), to: UUID.self)
}

// MARK: - Writing

// The distance from 0x3A, the byte after "9", to the letter for ten.
private let lowercaseOffset: UInt64 = 0x61 - 0x3A
private let uppercaseOffset: UInt64 = 0x41 - 0x3A

private func text(_ id: UUID, letterOffset: UInt64) -> String {
  String(unsafeUninitializedCapacity: IDCodec.byteCount) { buffer in
    guard let base = buffer.baseAddress else { return 0 }
    writeText(id, to: UnsafeMutableRawPointer(base), letterOffset: letterOffset)
    return IDCodec.byteCount
  }
}

@inline(__always)
private func writeText(_ id: UUID, to target: UnsafeMutableRawPointer, letterOffset: UInt64) {
  let (low, high) = withUnsafeBytes(of: id) {
    ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
  let a = digits(UInt64(littleEndian: low) & 0xFFFF_FFFF, letterOffset)
  let b = digits(UInt64(littleEndian: low) >> 32, letterOffset)
  let c = digits(UInt64(littleEndian: high) & 0xFFFF_FFFF, letterOffset)
  let d = digits(UInt64(littleEndian: high) >> 32, letterOffset)
  target.storeBytes(of: a.littleEndian, as: UInt64.self)
  target.storeBytes(of: UInt32(truncatingIfNeeded: b).littleEndian, toByteOffset: 9, as: UInt32.self)
  target.storeBytes(of: UInt32(truncatingIfNeeded: b >> 32).littleEndian, toByteOffset: 14, as: UInt32.self)
  target.storeBytes(of: UInt32(truncatingIfNeeded: c).littleEndian, toByteOffset: 19, as: UInt32.self)
  target.storeBytes(of: UInt32(truncatingIfNeeded: c >> 32).littleEndian, toByteOffset: 24, as: UInt32.self)
  target.storeBytes(of: d.littleEndian, toByteOffset: 28, as: UInt64.self)
  target.storeBytes(of: hyphen, toByteOffset: 8, as: UInt8.self)
  target.storeBytes(of: hyphen, toByteOffset: 13, as: UInt8.self)
  target.storeBytes(of: hyphen, toByteOffset: 18, as: UInt8.self)
  target.storeBytes(of: hyphen, toByteOffset: 23, as: UInt8.self)
}

/// The eight ASCII digits of four bytes; the inverse of `fold`.
@inline(__always)
private func digits(_ bytes: UInt64, _ letterOffset: UInt64) -> UInt64 {
  let pairs = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
  let spread = (pairs | pairs << 8) & 0x00FF_00FF_00FF_00FF
  let nibbles = (spread >> 4 | spread << 8) & eight(0x0F)
  // Adding six to a nibble sets bit 4 exactly when the nibble is ten or more.
  let letters = ((nibbles &+ eight(6)) >> 4) & eight(1)
  return nibbles &+ eight(0x30) &+ letters &* letterOffset
}
