import Foundation
import Holdfast

/// A record's key in little memory: most are ids in lower case, which are 16 bytes. Equal where the texts have the same bytes, and in their
/// order.
struct RecordKey: Hashable, Comparable {
  private let high: UInt64
  private let low: UInt64
  /// Nil for an id.
  private let other: ExactText?

  init(_ text: String) {
    // An id in capital letters is another text.
    if let id = IDCodec.parse(text), !text.utf8.contains(where: { (0x41...0x46).contains($0) }) {
      (high, low) = withUnsafeBytes(of: id) {
        (UInt64(bigEndian: $0.load(as: UInt64.self)), UInt64(bigEndian: $0.load(fromByteOffset: 8, as: UInt64.self)))
      }
      other = nil
    } else {
      (high, low, other) = (0, 0, ExactText(text))
    }
  }

  var text: String {
    if let other { return other.text }
    var id = UUID.zero
    withUnsafeMutableBytes(of: &id) {
      $0.storeBytes(of: high.bigEndian, as: UInt64.self)
      $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return IDCodec.lowercase(id)
  }

  static func < (first: RecordKey, second: RecordKey) -> Bool {
    if first.other == nil, second.other == nil { return (first.high, first.low) < (second.high, second.low) }
    return ExactText(first.text) < ExactText(second.text)
  }
}

/// A record by its kind's place among the kinds of a run, and its key.
struct KeyOfKind: Hashable {
  let kind: Int
  let key: RecordKey
}
