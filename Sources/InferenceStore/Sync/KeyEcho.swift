import Foundation
import Holdfast

/// Takes the key of the API out of what a server answers: what a server says of a row is kept in the store and shown to people.
///
/// It is found as it is, with JSON's escapes, and in base64, one in another a few times. A text that holds it becomes `(secret)` whole, and
/// a body that is no JSON becomes empty.
struct KeyEcho {
  /// A shorter one is no secret, and part of too much else.
  private static let fewestBytes = 4
  /// Of JSON in base64 in JSON, and so on.
  private static let mostLayers = 4

  private let key: String
  /// What stands in a text that holds the key, in UTF-8.
  private let forms: [[UInt8]]

  /// Nil for a key that is too short.
  init?(_ key: String) {
    guard key.utf8.count >= Self.fewestBytes else { return nil }
    self.key = key
    forms = [Array(key.utf8)] + Self.base64(key)
  }

  /// What base64 of any text with the key has, wherever the key begins in it: the letters that are made of its bytes alone.
  private static func base64(_ key: String) -> [[UInt8]] {
    let bytes = Array(key.utf8)
    return (0..<3).map { shift in
      let letters = Array(Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString().utf8)
      let first = (shift * 8 + 5) / 6
      let last = (shift + bytes.count) * 8 / 6
      return Array(letters[first..<last])
    }
  }

  /// The answer without the key.
  func cleaned(_ body: Data) -> (body: Data, heldKey: Bool) {
    var scanner = JSONScanner(JSONDocument(Array(body)))
    guard let tree = try? scanner.value(), (try? scanner.finish()) != nil else {
      return holdsForm(Array(body)) ? (Data(), true) : (body, false)
    }
    let clean = masked(tree, Self.mostLayers)
    return clean == tree ? (body, false) : (Data(clean.canonicalText().utf8), true)
  }

  private func masked(_ value: JSONValue, _ layers: Int) -> JSONValue {
    switch value {
    case .null, .bool: return value
    // A key of digits.
    case .integer, .double: return value.canonicalText() == key ? .string(SecretProperties.mask) : value
    case .string(let text): return holds(text, layers) ? .string(SecretProperties.mask) : value
    case .array(let elements): return .array(elements.map { masked($0, layers) })
    case .object(let members):
      var clean: [String: JSONValue] = [:]
      for (name, member) in members { clean[holds(name, layers) ? SecretProperties.mask : name] = masked(member, layers) }
      return .object(clean)
    }
  }

  private func holds(_ text: String, _ layers: Int) -> Bool {
    let bytes = Array(text.utf8)
    if holdsForm(bytes) { return true }
    guard layers > 0, bytes.count >= Self.fewestBytes else { return false }
    if let tree = JSONValue(json: text), tree != .string(text), masked(tree, layers - 1) != tree { return true }
    guard let inner = Self.decoded(bytes) else { return false }
    return holds(String(decoding: inner, as: UTF8.self), layers - 1)
  }

  /// Base64 of either alphabet, with its end filled up or not.
  private static func decoded(_ bytes: [UInt8]) -> Data? {
    var letters = bytes.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    while letters.last == UInt8(ascii: "=") { letters.removeLast() }
    letters += [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
    return Data(base64Encoded: Data(letters), options: .ignoreUnknownCharacters)
  }

  private func holdsForm(_ bytes: [UInt8]) -> Bool {
    // One alphabet has a minus and an underscore where the other has a plus and a slash.
    let plain = bytes.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    return forms.indices.contains { place in Self.holds(place == 0 ? bytes : plain, forms[place]) }
  }

  private static func holds(_ bytes: [UInt8], _ form: [UInt8]) -> Bool {
    guard let first = form.first, bytes.count >= form.count else { return false }
    return (0...bytes.count - form.count).contains { bytes[$0] == first && bytes[$0..<$0 + form.count].elementsEqual(form) }
  }
}
