import Foundation
import Holdfast

/// The header of a GGUF file, before the weights: a magic word, a version, two counts, then keys with values.
///
/// Long lists and texts, above all the words of a vocabulary, are skipped: only their type and count are kept. A header that
/// contradicts its file is refused at the contradiction: counts and lengths beyond the file, lists nested deeper than 16,
/// repeated keys, unknown types of values. A header with more than any model has is refused before reading on: kept values are
/// counted one by one, also inside lists, and skipped ones before they are skipped.
struct GGUFHeader {
  /// 1 to 3. Version 1 has lengths of 32 bits.
  private(set) var version = 0
  /// In the file's order.
  private(set) var members: [(key: String, value: JSONValue)] = []
  private(set) var damaged: [(key: String, reason: String, original: [UInt8])] = []
  /// The length of the header; the tensors follow it.
  private(set) var bytes: Int64 = 0
  private var isDamaged: (reason: String, original: [UInt8])?
  /// The approximate size of the kept values; limited whatever the file says.
  private var kept: Int64 = 0
  /// How many texts and lists were skipped one by one.
  private var passed: Int64 = 0

  /// The first bytes of a GGUF file.
  static let magic: [UInt8] = Array("GGUF".utf8)
  /// Real headers have about ten megabytes, nearly all of it vocabulary.
  private static let longestHeader: Int64 = 1 << 29
  private static let mostKeys: Int64 = 10_000
  private static let longestKey: Int64 = 65_535
  /// The most elements in a list that is kept.
  private static let mostElements: Int64 = 64
  /// The longest text that is kept. Chat templates are the longest, with about ten thousand bytes.
  private static let longestText: Int64 = 1 << 18
  private static let mostKept: Int64 = 1 << 22
  /// The largest vocabularies have fewer than a million texts.
  private static let mostPassed: Int64 = 1 << 22
  private static let deepest = 16

  /// - Throws: `.invalidSource`, with the offset, for an invalid header; `.newerSource` for a later version.
  init(_ reader: inout GGUFReader) throws {
    guard try reader.bytes(min(4, reader.left)) == Self.magic else { throw reader.failure("the file does not begin with GGUF") }
    let version = try reader.number(UInt32.self)
    guard !(1...3).contains(version.byteSwapped) else { throw reader.failure("it is written for big-endian machines") }
    guard version > 0 else { throw reader.failure("its version is 0") }
    guard version <= 3 else { throw StoreError(.newerSource, "\(reader.path) is GGUF of version \(version), and 3 is the newest known") }
    self.version = Int(version)
    let tensors = try length(&reader)
    let keys = try length(&reader)
    // A key, the type of its value and the value take at least a few bytes each.
    guard keys <= Self.mostKeys, keys <= reader.left / (lengthBytes + 5) else {
      throw reader.failure("\(keys) keys are to follow, in \(reader.left) bytes")
    }
    var seen: Set<String> = []
    for _ in 0..<keys {
      let key = try key(&reader)
      guard seen.insert(key).inserted else { throw reader.failure("the key \(key.prefix(100)) appears twice") }
      let kind = try kind(&reader)
      isDamaged = nil
      let value = try value(kind, &reader, depth: 0)
      if let isDamaged {
        damaged.append((key, "\(key) \(isDamaged.reason)", isDamaged.original))
      } else {
        members.append((key, value))
      }
      guard reader.offset <= Self.longestHeader else { throw tooLong(reader) }
    }
    // Name, number of dimensions, type and place.
    guard tensors <= reader.left / (lengthBytes + 16) else {
      throw reader.failure("\(tensors) tensors are to follow, in \(reader.left) bytes")
    }
    bytes = reader.offset
  }

  // MARK: Pieces

  private enum Kind: UInt32 {
    case uint8, int8, uint16, int16, uint32, int32, float32, bool, string, array, uint64, int64, float64

    /// Nil for values with a length of their own.
    var bytes: Int64? {
      switch self {
      case .uint8, .int8, .bool: 1
      case .uint16, .int16: 2
      case .uint32, .int32, .float32: 4
      case .uint64, .int64, .float64: 8
      case .string, .array: nil
      }
    }
  }

  private var lengthBytes: Int64 { version == 1 ? 4 : 8 }

  /// A length that no file can have becomes the largest number, which is then refused.
  private func length(_ reader: inout GGUFReader) throws -> Int64 {
    version == 1 ? Int64(try reader.number(UInt32.self)) : Int64(clamping: try reader.number(UInt64.self))
  }

  private func kind(_ reader: inout GGUFReader) throws -> Kind {
    let number = try reader.number(UInt32.self)
    guard let kind = Kind(rawValue: number) else { throw reader.failure("there is no kind of value \(number)") }
    return kind
  }

  private mutating func key(_ reader: inout GGUFReader) throws -> String {
    let count = try length(&reader)
    guard count <= Self.longestKey else { throw reader.failure("a key of \(count) bytes is to follow") }
    try keep(count, reader)
    let bytes = try reader.bytes(count)
    guard !bytes.isEmpty, let key = String(validUTF8: bytes) else { throw reader.failure("a key is not text") }
    return key
  }

  // MARK: Values

  private mutating func keep(_ bytes: Int64, _ reader: GGUFReader) throws {
    kept += bytes
    guard kept <= Self.mostKept else { throw reader.failure("the header says more than can be kept") }
  }

  private mutating func value(_ kind: Kind, _ reader: inout GGUFReader, depth: Int) throws -> JSONValue {
    try keep(32, reader)
    switch kind {
    case .uint8: return .integer(Int64(try reader.number(UInt8.self)))
    case .int8: return .integer(Int64(try reader.number(Int8.self)))
    case .uint16: return .integer(Int64(try reader.number(UInt16.self)))
    case .int16: return .integer(Int64(try reader.number(Int16.self)))
    case .uint32: return .integer(Int64(try reader.number(UInt32.self)))
    case .int32: return .integer(Int64(try reader.number(Int32.self)))
    case .int64: return .integer(try reader.number(Int64.self))
    case .uint64:
      // JSON numbers have 64 bits with a sign: a larger number is kept as its digits.
      let number = try reader.number(UInt64.self)
      if let number = Int64(exactly: number) { return .integer(number) }
      try keep(64, reader)
      return .string(String(number))
    case .float32: return float(Double(Float(bitPattern: try reader.number(UInt32.self))))
    case .float64: return float(Double(bitPattern: try reader.number(UInt64.self)))
    case .bool:
      let byte = try reader.number(UInt8.self)
      return byte <= 1 ? .bool(byte == 1) : damage("should be 0 or 1, found \(byte)", [byte])
    case .string: return try text(&reader)
    case .array: return try array(&reader, depth: depth)
    }
  }

  private mutating func damage(_ reason: String, _ original: [UInt8]) -> JSONValue {
    isDamaged = isDamaged ?? (reason, original)
    return .null
  }

  private mutating func float(_ number: Double) -> JSONValue {
    number.isFinite ? .double(number) : damage("should be a finite number, found \(number)", Array("\(number)".utf8))
  }

  private mutating func text(_ reader: inout GGUFReader) throws -> JSONValue {
    let count = try length(&reader)
    guard count <= Self.longestText else {
      try pass(count, &reader)
      return try mark(["type": .string("text"), "bytes": .integer(count)], reader)
    }
    try keep(count, reader)
    let bytes = try reader.bytes(count)
    return String(validUTF8: bytes).map(JSONValue.string) ?? damage("should be text in UTF-8", bytes)
  }

  private mutating func array(_ reader: inout GGUFReader, depth: Int) throws -> JSONValue {
    let (kind, count) = try arrayStart(&reader, depth)
    guard count <= Self.mostElements else {
      try skip(count, of: kind, &reader, depth)
      return try mark(["type": .string("list of \(kind)"), "count": .integer(count)], reader)
    }
    try keep(64, reader)
    var elements: [JSONValue] = []
    elements.reserveCapacity(Int(count))
    for _ in 0..<count { elements.append(try value(kind, &reader, depth: depth + 1)) }
    return .array(elements)
  }

  private func arrayStart(_ reader: inout GGUFReader, _ depth: Int) throws -> (Kind, Int64) {
    guard depth < Self.deepest else { throw reader.failure("lists are nested more than \(Self.deepest) deep") }
    let kind = try kind(&reader)
    let count = try length(&reader)
    let least = kind.bytes ?? (kind == .array ? lengthBytes + 4 : lengthBytes)
    guard count <= reader.left / least else { throw reader.failure("\(count) elements are to follow, in \(reader.left) bytes") }
    return (kind, count)
  }

  /// The value that replaces a skipped one.
  private mutating func mark(_ members: [String: JSONValue], _ reader: GGUFReader) throws -> JSONValue {
    try keep(512, reader)
    return .object(members)
  }

  private mutating func skip(_ count: Int64, of kind: Kind, _ reader: inout GGUFReader, _ depth: Int) throws {
    // `count` was compared with the bytes left, so this cannot overflow.
    if let bytes = kind.bytes { return try pass(count &* bytes, &reader) }
    guard count <= Self.mostPassed - passed else { throw reader.failure("\(count) elements are to follow, more than a model has") }
    passed += count
    for _ in 0..<count {
      if kind == .string {
        try pass(try length(&reader), &reader)
      } else {
        let (inner, count) = try arrayStart(&reader, depth + 1)
        try skip(count, of: inner, &reader, depth + 1)
      }
    }
  }

  /// A value that is too long for a header is refused without reading it.
  private func pass(_ count: Int64, _ reader: inout GGUFReader) throws {
    guard count > reader.left || count <= Self.longestHeader - reader.offset else { throw tooLong(reader) }
    try reader.skip(count)
  }

  private func tooLong(_ reader: GGUFReader) -> StoreError {
    reader.failure("the header goes on after \(Self.longestHeader) bytes")
  }
}
