/// A place in a JSON document. With an offset, a scanner can return there.
///
/// Keeping a path costs one reference. Its text is made on request.
public struct JSONPath: Sendable, CustomStringConvertible {
  /// The outermost value of a document.
  public static let root = JSONPath(document: nil, container: nil, step: JSONStep.none)

  let document: JSONDocument?
  let container: JSONContainer?
  let step: Int

  /// Such as `$.collections[3].tracks[5]`. A key that is no identifier is written as `["a key"]`, and cut after 64 characters.
  public var description: String { text(stepsAtEachEnd: .max) }

  /// The same text for an error, cut to the first and the last eight steps.
  var short: String { text(stepsAtEachEnd: 8) }

  private func text(stepsAtEachEnd shown: Int) -> String {
    var steps: [Int] = []
    var text = "$"
    var (next, step) = (container, step)
    while let container = next {
      steps.append(step)
      (next, step) = (container.parent, container.step)
    }
    steps = steps.reversed().filter { $0 != JSONStep.none }
    let left = steps.count - shown > shown ? shown..<steps.count - shown : 0..<0
    for (place, step) in steps.enumerated() {
      if left.contains(place) {
        text += place == left.lowerBound ? "…" : ""
      } else if step >= 0 {
        text += "[\(step)]"
      } else if let document {
        Self.write(document, keyAt: ~step, into: &text)
      }
    }
    return text
  }

  private static func write(_ document: JSONDocument, keyAt offset: Int, into text: inout String) {
    defer { withExtendedLifetime(document) {} }
    var tokens = JSONTokens(base: document.text.base, end: document.text.end, offset: offset)
    guard let token = try? tokens.string() else { return }
    let bytes = token.bytes
    if let first = bytes.first, !(0x30...0x39 ~= first), bytes.count <= 64, bytes.allSatisfy(isIdentifierByte) {
      text += "." + token.string
      return
    }
    let key = token.string
    let shown = JSONValue.string(String(key.unicodeScalars.prefix(64))).canonicalText()
    text += key.unicodeScalars.count > 64 ? "[\(shown.dropLast())…\"]" : "[\(shown)]"
  }

  private static func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "_"), UInt8(ascii: "-"), 0x80...: true
    default: false
    }
  }
}

/// The step from a container to a value in it: an index from 0, or the complement of the offset of a key's opening quote. One word, because
/// a scanner sets it for every value.
enum JSONStep {
  /// In no value of the container: before, between or after them.
  static let none = Int.min

  @inline(__always)
  static func key(_ token: JSONStringToken) -> Int { ~(token.start - 1) }
}

/// An object or array around the scanner's position.
final class JSONContainer: Sendable {
  let parent: JSONContainer?
  /// The step from the parent to this container.
  let step: Int
  let depth: Int

  init(parent: JSONContainer?, step: Int) {
    self.parent = parent
    self.step = step
    depth = (parent?.depth ?? 0) + 1
  }

  /// Deeper documents are refused, as Foundation refuses them.
  static let greatestDepth = 512
}
