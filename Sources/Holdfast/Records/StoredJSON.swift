import Foundation

/// A JSON text column that is decoded only on request. Unless it is changed, it is written back unchanged.
///
/// Two values are equal when their texts are. `init(_:)` writes sorted keys, so equal contents have equal texts.
public struct StoredJSON<Content: Sendable>: Sendable, Hashable {
  /// The JSON as stored.
  public let text: String

  /// Takes JSON text unchanged and unchecked.
  public init(text: String) { self.text = text }
}

extension StoredJSON where Content: Encodable {
  /// Encodes the content with sorted keys and without white space; dates as ISO 8601.
  ///
  /// - Throws: `.invalidValue` for contents that JSON cannot hold, such as infinity or NaN.
  public init(_ content: Content) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      text = String(decoding: try encoder.encode(content), as: UTF8.self)
    } catch {
      throw StoreError(.invalidValue, "this value cannot be written as JSON", cause: error)
    }
  }
}

extension StoredJSON where Content: Decodable {
  /// Decodes the text; dates are ISO 8601.
  ///
  /// - Throws: `.decoding` when the text is not JSON of this shape.
  public func decoded() throws -> Content {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(Content.self, from: Data(text.utf8))
    } catch {
      throw StoreError(.decoding, "the JSON text in this column does not hold \(Content.self)", cause: error)
    }
  }
}

extension StoredJSON where Content == [String: String] {
  /// An empty map: `{}`.
  public static var empty: Self { Self(text: "{}") }
}
