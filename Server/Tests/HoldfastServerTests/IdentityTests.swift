import Crypto
import Foundation
import Holdfast
import HoldfastIdentity
import HoldfastSyncServer
import JWTKit
import Logging
import Testing

/// Tokens of an identity provider, by its key set.
@Suite struct IdentityTests {
  @Test("a token that a key of the set has signed opens its space: ES256, EdDSA and RS256")
  func signed() async throws {
    let signers = [try await Signer.es256("e"), try await Signer.eddsa("d"), try await Signer.rs256("r")]
    let world = try await FileProvider(keySet(signers))
    for signer in signers {
      #expect(await world.told(try signer.token()) == "anna reads", "\(signer.algorithm.name)")
      #expect(await world.told(try signer.token(["role": "writes"])) == "anna writes")
    }
    #expect(await world.told(try signers[0].token(header: ["kid": "d"])) == "-", "another key's name")
    #expect(await world.told(try await Signer.es256("e").token()) == "-", "another key under this name")
  }

  @Test("a token only reads unless the role claim has the word writes: as a text, one of several words, or one of several texts")
  func roles() async throws {
    let signer = try await Signer.eddsa("d")
    let world = try await FileProvider(keySet([signer]))
    for role: Any in ["writes", "openid writes", ["reads", "writes"]] {
      #expect(await world.told(try signer.token(["role": role])) == "anna writes", "\(role)")
    }
    for role: Any in [NSNull(), "", "reads", "overwrites", "Writes", 1, true, [:], [1, 2]] {
      #expect(await world.told(try signer.token(["role": role])) == "anna reads", "\(role)")
    }
  }

  @Test("the claims with the space and the roles have the names that were chosen")
  func names() async throws {
    let signer = try await Signer.eddsa("d")
    let world = try await FileProvider(keySet([signer]))
    let provider = IdentityProvider(
      world.provider.keys, audience: "holdfast", issuer: "https://id.example", spaceClaim: "sub", roleClaim: "https://x.example/scope")
    #expect(await provider.told(try signer.token(["role": "writes"])) == "anna-1 reads")
    #expect(await provider.told(try signer.token(["https://x.example/scope": "writes"])) == "anna-1 writes")
  }

  @Test("exp, aud, iss and the space are needed; nbf is kept to, within a minute")
  func claims() async throws {
    let signer = try await Signer.eddsa("d")
    let world = try await FileProvider(keySet([signer]))
    let now = ServerWorld.now / 1_000
    let valid: [[String: Any]] = [
      ["exp": now + 1], ["exp": Double(now) + 0.5], ["exp": 1e300], ["nbf": now], ["nbf": now + 60], ["aud": ["other", "holdfast"]],
      ["space": ["anna"]], ["sub": NSNull()], ["iat": "x"],
    ]
    for claims in valid { #expect(await world.told(try signer.token(claims)) == "anna reads", "\(claims)") }
    let wrong: [[String: Any]] = [
      ["exp": NSNull()], ["exp": now], ["exp": now - 600], ["exp": "\(now + 600)"], ["exp": true], ["exp": [now + 600]], ["nbf": now + 61],
      ["nbf": "\(now)"], ["aud": NSNull()], ["aud": "other"], ["aud": ["other"]], ["aud": [String]()], ["aud": "Holdfast"],
      ["aud": "holdfast other"], ["iss": NSNull()], ["iss": "https://id.example/"], ["iss": 1], ["space": NSNull()], ["space": 1],
      ["space": ["anna", "bert"]], ["space": [String]()],
    ]
    for claims in wrong { #expect(await world.told(try signer.token(claims)) == "-", "\(claims)") }
  }

  @Test("no token chooses its algorithm: none, an HMAC with the public key as its secret, and another one of the same key are refused")
  func algorithms() async throws {
    let signers = [try await Signer.rs256("r"), try await Signer.es256("e")]
    let world = try await FileProvider(keySet(signers))
    for signer in signers {
      for name in ["none", "None", "NONE", ""] {
        #expect(await world.told(try signer.token(header: ["alg": name]) { _ in Data() }) == "-")
        #expect(await world.told(try signer.token(header: ["alg": name])) == "-", "even with the right signature")
      }
      let secrets = [try JSONSerialization.data(withJSONObject: signer.published)] + signer.published.values.map { Data($0.utf8) }
      for secret in secrets {
        for name in ["HS256", signer.algorithm.name] {
          let token = try signer.token(header: ["alg": name]) { signed in
            Data(HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret)))
          }
          #expect(await world.told(token) == "-")
        }
      }
      for name: Any in ["RS384", "RS512", "PS256", "ES384", "ES256K", "EdDSA", NSNull(), 1] {
        #expect(await world.told(try signer.token(header: ["alg": name])) == "-", "\(name)")
      }
    }
  }

  @Test("a text that is no whole token is refused, and so is one with something in its header that must be understood")
  func noTokens() async throws {
    let signer = try await Signer.es256("e")
    let world = try await FileProvider(keySet([signer]))
    let token = try signer.token()
    let parts = token.split(separator: ".").map(String.init)
    let deep = Signer.text(Data(String(repeating: "[", count: 9_000).utf8))
    let texts = [
      "", ".", "..", "...", "a.b.c", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".", token + ".", "." + token, token + " ",
      String(token.dropLast(8)), token.replacing(".", with: "=."), "\(parts[0]).\(parts[1]).\(parts[2].dropLast(8))AAAAAAAA",
      "\(deep).\(deep).x",
      parts[0] + "." + Signer.text(Data("{}".utf8)) + "." + parts[2], try signer.token(["more": String(repeating: "x", count: 16_000)]),
      try signer.token(header: ["kid": 1]), try signer.token(header: ["crit": ["exp"], "exp": 1]), try signer.token(header: ["crit": 1]),
    ]
    for text in texts { #expect(await world.told(text) == "-", "\(text)") }
    for byte in token.utf8.indices where token.utf8.distance(from: token.startIndex, to: byte) % 7 == 0 {
      var changed = Array(token.utf8)
      changed[token.utf8.distance(from: token.startIndex, to: byte)] ^= 0x03
      #expect(await world.told(String(decoding: changed, as: UTF8.self)) == "-")
    }
  }

  @Test("a number in a header that no Int holds ends no process, and other members of a header mean nothing")
  func strangeHeader() async throws {
    let signer = try await Signer.es256("e")
    let world = try await FileProvider(keySet([signer]))
    let other = try await Signer.es256("e")
    let strange: [String: Any] = ["n": 1e300, "jwk": other.published, "jku": "https://evil.example/keys", "x5c": ["AA=="], "typ": "x"]
    #expect(await world.told(try signer.token(header: strange)) == "anna reads")
    #expect(await world.told(try other.token(header: strange)) == "-")
  }

  @Test("keys without alg have the one of their curve, RSA keys RS256; a key without kid is for tokens without; the rest is left out")
  func keySets() async throws {
    let signers = [try await Signer.es256("e"), try await Signer.eddsa("d"), try await Signer.rs256("r")]
    func without(_ name: String, _ signer: Signer) -> [String: String] { signer.published.filter { $0.key != name } }
    let unnamed = try await FileProvider(keySet([], signers.map { without("alg", $0) }))
    for signer in signers {
      #expect(await unnamed.told(try signer.token(header: ["alg": "RS512"])) == "-")
      #expect(await unnamed.told(try signer.token()) == "anna reads", "also after a token with another algorithm")
      #expect(await unnamed.told(try signer.token(header: ["kid": NSNull()])) == "-")
    }
    let alone = try await FileProvider(keySet([], [without("kid", signers[0])]))
    #expect(await alone.told(try signers[0].token(header: ["kid": NSNull()])) == "anna reads")
    #expect(await alone.told(try signers[0].token()) == "-")
    let strange = [
      ["kty": "oct", "k": "c2VjcmV0", "alg": "HS256", "kid": "o"], ["kty": "EC", "crv": "secp256k1", "kid": "k"], ["kty": "AKP"], [:],
      signers[1].published.merging(["use": "enc"]) { $1 }, ["kty": "RSA", "alg": "RSA-OAEP-256", "kid": "x"],
      ["kty": "RSA", "alg": "RS256", "kid": "small", "n": "AQAB", "e": "AQAB"],
    ]
    let mixed = try await FileProvider(keySet([], strange + [signers[2].published]))
    #expect(await mixed.told(try signers[2].token()) == "anna reads")
    #expect(await mixed.told(try signers[1].token()) == "-", "a key for encryption")
    let hmac = try signers[0].token(header: ["alg": "HS256", "kid": "o"]) { signed in
      Data(HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Data("secret".utf8))))
    }
    #expect(await mixed.told(hmac) == "-")
    #expect(mixed.log.all == ["info the identity provider's keys were read keys=1"])
  }

  @Test("a file counts as soon as it is changed; a broken one changes nothing, an empty set shuts everyone out")
  func file() async throws {
    let (old, new) = (try await Signer.eddsa("a"), try await Signer.eddsa("b"))
    let world = try await FileProvider(keySet([old]))
    let (first, second) = (try old.token(), try new.token())
    func told() async -> String { "\(await world.told(first)), \(await world.told(second))" }
    #expect(await told() == "anna reads, -")
    try keySet([old, new]).write(to: world.file)
    #expect(await told() == "anna reads, anna reads")
    try keySet([new]).write(to: world.file, options: .atomic)
    #expect(await told() == "-, anna reads")
    for broken in ["", "[]", #"{"keys":1}"#, String(repeating: " ", count: 1_048_577)] {
      try Data(broken.utf8).write(to: world.file)
      #expect(await told() == "busy, anna reads")
    }
    try FileManager.default.removeItem(at: world.file)
    #expect(await told() == "busy, anna reads")
    try keySet([]).write(to: world.file)
    #expect(await told() == "-, -")
    #expect(world.log.all.filter { $0.hasPrefix("warning") }.count == 3, "one line for each reason")
  }

  @Test("a file that is missing, or no key set, is told at the start")
  func missing() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString).json")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    #expect(await code { try await KeySet(KeySource(file.path), logger).begin(now: 0) } == .notFound)
    try Data("{}".utf8).write(to: file)
    #expect(await code { try await KeySet(KeySource(file.path), logger).begin(now: 0) } == .invalidSource)
    for address in ["http://id.example/keys", "ftp://127.0.0.1/keys", "https://", "http://127.0.0.1.example/", "https://id.example?keys"] {
      #expect(await code { _ = try KeySource(address) } == .misuse, "\(address)")
    }
  }
}
