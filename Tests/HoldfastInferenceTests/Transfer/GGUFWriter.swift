import Foundation

/// Writes the header of a GGUF file, right or wrong, for tests.
struct GGUFWriter {
  indirect enum Value {
    case uint8(UInt8)
    case int8(Int8)
    case uint16(UInt16)
    case int16(Int16)
    case uint32(UInt32)
    case int32(Int32)
    case float32(Float)
    case bool(Bool)
    case string(String)
    case bytes([UInt8])
    case array(UInt32, [Value])
    case uint64(UInt64)
    case int64(Int64)
    case float64(Double)
    /// Any kind with any bytes.
    case raw(UInt32, [UInt8])

    var kind: UInt32 {
      switch self {
      case .uint8: 0
      case .int8: 1
      case .uint16: 2
      case .int16: 3
      case .uint32: 4
      case .int32: 5
      case .float32: 6
      case .bool: 7
      case .string, .bytes: 8
      case .array: 9
      case .uint64: 10
      case .int64: 11
      case .float64: 12
      case .raw(let kind, _): kind
      }
    }

    static func texts(_ texts: [String]) -> Value { .array(8, texts.map(Value.string)) }
  }

  var version: UInt32 = 3
  var tensors: UInt64 = 0
  /// Nil: as many as there are.
  var count: UInt64?
  var keys: [(String, Value)]

  init(_ keys: [(String, Value)], version: UInt32 = 3) {
    self.keys = keys
    self.version = version
  }

  /// A header as converters write it, with a vocabulary of so many words.
  static func llama(_ more: [(String, Value)] = [], words: Int = 100) -> GGUFWriter {
    GGUFWriter(
      [
        ("general.architecture", .string("llama")), ("general.name", .string("Llama 3.2 1B Instruct")),
        ("general.file_type", .uint32(15)), ("llama.context_length", .uint32(131_072)), ("llama.rope.freq_base", .float32(500_000)),
        ("tokenizer.ggml.tokens", .texts((0..<words).map { "word \($0)" })),
      ] + more)
  }

  var data: Data {
    var out = Data("GGUF".utf8)
    out += Self.bytes(version)
    out += length(tensors) + length(count ?? UInt64(keys.count))
    for (key, value) in keys {
      out += text(Array(key.utf8)) + Self.bytes(value.kind)
      out += bytes(of: value)
    }
    return out
  }

  /// Of a length or a count.
  func length(_ number: UInt64) -> [UInt8] { version == 1 ? Self.bytes(UInt32(truncatingIfNeeded: number)) : Self.bytes(number) }

  static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  private func text(_ bytes: [UInt8]) -> [UInt8] { length(UInt64(bytes.count)) + bytes }

  private func bytes(of value: Value) -> [UInt8] {
    switch value {
    case .uint8(let number): [number]
    case .int8(let number): Self.bytes(number)
    case .uint16(let number): Self.bytes(number)
    case .int16(let number): Self.bytes(number)
    case .uint32(let number): Self.bytes(number)
    case .int32(let number): Self.bytes(number)
    case .float32(let number): Self.bytes(number.bitPattern)
    case .bool(let value): [value ? 1 : 0]
    case .string(let text): self.text(Array(text.utf8))
    case .bytes(let bytes): text(bytes)
    case .array(let kind, let elements): Self.bytes(kind) + length(UInt64(elements.count)) + elements.flatMap(bytes(of:))
    case .uint64(let number): Self.bytes(number)
    case .int64(let number): Self.bytes(number)
    case .float64(let number): Self.bytes(number.bitPattern)
    case .raw(_, let bytes): bytes
    }
  }
}
