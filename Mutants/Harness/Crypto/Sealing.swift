import Foundation

// What seals spaces, for tests that compare it with other programs' results; and what seals the archive of an encrypted store, without its
// function: SQLite cannot encrypt where the mutants run, so nothing reaches it.

public struct SymmetricKey: Sendable {
  let bytes: [UInt8]
  public init(data: some Sequence<UInt8>) { bytes = Array(data) }
}

/// RFC 2104.
public enum HMAC<Hash> {
  public static func authenticationCode(for data: some Sequence<UInt8>, using key: SymmetricKey) -> [UInt8] {
    let short = key.bytes.count > 64 ? SHA256.hash(data: key.bytes) : key.bytes
    let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
    return SHA256.hash(data: padded.map { $0 ^ 0x5C } + SHA256.hash(data: padded.map { $0 ^ 0x36 } + Array(data)))
  }
}

/// RFC 5869, for one block of output.
public enum HKDF<Hash> {
  public static func deriveKey(
    inputKeyMaterial: SymmetricKey, salt: some Sequence<UInt8>, info: some Sequence<UInt8>, outputByteCount: Int
  ) -> SymmetricKey {
    let extracted = HMAC<Hash>.authenticationCode(for: inputKeyMaterial.bytes, using: SymmetricKey(data: salt))
    let expanded = HMAC<Hash>.authenticationCode(for: Array(info) + [1], using: SymmetricKey(data: extracted))
    return SymmetricKey(data: expanded.prefix(outputByteCount))
  }

  public static func deriveKey(inputKeyMaterial: SymmetricKey, info: some Sequence<UInt8>, outputByteCount: Int) -> SymmetricKey {
    inputKeyMaterial
  }
}

/// RFC 8439.
public enum ChaChaPoly {
  public struct Wrong: Error {}

  public struct Nonce {
    let bytes: [UInt8]
    public init(data: some Sequence<UInt8>) throws {
      bytes = Array(data)
      guard bytes.count == 12 else { throw Wrong() }
    }
  }

  public struct SealedBox {
    public let combined: Data
    public init(combined: Data) throws {
      guard combined.count >= 28 else { throw Wrong() }
      self.combined = combined
    }
  }

  public static func seal(_ text: Data, using key: SymmetricKey, nonce: Nonce, authenticating data: Data) throws -> SealedBox {
    let sealed = mixed(Array(text), key.bytes, nonce.bytes)
    return try SealedBox(combined: Data(nonce.bytes + sealed + tag(sealed, Array(data), key.bytes, nonce.bytes)))
  }

  public static func open(_ box: SealedBox, using key: SymmetricKey, authenticating data: Data) throws -> Data {
    let bytes = Array(box.combined)
    let (nonce, sealed) = (Array(bytes.prefix(12)), Array(bytes.dropFirst(12).dropLast(16)))
    guard tag(sealed, Array(data), key.bytes, nonce) == Array(bytes.suffix(16)) else { throw Wrong() }
    return Data(mixed(sealed, key.bytes, nonce))
  }

  private static func mixed(_ text: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    var mixed = text
    for start in stride(from: 0, to: text.count, by: 64) {
      let key = block(UInt32(1 + start / 64), key, nonce)
      for place in start..<min(start + 64, text.count) { mixed[place] ^= key[place - start] }
    }
    return mixed
  }

  private static func block(_ counter: UInt32, _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    var words: [UInt32] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]
    for place in 0..<8 { words.append(word(key, 4 * place)) }
    words.append(counter)
    for place in 0..<3 { words.append(word(nonce, 4 * place)) }
    var state = words
    func quarter(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
      for (to, from, turned, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] as [(Int, Int, Int, UInt32)] {
        state[to] &+= state[from]
        let mixed = state[turned] ^ state[to]
        state[turned] = mixed << bits | mixed >> (32 - bits)
      }
    }
    for _ in 0..<10 {
      for column in 0..<4 { quarter(column, 4 + column, 8 + column, 12 + column) }
      for column in 0..<4 { quarter(column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4) }
    }
    var bytes: [UInt8] = []
    for (mixed, word) in zip(state, words) {
      let sum = mixed &+ word
      for place in 0..<UInt32(4) { bytes.append(UInt8(truncatingIfNeeded: sum >> (8 * place))) }
    }
    return bytes
  }

  private static func word(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    let (first, second) = (UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8, UInt32(bytes[place + 2]) | UInt32(bytes[place + 3]) << 8)
    return first | second << 16
  }

  private static func tag(_ sealed: [UInt8], _ data: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (16 - bytes.count % 16) % 16) }
    func length(_ bytes: [UInt8]) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } }
    return poly1305(padded(data) + padded(sealed) + length(data) + length(sealed), Array(block(0, key, nonce).prefix(32)))
  }

  /// For whole blocks of 16 bytes. Numbers modulo 2^130 - 5 are five digits of 26 bits.
  private static func poly1305(_ text: [UInt8], _ key: [UInt8]) -> [UInt8] {
    let mask: UInt64 = 0x3FF_FFFF
    func digits(_ bytes: [UInt8], _ start: Int) -> [UInt64] {
      (0..<5).map { place in
        // The last digit begins at bit 104, the word at bit 96.
        let first = place < 4 ? UInt64(word(bytes, start + 3 * place) >> UInt32(2 * place)) : UInt64(word(bytes, start + 12) >> 8)
        return first & mask
      }
    }
    var clamped = Array(key.prefix(16))
    for place in [3, 7, 11, 15] { clamped[place] &= 15 }
    for place in [4, 8, 12] { clamped[place] &= 252 }
    let r = digits(clamped, 0)
    var h = [UInt64](repeating: 0, count: 5)
    func carry() {
      for place in 0..<5 {
        let over = h[place] >> 26
        h[place] &= mask
        if place == 4 { h[0] += over * 5 } else { h[place + 1] += over }
      }
    }
    for start in stride(from: 0, to: text.count, by: 16) {
      for (place, digit) in digits(text, start).enumerated() { h[place] += digit + (place == 4 ? 1 << 24 : 0) }
      h = (0..<5).map { place in
        var sum: UInt64 = 0
        for other in 0..<5 { sum += h[other] * (other <= place ? r[place - other] : 5 * r[5 + place - other]) }
        return sum
      }
      carry()
      carry()
    }
    carry()
    // At least 2^130 - 5 is that number too much.
    var less = h
    less[0] += 5
    for place in 0..<4 {
      less[place + 1] += less[place] >> 26
      less[place] &= mask
    }
    if less[4] >> 26 > 0 { h = less.map { $0 & mask } }
    var (sum, tag) = (UInt64(0), [UInt8]())
    for place in 0..<16 {
      for bit in 8 * place..<8 * place + 8 { sum += (h[bit / 26] >> UInt64(bit % 26) & 1) << UInt64(bit % 8) }
      sum += UInt64(key[16 + place])
      tag.append(UInt8(truncatingIfNeeded: sum))
      sum >>= 8
    }
    return tag
  }
}

public enum AES {
  public enum GCM {
    public struct Unavailable: Error {}

    public struct SealedBox {
      public var combined: Data?
      public init(combined: Data) throws { throw Unavailable() }
    }

    public static func seal(_ body: Data, using key: SymmetricKey, authenticating data: Data) throws -> SealedBox { throw Unavailable() }
    public static func open(_ box: SealedBox, using key: SymmetricKey, authenticating data: Data) throws -> Data { throw Unavailable() }
  }
}
