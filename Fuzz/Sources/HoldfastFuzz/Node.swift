/// A JSON value that a mutation can damage. Members keep their order and may repeat. Any text may take the place of a value.
indirect enum Node: Sendable {
  /// Written unchanged: numbers, literals, and texts that are not JSON.
  case raw(String)
  case string(String)
  case array([Node])
  case object([(key: String, value: Node)])

  var bytes: [UInt8] {
    var text = ""
    write(into: &text)
    return Array(text.utf8)
  }

  private func write(into text: inout String) {
    switch self {
    case .raw(let raw): text += raw
    case .string(let string): Self.quote(string, into: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(into: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.quote(member.key, into: &text)
        text += ":"
        member.value.write(into: &text)
      }
      text += "}"
    }
  }

  private static func quote(_ string: String, into text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "/": text += "\\/"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// The number of values in this one, itself included.
  var size: Int {
    switch self {
    case .raw, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.size }
    case .object(let members): members.reduce(1) { $0 + $1.value.size }
    }
  }

  /// Changes the value with this number, counted as `size` counts.
  mutating func change(_ number: Int, _ body: (inout Node) -> Void) {
    if number == 0 { return body(&self) }
    var rest = number - 1
    switch self {
    case .raw, .string: return
    case .array(var elements):
      for index in elements.indices {
        let size = elements[index].size
        if rest < size {
          elements[index].change(rest, body)
          break
        }
        rest -= size
      }
      self = .array(elements)
    case .object(var members):
      for index in members.indices {
        let size = members[index].value.size
        if rest < size {
          members[index].value.change(rest, body)
          break
        }
        rest -= size
      }
      self = .object(members)
    }
  }
}
