import Foundation

/// A JSON text column that is decoded only on request. Unless it is changed, it is written back unchanged.
///
/// Two values are equal when their texts are. `init(_:)` writes sorted keys, so equal contents have equal texts. As `Codable` it is its
/// text.
public struct StoredJSON<Content: Sendable>: Sendable, Hashable {
  /// The JSON as stored.
  public let text: String

  /// Takes JSON text unchanged and unchecked.
  public init(text: String) { self.text = text }
}

extension StoredJSON: Codable {
  /// Takes the text as it is.
  public init(from decoder: any Decoder) throws { self.init(text: try String(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// A text that is JSON, whatever its content is.
protocol JSONColumn {}
extension StoredJSON: JSONColumn {}

extension StoredJSON where Content: Encodable {
  /// Encodes the content with sorted keys and without white space; dates as RFC 3339 in UTC, to the millisecond.
  ///
  /// - Throws: `.invalidValue` for contents that JSON cannot hold, such as infinity or NaN.
  public init(_ content: Content) throws {
    do {
      text = try RecordJSON.text(content)
    } catch {
      throw StoreError(.invalidValue, "this value cannot be written as JSON", cause: error)
    }
  }
}

extension StoredJSON where Content: Decodable {
  /// Decodes the text; dates are RFC 3339.
  ///
  /// - Throws: `.decoding` when the text is not JSON of this shape.
  public func decoded() throws -> Content {
    do {
      return try RecordJSON.decoder().decode(Content.self, from: Data(text.utf8))
    } catch {
      throw StoreError(.decoding, "the JSON text in this column does not hold \(Content.self)", cause: error)
    }
  }
}

extension StoredJSON where Content == [String: String] {
  /// An empty map: `{}`.
  public static var empty: Self { Self(text: "{}") }
}

/// The one form of JSON in a column: sorted keys, no white space, dates as RFC 3339 in UTC with milliseconds where there are any.
enum RecordJSON {
  static func text(_ value: some Encodable) throws -> String { String(decoding: try encoder().encode(value), as: UTF8.self) }

  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      guard let milliseconds = DateCodec.milliseconds(date) else {
        throw StoreError(.invalidValue, "a date outside the years 1 to 9999 cannot be stored")
      }
      try DateCodec.iso8601(milliseconds, fraction: milliseconds % 1000 != 0).encode(to: encoder)
    }
    return encoder
  }

  static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      guard let date = DateCodec.parseISO8601(try container.decode(String.self)).flatMap({ DateCodec.date(milliseconds: $0) }) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date is not RFC 3339")
      }
      return date
    }
    return decoder
  }
}
