import Foundation

/// A text that is equal only to the same bytes. Swift treats two spellings of é as equal; tables and servers do not.
package struct ExactText: Sendable, Hashable, Comparable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (first: ExactText, second: ExactText) -> Bool { first.text.hasBytes(of: second.text) }

  /// The order that tables use for texts.
  package static func < (first: ExactText, second: ExactText) -> Bool { first.text.utf8.lexicographicallyPrecedes(second.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension String {
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
}
