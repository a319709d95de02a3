/// Codes any JSON value with any of Swift's coders, so a property of a `Codable` type can hold one.
///
/// A number that the decoder reads as an integer becomes `.integer`, however it is written. The recursion is the coder's: Foundation's
/// coders refuse values that are nested too deeply.
extension JSONValue: Codable {
  /// - Throws: the decoder's errors; `DecodingError` for content that is no JSON value.
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      var object: [String: JSONValue] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSONValue.self, forKey: key) }
      self = .object(object)
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array(try [JSONValue](from: decoder))
    } else {
      let single = try decoder.singleValueContainer()
      if single.decodeNil() {
        self = .null
      } else if let bool = try? single.decode(Bool.self) {
        self = .bool(bool)
      } else if let integer = try? single.decode(Int64.self) {
        self = .integer(integer)
      } else if let double = try? single.decode(Double.self) {
        self = .double(double)
      } else {
        self = .string(try single.decode(String.self))
      }
    }
  }

  /// - Throws: the encoder's errors: Foundation's encoders refuse infinity and NaN.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let object): try object.encode(to: encoder)
    case .array(let array): try array.encode(to: encoder)
    case .null: try Bool?.none.encode(to: encoder)
    case .bool(let bool): try bool.encode(to: encoder)
    case .integer(let integer): try integer.encode(to: encoder)
    case .double(let double): try double.encode(to: encoder)
    case .string(let string): try string.encode(to: encoder)
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
