internal import Foundation
internal import Holdfast
internal import JWTKit
package import Logging

// Invariants:
// - A key set that could be read replaces the one before, also if it is empty. One that could not be read changes nothing.
// - An address is asked at most once a minute, by one request at a time. A file is read for each token.

/// The public keys of an identity provider, by their `kid`.
package actor KeySet {
  private let source: KeySource
  private let logger: Logger
  private var keys: [String: any JWTAlgorithm] = [:]
  /// What `keys` was made of.
  private var text: Data?
  /// Why the set could not be read at the last try.
  private var failure: StoreError?
  private var triedAt: Int64?
  private var loading: Task<Void, Never>?

  /// No key is known until `begin(now:)`.
  package init(_ source: KeySource, _ logger: Logger) { (self.source, self.logger) = (source, logger) }

  /// Reads the set for the first time. An address that does not answer is asked again for the first tokens.
  ///
  /// - Throws: of a file: `.notFound`; `.inputOutput`; `.invalidSource` for one that is no key set.
  package func begin(now: Int64) async throws {
    if source.isFile { return try await take(source.read()) }
    load(now)
    await loading?.value
  }

  /// The key with this `kid`; "" for the one without. An unknown one is looked for in the source.
  ///
  /// - Throws: `.busy` for an unknown key, when the set could not be read.
  func key(_ kid: String, now: Int64) async throws -> (any JWTAlgorithm)? {
    if isDue(kid, now) { load(now) }
    // An address may need its time: a known key does not wait for it.
    if source.isFile || keys[kid] == nil { await loading?.value }
    if let key = keys[kid] { return key }
    guard let failure else { return nil }
    throw StoreError(.busy, "the identity provider's keys cannot be read now", cause: failure)
  }

  /// A key that the provider withdraws is gone after an hour.
  private func isDue(_ kid: String, _ now: Int64) -> Bool {
    guard !source.isFile, let triedAt else { return true }
    // In both directions: clocks are set back.
    return (now - triedAt).magnitude >= (keys[kid] == nil || failure != nil ? 60_000 : 3_600_000)
  }

  private func load(_ now: Int64) {
    guard loading == nil else { return }
    triedAt = now
    loading = Task {
      await read()
      loading = nil
    }
  }

  private func read() async {
    do {
      try await take(source.read())
      failure = nil
    } catch {
      let new = error as? StoreError ?? StoreError(.inputOutput, "the key set cannot be read: \(error.localizedDescription)")
      if new.message != failure?.message { logger.warning("the identity provider's keys stay as they are: \(new.message)") }
      failure = new
    }
  }

  private func take(_ new: Data) async throws {
    guard new != text else { return }
    (keys, text) = (try await Self.keys(in: new), new)
    logger.info("the identity provider's keys were read", metadata: ["keys": "\(keys.count)"])
  }

  /// - Throws: `.invalidSource` for a text that is no key set. A key of an unknown kind is left out, and one that is not for signatures.
  private static func keys(in text: Data) async throws -> [String: any JWTAlgorithm] {
    let published: PublishedSet
    do { published = try JSONDecoder().decode(PublishedSet.self, from: text) } catch {
      throw StoreError(.invalidSource, "the key set is not JSON with a list \"keys\"")
    }
    var keys: [String: any JWTAlgorithm] = [:]
    for key in published.keys.compactMap(\.key) {
      let (kid, one) = (key.keyIdentifier?.string ?? "", JWTKeyCollection())
      guard keys[kid] == nil, (try? await one.add(jwk: key)) != nil, let algorithm = try? await one.getKey() else { continue }
      keys[kid] = algorithm
    }
    return keys
  }
}

private struct PublishedSet: Decodable {
  let keys: [PublishedKey]
}

private struct PublishedKey: Decodable {
  let key: JWK?

  private enum CodingKeys: CodingKey { case use }

  init(from decoder: any Decoder) throws {
    let use = try? decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .use)
    // Symmetric keys are of no kind that it knows.
    guard use == nil || use == "sig", var key = try? JWK(from: decoder) else {
      key = nil
      return
    }
    // Some providers leave it out. jwt-kit would then take the one of the first token.
    key.algorithm = key.algorithm ?? Self.algorithm(of: key)
    key.keyIdentifier = key.keyIdentifier ?? ""
    key.privateExponent = nil
    self.key = key
  }

  /// The one that belongs to the curve; for RSA the one that every provider of OpenID Connect has.
  private static func algorithm(of key: JWK) -> JWK.Algorithm {
    switch key.curve?.rawValue {
    case "P-256": .es256
    case "P-384": .es384
    case "P-521": .es512
    case "Ed25519": .eddsa
    default: .rs256
    }
  }
}
