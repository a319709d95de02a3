import Foundation

/// A text that equals none but itself, byte for byte: to Swift an é is one however it is written, and to a table and a server it is not.
package struct ExactText: Sendable, Hashable, Comparable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (first: ExactText, second: ExactText) -> Bool { first.text.utf8.elementsEqual(second.text.utf8) }

  /// As tables order texts.
  package static func < (first: ExactText, second: ExactText) -> Bool { first.text.utf8.lexicographicallyPrecedes(second.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
