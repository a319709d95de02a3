import Foundation
import Holdfast
import HoldfastTransfer

// How the two forms of a source's kinds are read: `{"type": …, …}` in JSON, two columns in SQLite. Both become what is stored: a type, and
// what the kind carries.

extension Tagged where Kind: MemberDecodable {
  /// Of a kind that is known its content without the type, of another the text word for word. Nil when a known kind lacks what it carries.
  init?(_ type: String, _ members: inout [String: JSONValue], text: () -> String) {
    guard Kind.knownTypes.contains(type) else {
      self.init(type: type, payload: text())
      return
    }
    guard Kind(type: type, members: members) != nil else { return nil }
    members["type"] = nil
    self.init(type: type, payload: JSONValue.object(members).canonicalText())
  }

  /// Of two columns. Nil also for a text that is no JSON object.
  init?(_ type: String, column text: String?) {
    guard var members = [String: JSONValue](json: text ?? "{}") else { return nil }
    self.init(type, &members) { text ?? "{}" }
  }
}

extension SourceMembers {
  /// Makes two members of an object with a type: `location.type`, and in `location` what it carries.
  mutating func split<Kind: MemberDecodable>(_ name: String, _: Kind.Type) {
    var reason = "\(name) is missing"
    let isSplit = split(name) { value, original in
      guard case .object(var members) = value, case .string(let type)? = members["type"] else {
        if value != .null { reason = "\(name) should be an object with a type" }
        return nil
      }
      // The last reference to the members is then ours, and taking the type out does not copy them.
      value = .null
      guard let tagged = Tagged<Kind>(type, &members, text: { String(decoding: original.data, as: UTF8.self) }) else {
        reason = "\(name) of the kind \(type) lacks what that kind carries"
        return nil
      }
      return [(name + ".type", .string(type)), (name, .string(tagged.payload))]
    }
    if !isSplit { fail(reason) }
  }

  /// Brings what a kind carries into the stored form; a type that is missing is the table's to tell.
  mutating func check<Kind: MemberDecodable>(_ type: String, _ payload: String, _: Kind.Type) {
    let content = value(payload)
    guard let name = text(type), content == .null || text(payload) != nil else { return }
    guard let tagged = Tagged<Kind>(name, column: text(payload)) else {
      return fail(Kind.knownTypes.contains(name) ? "\(payload) lacks what the kind \(name) carries" : "\(payload) should be a JSON object")
    }
    set(payload, .string(tagged.payload))
  }
}
