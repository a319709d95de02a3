/// A place in a JSON document: what a scanner needs, with an offset, to come back.
///
/// Costs a reference to keep; its text is made when asked for.
public struct JSONPath: Sendable, CustomStringConvertible {
  /// The outermost value of any document.
  public static let root = JSONPath(document: nil, container: nil, step: JSONStep.none)

  let document: JSONDocument?
  let container: JSONContainer?
  let step: Int

  /// Such as `$.collections[3].tracks[5]`; a key that is no identifier stands as `["a key"]`, cut after 64 characters.
  public var description: String { text(stepsAtEachEnd: .max) }

  /// The same for an error, of whose hundreds of steps nobody reads more than the first and the last eight.
  var short: String { text(stepsAtEachEnd: 8) }

  private func text(stepsAtEachEnd shown: Int) -> String {
    var steps: [Int] = []
    var text = "$"
    var (next, step) = (container, step)
    while let container = next {
      steps.append(step)
      if let other = container.text { text = other }
      (next, step) = (container.parent, container.step)
    }
    steps = steps.reversed().filter { $0 != JSONStep.none }
    let left = steps.count - shown > shown ? shown..<steps.count - shown : 0..<0
    for (place, step) in steps.enumerated() {
      if left.contains(place) {
        text += place == left.lowerBound ? "…" : ""
      } else if step >= 0 {
        text += "["
        text += String(step)
        text += "]"
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

/// How one goes from a container to a value in it, in one word because a scanner sets it for every value:
/// an index from 0, or the complement of the offset of a key's opening quote.
enum JSONStep {
  /// Not in any value of the container: before, between or after them.
  static let none = Int.min

  @inline(__always)
  static func key(_ token: JSONStringToken) -> Int { ~(token.start - 1) }
}

/// An object or array that a scanner is inside of.
final class JSONContainer: Sendable {
  let parent: JSONContainer?
  /// From the parent to here.
  let step: Int
  let depth: Int
  /// The whole path down to here, when it leads through another document.
  let text: String?

  init(parent: JSONContainer?, step: Int) {
    self.parent = parent
    self.step = step
    depth = (parent?.depth ?? 0) + 1
    text = nil
  }

  init(text: String, depth: Int) {
    parent = nil
    step = JSONStep.none
    self.depth = depth
    self.text = text
  }

  /// Deeper documents are refused, here and in Foundation.
  static let greatestDepth = 512
}
