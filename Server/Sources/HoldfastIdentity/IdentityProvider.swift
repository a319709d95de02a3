internal import Foundation
package import HoldfastSyncServer
internal import JWTKit

// Invariants:
// - The algorithm is the key's. A token that names another one is not valid, so neither `none` nor an HMAC with a public key passes.
// - Nothing of a token but its header is read before its signature was verified, and of the header only `alg`, `kid` and `crit`. jwt-kit's
//   own type of a header is not used: a number in it that no Int holds ends the process.
// - No error and no log has a token or a part of one.

/// Verifies the tokens of an identity provider: JSON Web Tokens that a key of its key set has signed.
package struct IdentityProvider: Sendable {
  /// The provider's keys.
  package let keys: KeySet
  /// The name of this server at the provider: `aud` must have it.
  package let audience: String
  /// The name of the provider: `iss` must be it.
  package let issuer: String
  /// The claim with the name of the space.
  package let spaceClaim: String
  /// The claim with the roles. With the word `writes` the token may push; otherwise it only reads.
  package let roleClaim: String

  /// The greatest size of a token in bytes.
  static let greatestBytes = 16_384

  package init(_ keys: KeySet, audience: String, issuer: String, spaceClaim: String = "space", roleClaim: String = "role") {
    (self.keys, self.audience, self.issuer, self.spaceClaim, self.roleClaim) = (keys, audience, issuer, spaceClaim, roleClaim)
  }

  /// What a token opens; nil for one that is not valid.
  ///
  /// - Parameter now: the server's time in milliseconds since 1970.
  /// - Throws: `.busy` when the key that the token names is not known, and the key set could not be read.
  package func token(_ text: String, now: Int64) async throws -> SyncToken? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= Self.greatestBytes,
      let header = Self.decoded(Header.self, parts[0]), header.crit == nil,
      let key = try await keys.key(header.kid ?? "", now: now), key.name == header.alg,
      let signature = Self.bytes(parts[2]),
      let isSigned = try? key.verify(signature, signs: Data("\(parts[0]).\(parts[1])".utf8)), isSigned,
      let claims = Self.decoded([String: Claim].self, parts[1])
    else { return nil }
    return opened(by: claims, now: now)
  }

  private func opened(by claims: [String: Claim], now: Int64) -> SyncToken? {
    let seconds = Double(now) / 1_000
    guard let end = claims["exp"]?.number, seconds < end else { return nil }
    // The provider's clock may be ahead of this one by a minute.
    if let begin = claims["nbf"] { guard let begin = begin.number, begin <= seconds + 60 else { return nil } }
    guard claims["aud"]?.texts.contains(audience) ?? false, claims["iss"]?.texts == [issuer] else { return nil }
    guard let spaces = claims[spaceClaim]?.texts, spaces.count == 1, let space = spaces.first else { return nil }
    // One text with words, as `scope` has, or several texts.
    let roles = (claims[roleClaim]?.texts ?? []).flatMap { $0.split(separator: " ") }
    return SyncToken(
      name: claims["sub"]?.texts.first ?? "", space: space, role: roles.contains("writes") ? .writes : .reads,
      createdAt: Date(timeIntervalSince1970: seconds))
  }

  private static func decoded<T: Decodable>(_ type: T.Type, _ part: Substring) -> T? {
    bytes(part).flatMap { try? JSONDecoder().decode(type, from: $0) }
  }

  private static func bytes(_ part: Substring) -> Data? {
    let plain = part.replacing("-", with: "+").replacing("_", with: "/")
    return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4))
  }
}

private struct Header: Decodable {
  let alg: String
  let kid: String?
  /// What a reader must understand. This one understands nothing more.
  let crit: [String]?
}

/// A claim, as far as one is looked at.
private struct Claim: Decodable {
  let number: Double?
  let texts: [String]

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    number = try? value.decode(Double.self)
    texts = (try? value.decode([String].self)) ?? (try? value.decode(String.self)).map { [$0] } ?? []
  }
}
