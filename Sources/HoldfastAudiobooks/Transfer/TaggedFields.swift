import Holdfast
import HoldfastTransfer

// How the two forms of a source's kinds are read: `{"type": …, …}` in JSON, two columns in SQLite.

extension JSONFields {
  /// Of a kind that is known its content without the type, of another the text word for word.
  mutating func tagged<Kind: MemberDecodable>(
    _ key: String, _ value: inout JSONScanner, in document: JSONDocument
  ) throws -> Tagged<Kind> {
    let start = value
    guard case .object(var members) = try tree(key, &value), case .string(let type)? = members["type"] else {
      fail("\(key) should be an object with a type")
      return Tagged(type: "", payload: "{}")
    }
    guard Kind.knownTypes.contains(type) else {
      var raw = start
      return Tagged(type: type, payload: String(decoding: document.bytes(try raw.skip()), as: UTF8.self))
    }
    if Kind(type: type, members: members) == nil { fail("\(key) of the kind \(type) lacks what that kind carries") }
    members["type"] = nil
    return Tagged(type: type, payload: JSONValue.object(members).canonicalText())
  }
}

extension SQLiteFields {
  /// Of a kind that is known its content with sorted keys, of another the text word for word.
  mutating func tagged<Kind: MemberDecodable>(_ type: String, _ payload: String) -> Tagged<Kind> {
    let name = text(type)
    let content = textOrNil(payload)
    guard problem == nil else { return Tagged(type: name, payload: "{}") }
    if let tagged = Self.tagged(Kind.self, name, content) { return tagged }
    fail(
      Kind.knownTypes.contains(name) ? "\(payload) lacks what the kind \(name) carries" : "\(payload) should be a JSON object")
    return Tagged(type: name, payload: "{}")
  }

  static func tagged<Kind: MemberDecodable>(_: Kind.Type, _ name: String, _ content: String?) -> Tagged<Kind>? {
    guard var members = [String: JSONValue](json: content ?? "{}") else { return nil }
    guard Kind.knownTypes.contains(name) else { return Tagged(type: name, payload: content ?? "{}") }
    guard Kind(type: name, members: members) != nil else { return nil }
    members["type"] = nil
    return Tagged(type: name, payload: JSONValue.object(members).canonicalText())
  }
}
