/// The kind of the next value in a JSON document.
public enum JSONKind: Sendable, Equatable {
  case object, array, string, number, bool, null
  /// The end of the document: only white space is left.
  case end

  /// The kind of a value that begins with this byte; nil if no value begins so.
  @inline(__always)
  init?(firstByte: UInt8) {
    switch firstByte {
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool
    case UInt8(ascii: "n"): self = .null
    default: return nil
    }
  }

  /// With its article, for messages.
  var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .bool: "true or false"
    case .null: "null"
    case .end: "end of the file"
    }
  }
}
