import Foundation

/// The key of an object's member, compared without decoding.
///
/// `switch key { case "title": … }` works. It allocates only when the key is written with escapes.
public struct JSONKey: Sendable, CustomStringConvertible {
  private let document: JSONDocument
  private let start: Int
  @usableFromInline let count: Int
  @usableFromInline let isEscaped: Bool

  init(_ token: JSONStringToken, in document: JSONDocument) {
    self.document = document
    start = token.start
    count = token.bytes.count
    isEscaped = token.isEscaped
  }

  /// The decoded key.
  public var string: String {
    withExtendedLifetime(document) {
      let bytes = UnsafeBufferPointer(start: document.text.base + start, count: count)
      return JSONStringToken(start: start, bytes: bytes, isEscaped: isEscaped).string
    }
  }

  /// The decoded key, as ``string``.
  public var description: String { string }

  /// Whether the decoded key equals this text byte for byte, without Unicode normalisation; case matters.
  @inlinable
  public static func == (key: JSONKey, text: StaticString) -> Bool {
    // Inlined, because most comparisons end at the length, which is a constant in the caller.
    if !key.isEscaped, text.hasPointerRepresentation, key.count != text.utf8CodeUnitCount { return false }
    return key.equals(text)
  }

  @usableFromInline
  func equals(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { text in
      if isEscaped { return string.utf8.elementsEqual(text) }
      guard count == text.count, let other = text.baseAddress else { return count == text.count }
      defer { withExtendedLifetime(document) {} }
      return memcmp(document.text.base + start, other, count) == 0
    }
  }

  /// Lets a `switch` over a key use texts as its cases.
  @inlinable
  public static func ~= (text: StaticString, key: JSONKey) -> Bool {
    key == text
  }
}
