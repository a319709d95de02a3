import CryptoExtras
import Foundation
import HoldfastIdentity
import HoldfastSyncServer
import Hummingbird
import JWTKit
import Logging
import Synchronization

/// One key of an identity provider, made for the test.
struct Signer: Sendable {
  let kid: String
  let algorithm: any JWTAlgorithm
  /// Its public half, as a key set has it.
  let published: [String: String]

  static func es256(_ kid: String) async throws -> Signer {
    let key = ES256PrivateKey()
    let parameters = key.publicKey.parameters
    let point = ["x": parameters?.x ?? "", "y": parameters?.y ?? ""].mapValues(Self.urlSafe)
    return Signer(
      kid: kid, algorithm: try await JWTKeyCollection().add(ecdsa: key).getKey(),
      published: point.merging(["kty": "EC", "crv": "P-256", "alg": "ES256", "kid": kid, "use": "sig"]) { $1 })
  }

  static func eddsa(_ kid: String) async throws -> Signer {
    let key = try EdDSA.PrivateKey()
    return Signer(
      kid: kid, algorithm: try await JWTKeyCollection().add(eddsa: key).getKey(),
      published: ["kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": kid, "x": text(key.publicKey.rawRepresentation)])
  }

  static func rs256(_ kid: String) async throws -> Signer {
    let key = try Insecure.RSA.PrivateKey(backing: _RSA.Signing.PrivateKey(keySize: .bits2048))
    let numbers = try key.publicKey.getKeyPrimitives()
    return Signer(
      kid: kid, algorithm: try await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256).getKey(),
      published: ["kty": "RSA", "alg": "RS256", "kid": kid, "n": text(numbers.modulus), "e": text(numbers.publicExponent)])
  }

  /// The claims of a token for the space `anna`, which ends in ten minutes.
  static var claims: [String: Any] {
    let seconds = ServerWorld.now / 1_000
    return ["iss": "https://id.example", "aud": "holdfast", "sub": "anna-1", "space": "anna", "iat": seconds, "exp": seconds + 600]
  }

  /// - Parameters:
  ///   - claims: changes those of `claims`; NSNull takes one away.
  ///   - header: changes `alg` and `kid`.
  ///   - sign: signs the token's first two parts; nil for this key's signature.
  func token(_ claims: [String: Any] = [:], header: [String: Any] = [:], sign: ((Data) throws -> any DataProtocol)? = nil) throws -> String
  {
    let parts = [["alg": algorithm.name, "kid": kid].merging(header) { $1 }, Self.claims.merging(claims) { $1 }]
    let signed = try parts.map { part in
      Self.text(try JSONSerialization.data(withJSONObject: part.filter { !($0.value is NSNull) }, options: .sortedKeys))
    }.joined(separator: ".")
    let signature = try sign?(Data(signed.utf8)) ?? algorithm.sign(Data(signed.utf8))
    return signed + "." + Self.text(Data(signature))
  }

  static func text(_ bytes: Data) -> String { urlSafe(bytes.base64EncodedString()) }

  private static func urlSafe(_ text: String) -> String {
    text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

/// The key set of these keys.
func keySet(_ signers: [Signer], _ more: [[String: String]] = []) throws -> Data {
  try JSONSerialization.data(withJSONObject: ["keys": signers.map(\.published) + more])
}

/// A key set in a file, and the one that verifies by it.
struct FileProvider: Sendable {
  let file: URL
  let provider: IdentityProvider
  let log = LogLines()

  init(_ set: Data) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString).json")
    try set.write(to: file)
    let keys = KeySet(try KeySource(file.path), Logger(label: "test") { [log] _ in LineHandler(lines: log) })
    try await keys.begin(now: ServerWorld.now)
    (self.file, provider) = (file, IdentityProvider(keys, audience: "holdfast", issuer: "https://id.example"))
  }

  /// Such as `anna writes`, `-` for a token that is not valid, `busy` when that cannot be told.
  func told(_ token: String) async -> String { await provider.told(token) }
}

extension IdentityProvider {
  func told(_ token: String, after seconds: Int64 = 0) async -> String {
    do {
      let found = try await self.token(token, now: ServerWorld.now + seconds * 1_000)
      return found.map { "\($0.space) \($0.role.rawValue)" } ?? "-"
    } catch {
      return "busy"
    }
  }
}

/// An identity provider's address on this machine.
final class KeyAddress: Sendable {
  private let state = Mutex((answer: Response(status: .notFound), asked: 0))
  var asked: Int { state.withLock { $0.asked } }

  func answer(_ status: HTTPResponse.Status = .ok, _ body: Data = Data(), headers: HTTPFields = [:]) {
    state.withLock { $0.answer = Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body))) }
  }

  private func asking() -> Response {
    state.withLock {
      $0.asked += 1
      return $0.answer
    }
  }

  /// Answers as long as `body` runs. A set is at `/keys?of=us`.
  func serving(_ body: @escaping @Sendable (_ address: String) async throws -> Void) async throws {
    let router = Router()
    router.get("**") { [self] request, _ in request.uri.string == "/keys?of=us" ? asking() : Response(status: .notFound) }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: Logger(label: "keys") { _ in SwiftLogNoOpLogHandler() })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      group.addTask {
        guard let port = await ports.first(where: { _ in true }) else { return }
        try await body("http://127.0.0.1:\(port)/keys?of=us")
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
