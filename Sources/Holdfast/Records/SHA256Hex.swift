public import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// SHA-256 as lowercase hexadecimal text, which the kit uses to identify content.
public enum SHA256Hex {
  package static func of(_ text: String) -> String { hex(SHA256.hash(data: Data(text.utf8))) }

  /// The hash of bytes, 64 digits.
  public static func of(_ bytes: some ContiguousBytes) -> String {
    var sum = SHA256Sum()
    sum.add(bytes)
    return sum.hex
  }

  /// The 32 bytes of the hash of bytes.
  static func bytes(of bytes: Data) -> Data { Data(SHA256.hash(data: bytes)) }

  /// The hash of a file, read in pieces. The file may be a database that this process has open.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  package static func ofFile(at url: URL) throws -> String {
    var hasher = SHA256()
    try FileBytes(url).pieces { hasher.update(data: $0) }
    return hex(hasher.finalize())
  }

  /// The hash of the first `count` bytes of a file. Throws `.invalidSource` when the file is shorter; the errors of reading a file.
  package static func ofFile(at url: URL, leading count: Int64) throws -> String {
    let file = try FileBytes(url)
    guard file.count >= count else { throw StoreError(.invalidSource, "\(url.path) has less than \(count) bytes") }
    var hasher = SHA256()
    var left = count
    while left > 0 {
      let piece = try file.next(Int(min(left, 1 << 20)))
      guard !piece.isEmpty else { throw StoreError(.invalidSource, "\(url.path) became shorter while it was read") }
      hasher.update(data: piece)
      left -= Int64(piece.count)
    }
    return hex(hasher.finalize())
  }

  /// The first 16 bytes of the hash.
  package static func leading16(of text: String) -> uuid_t {
    var (text, hasher) = (text, SHA256())
    text.withUTF8 { hasher.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    return hasher.finalize().withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
  }

  /// Bytes as lowercase hexadecimal text.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
    var text: [UInt8] = []
    text.reserveCapacity(64)
    for byte in bytes {
      text.append(digit(byte >> 4))
      text.append(digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of hexadecimal text; nil for anything but pairs of digits.
  package static func data(hex: some StringProtocol) -> Data? {
    let digits = hex.utf8.compactMap(JSONStringToken.hexDigit)
    guard digits.count == hex.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}

/// A SHA-256 of bytes that arrive in pieces.
package struct SHA256Sum {
  private var hasher = SHA256()

  package init() {}

  package mutating func add(_ bytes: some ContiguousBytes) {
    bytes.withUnsafeBytes { hasher.update(bufferPointer: $0) }
  }

  /// The hash of all bytes so far, as lowercase hexadecimal text. More bytes may follow.
  package var hex: String { SHA256Hex.hex(hasher.finalize()) }
}
