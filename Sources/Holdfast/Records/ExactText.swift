import Foundation

/// A text that is equal only to the same bytes. Swift treats two spellings of é as equal; tables and servers do not.
package struct ExactText: Sendable, Hashable, Comparable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (first: ExactText, second: ExactText) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  /// The order that tables use for texts.
  package static func < (first: ExactText, second: ExactText) -> Bool { first.text.utf8.lexicographicallyPrecedes(second.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
