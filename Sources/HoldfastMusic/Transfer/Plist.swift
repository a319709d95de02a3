import Holdfast

/// A value of a property list, with its text in the list.
enum Plist: Sendable {
  enum Kind: String, Sendable {
    case string, integer, real, date, data
    case yes = "true"
    case no = "false"
  }

  case scalar(Kind, String)
  case array([Plist])
  case dict([Member])

  struct Member: Sendable {
    var key: String
    var value: Plist
  }

  /// The value as XML of a property list, written anew: white space, comments and CDATA of the source are lost.
  var xml: String {
    switch self {
    case .scalar(let kind, _) where kind == .yes || kind == .no: "<\(kind.rawValue)/>"
    case .scalar(let kind, let text): "<\(kind.rawValue)>\(XMLText.escaped(text))</\(kind.rawValue)>"
    case .array(let elements): "<array>\(elements.map(\.xml).joined())</array>"
    case .dict(let members): "<dict>\(members.map { "<key>\(XMLText.escaped($0.key))</key>\($0.value.xml)" }.joined())</dict>"
    }
  }

  /// A scalar's text as in the source, except for line breaks in data; other values as XML.
  var text: String {
    switch self {
    case .scalar(.yes, _): "true"
    case .scalar(.no, _): "false"
    case .scalar(.data, let text): text.filter { !$0.isWhitespace }
    case .scalar(_, let text): text
    case .array, .dict: xml
    }
  }

  /// Whether the value is an empty text, an empty list or false.
  var isEmpty: Bool {
    switch self {
    case .scalar(let kind, let text): kind == .no || kind != .yes && text.isEmpty
    case .array(let elements): elements.isEmpty
    case .dict(let members): members.isEmpty
    }
  }

  /// The value as JSON; a date becomes its text. No caller uses the result for a list or dict.
  var json: JSONValue {
    switch self {
    case .scalar(.yes, _): .bool(true)
    case .scalar(.no, _): .bool(false)
    case .scalar(.integer, let text): Int64(text).map(JSONValue.integer) ?? .string(text)
    case .scalar(.real, let text): Double(text).map(JSONValue.double) ?? .string(text)
    case .scalar(.string, let text), .scalar(.date, let text): .string(text)
    case .scalar(.data, _), .array, .dict: .array([])
    }
  }

  var string: String? { if case .scalar(.string, let text) = self { text } else { nil } }
  var integer: Int64? { if case .scalar(.integer, let text) = self { Int64(text) } else { nil } }
}

/// Text for XML.
enum XMLText {
  /// Escapes a text; leaves out characters that XML cannot hold.
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }) {
      return text
    }
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\r": out += "&#13;"
      case "\t", "\n": out.unicodeScalars.append(scalar)
      case _ where !holds(scalar): break
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  static func holds(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF || ["\t", "\n", "\r"].contains(scalar)
  }
}

/// Assembles a property list while it is read, and emits each part of a music library when it is complete.
///
/// The root is a dict: `Tracks` is a dict of dicts, `Playlists` is an array of dicts, each with an array `Playlist Items`.
struct PlistReader {
  enum Found {
    /// A member of the root other than the two lists.
    case member(String, Plist)
    /// With how many characters were left out before it.
    case track(String, Plist, XMLLeftOut?, before: Int)
    /// An entry of the playlist that is emitted next.
    case item(Plist)
    case playlist(Plist, XMLLeftOut?, before: Int)
  }

  private enum Role {
    case root, tracks, playlists, playlist, items, other
  }

  private struct Frame {
    var role: Role
    var isDict: Bool
    var key: String?
    var members: [Plist.Member] = []
    var elements: [Plist] = []
  }

  /// Whether the root had a list of tracks or of playlists.
  private(set) var isLibrary = false
  private var frames: [Frame] = []
  /// The scalar or key that is being read.
  private var open: String?
  private var text = ""
  /// Where the track or playlist began that is being read, how many characters were left out before it, and where it has lost the first.
  private var record: (start: Int?, leftOut: Int) = (nil, 0)
  private var loss: (field: String, line: Int)?

  /// - Throws: `.invalidSource` with the line, for XML that is not a property list.
  mutating func take(_ event: XMLEvent, at place: XMLReading, _ emit: (Found) throws -> Void) throws {
    switch event {
    case .text(let piece):
      if open != nil { text += piece } else if !piece.utf8.allSatisfy({ $0 <= 0x20 }) { throw invalid("a text", place) }
    case .start(let name, _): try start(name, place)
    case .end(let name): try end(name, place, emit)
    }
  }

  private mutating func start(_ name: String, _ place: XMLReading) throws {
    guard open == nil else { throw invalid("<\(name)>", place) }
    switch name {
    case "plist":
      guard frames.isEmpty else { throw invalid("<plist>", place) }
    case "dict", "array":
      let role = role(of: name)
      if role == .tracks || role == .playlists { isLibrary = true }
      if let parent = frames.last?.role, parent == .tracks || parent == .playlists {
        (record, loss) = ((place.offset, place.leftOut), nil)
      }
      frames.append(Frame(role: role, isDict: name == "dict"))
    case "key", "string", "integer", "real", "date", "data", "true", "false":
      open = name
      text = ""
    default: throw invalid("<\(name)>", place)
    }
  }

  private func role(of name: String) -> Role {
    guard let parent = frames.last else { return .root }
    switch (parent.role, parent.key, name) {
    case (.root, "Tracks", "dict"): return .tracks
    case (.root, "Playlists", "array"): return .playlists
    case (.playlists, _, "dict"): return .playlist
    case (.playlist, "Playlist Items", "array"): return .items
    default: return .other
    }
  }

  private mutating func end(_ name: String, _ place: XMLReading, _ emit: (Found) throws -> Void) throws {
    switch name {
    case "plist": break
    case "key":
      open = nil
      guard let last = frames.indices.last, frames[last].isDict, frames[last].key == nil else { throw invalid("<key>", place) }
      frames[last].key = text
    case "dict", "array":
      guard let frame = frames.popLast() else { return }
      guard frame.key == nil else { throw invalid("the end of <dict> behind a key", place) }
      switch frame.role {
      case .root, .tracks, .playlists, .items: try put(nil, place, emit)
      case .playlist, .other: try put(frame.isDict ? .dict(frame.members) : .array(frame.elements), place, emit)
      }
    default:
      open = nil
      guard let kind = Plist.Kind(rawValue: name) else { return }
      try put(.scalar(kind, text), place, emit)
    }
  }

  /// `value` is complete; nil for a value that was emitted in parts.
  private mutating func put(_ value: Plist?, _ place: XMLReading, _ emit: (Found) throws -> Void) throws {
    guard let last = frames.indices.last else { return }
    let key = frames[last].key
    frames[last].key = nil
    if loss == nil, place.leftOut > record.leftOut { loss = (key ?? "", place.leftOutLine) }
    guard frames[last].isDict == (key != nil) else { throw invalid("a value without a key", place) }
    guard let value else { return }
    switch (frames[last].role, key) {
    case (.root, let key?): try emit(.member(key, value))
    case (.tracks, let key?): try emit(.track(key, value, leftOut(value, place), before: record.leftOut))
    case (.items, _): try emit(.item(value))
    case (.playlists, _): try emit(.playlist(value, leftOut(value, place), before: record.leftOut))
    case (_, let key?): frames[last].members.append(.init(key: key, value: value))
    case (_, nil): frames[last].elements.append(value)
    }
  }

  private func leftOut(_ value: Plist, _ place: XMLReading) -> XMLLeftOut? {
    loss.map { XMLLeftOut(field: $0.field, line: $0.line, original: place.original(from: record.start) ?? Array(value.xml.utf8)) }
  }

  private func invalid(_ found: String, _ place: XMLReading) -> StoreError {
    StoreError(.invalidSource, "this is no property list: \(found) has no place at line \(place.line)")
  }
}
