import Foundation
import Holdfast
import HoldfastTransfer

// Reads the two forms in which sources write a kind: `{"type": …, …}` in JSON, two columns in SQLite. Both become the stored
// form: a type, and the content of the kind.

extension Tagged where Kind: MemberDecodable {
  /// Takes the content of a known kind without its type, and the text of an unknown kind word for word. Nil when a known kind
  /// lacks its content.
  init?(_ type: String, _ members: inout [String: JSONValue], text: () -> String) {
    guard Kind.knownTypes.contains(type) else {
      self.init(type: type, payload: text())
      return
    }
    guard Kind.known(type, members) != nil else { return nil }
    members["type"] = nil
    self.init(type: type, payload: JSONValue.object(members).canonicalText())
  }

  /// From two columns. Nil also for a text that is not a JSON object.
  init?(_ type: String, column text: String?) {
    guard var members = [String: JSONValue](json: text ?? "{}") else { return nil }
    self.init(type, &members) { text ?? "{}" }
  }
}

extension SourceMembers {
  /// Splits an object with a type into two members: `location.type`, and `location` with the content.
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

  /// Brings the content of a kind into the stored form. A missing type is reported by the table of fields.
  mutating func check<Kind: MemberDecodable>(_ type: String, _ payload: String, _: Kind.Type) {
    let content = value(payload)
    guard let name = text(type), content == .null || text(payload) != nil else { return }
    guard let tagged = Tagged<Kind>(name, column: text(payload)) else {
      return fail(Kind.knownTypes.contains(name) ? "\(payload) lacks what the kind \(name) carries" : "\(payload) should be a JSON object")
    }
    set(payload, .string(tagged.payload))
  }
}
