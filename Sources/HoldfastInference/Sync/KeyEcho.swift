import Foundation
import Holdfast
import HoldfastTransfer

/// Takes the key of the API out of what a server answers: what a server says of a row is kept in the store and shown to people.
///
/// It is found as it is, with JSON's escapes, and in base64, one in another a few times. A text that holds it becomes `(secret)` whole, and
/// a body that is no JSON becomes empty.
struct KeyEcho {
  /// Of JSON in base64 in JSON, and so on.
  private static let mostLayers = 4

  private let key: String
  private let forms: ByteNeedles

  /// Nil for a key that is so short that it is part of too much else, and no secret.
  init?(_ key: String) {
    self.key = key
    forms = ByteNeedles([Data(key.utf8)])
    if forms.isEmpty { return nil }
  }

  /// The answer without the key.
  func cleaned(_ body: Data) -> (body: Data, heldKey: Bool) {
    var scanner = JSONScanner(JSONDocument(Array(body)))
    guard let tree = try? scanner.value(), (try? scanner.finish()) != nil else {
      return forms.stand(in: Array(body)) ? (Data(), true) : (body, false)
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
    if forms.stand(in: bytes) { return true }
    guard layers > 0, bytes.count >= ByteNeedles.shortest else { return false }
    // An answer may have many long texts that are neither.
    let mayBeJSON = bytes.first.map { #"{[" "#.utf8.contains($0) } == true
    if mayBeJSON, let tree = JSONValue(json: text), masked(tree, layers - 1) != tree { return true }
    guard let inner = Base64(bytes[...])?.decoded else { return false }
    return holds(String(decoding: inner, as: UTF8.self), layers - 1)
  }
}
