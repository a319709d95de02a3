import Foundation

/// A text that is equal only to the same bytes. Swift treats two spellings of é as equal; tables and servers do not. For the keys of rows
/// in a `Set` or a `Dictionary`.
public struct ExactText: Sendable, Hashable, Comparable {
  /// The text itself.
  public let text: String

  /// Compares `text` by its bytes.
  public init(_ text: String) { self.text = text }

  public static func == (first: ExactText, second: ExactText) -> Bool { first.text.hasBytes(of: second.text) }

  /// The order that tables use for texts.
  public static func < (first: ExactText, second: ExactText) -> Bool { first.text.precedesBytes(of: second.text) }

  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
  /// The text in lower case as SQLite compares names: only the letters A to Z change.
  package var asciiLowercased: String {
    guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return self }
    return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Byte for byte: two spellings of é are one text to Swift, and two to SQLite.
  func hasBytes(of other: String) -> Bool {
    let same: Bool?? = utf8.withContiguousStorageIfAvailable { first in
      other.utf8.withContiguousStorageIfAvailable { second in
        guard first.count == second.count, let start = first.baseAddress, let otherStart = second.baseAddress else {
          return first.isEmpty && second.isEmpty
        }
        return start == otherStart || memcmp(start, otherStart, first.count) == 0
      }
    }
    return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
  }

  /// The order of the bytes, as SQLite has it.
  func precedesBytes(of other: String) -> Bool {
    let precedes: Bool?? = utf8.withContiguousStorageIfAvailable { first in
      other.utf8.withContiguousStorageIfAvailable { second in
        guard let start = first.baseAddress, let otherStart = second.baseAddress else { return first.count < second.count }
        let order = memcmp(start, otherStart, min(first.count, second.count))
        return order == 0 ? first.count < second.count : order < 0
      }
    }
    return (precedes ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}
