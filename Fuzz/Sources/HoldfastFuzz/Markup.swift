import Foundation

/// A piece of XML that a mutation can damage. Elements may be in any place, with any text between them.
indirect enum Markup: Sendable {
  /// Written unchanged: comments, and texts that are not XML.
  case raw(String)
  case text(String)
  case element(String, [(name: String, value: String)], [Markup])

  static func element(_ name: String, _ children: [Markup] = []) -> Markup { .element(name, [], children) }
  static func element(_ name: String, _ text: String) -> Markup { .element(name, [], [.text(text)]) }

  /// The encoding of a document.
  enum Encoding: CaseIterable {
    case utf8, utf8WithMark, utf16, utf16BigEndian, latin1

    /// The name in an XML declaration.
    var name: String {
      switch self {
      case .utf8, .utf8WithMark: "UTF-8"
      case .utf16, .utf16BigEndian: "UTF-16"
      case .latin1: "ISO-8859-1"
      }
    }

    func bytes(_ text: String) -> [UInt8] {
      switch self {
      case .utf8: Array(text.utf8)
      case .utf8WithMark: [0xEF, 0xBB, 0xBF] + Array(text.utf8)
      case .utf16: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
      case .utf16BigEndian: [0xFE, 0xFF] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      case .latin1: text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
      }
    }
  }

  /// The whole document, with this element as its root.
  func document(_ encoding: Encoding, newline: String, doctype: String = "") -> [UInt8] {
    var text = "<?xml version=\"1.0\" encoding=\"\(encoding.name)\"?>\(newline)\(doctype)"
    write(into: &text, newline, isLatin1: encoding == .latin1)
    return encoding.bytes(text + newline)
  }

  private func write(into text: inout String, _ newline: String, isLatin1: Bool) {
    switch self {
    case .raw(let raw): text += raw
    case .text(let content): Self.escape(content, into: &text, isLatin1: isLatin1)
    case .element(let name, let attributes, let children):
      text += "<\(name)"
      for (name, value) in attributes {
        text += " \(name)=\""
        Self.escape(value, into: &text, isLatin1: isLatin1)
        text += "\""
      }
      guard !children.isEmpty else {
        text += "/>"
        return
      }
      text += ">"
      let isTall = children.allSatisfy { if case .element = $0 { true } else { false } }
      for child in children {
        if isTall { text += newline }
        child.write(into: &text, newline, isLatin1: isLatin1)
      }
      if isTall { text += newline }
      text += "</\(name)>"
    }
  }

  private static func escape(_ content: String, into text: inout String, isLatin1: Bool) {
    for scalar in content.unicodeScalars {
      switch scalar {
      case "&": text += "&#38;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case _ where isLatin1 && scalar.value > 0xFF: text += "&#\(scalar.value);"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  var name: String? { if case .element(let name, _, _) = self { name } else { nil } }
  var children: [Markup] { if case .element(_, _, let children) = self { children } else { [] } }
  /// The element's own text, without the text of elements in it.
  var content: String { children.map { if case .text(let text) = $0 { text } else { "" } }.joined() }

  /// The number of nodes in this one, itself included.
  var size: Int { children.reduce(1) { $0 + $1.size } }

  /// Changes the node with this number, counted as `size` counts.
  mutating func change(_ number: Int, _ body: (inout Markup) -> Void) {
    guard number > 0, case .element(let name, let attributes, var children) = self else { return body(&self) }
    var rest = number - 1
    for index in children.indices {
      let size = children[index].size
      if rest < size {
        children[index].change(rest, body)
        break
      }
      rest -= size
    }
    self = .element(name, attributes, children)
  }
}
