import Foundation
import HoldfastIdentity
import Hummingbird
import Logging
import Testing

/// A key set that is fetched.
@Suite struct KeyAddressTests {
  private static func run(_ body: @escaping @Sendable (KeyAddress, IdentityProvider) async throws -> Void) async throws {
    let address = KeyAddress()
    try await address.serving { text in
      let keys = KeySet(try KeySource(text), Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      try await body(address, IdentityProvider(keys, audience: "holdfast", issuer: "https://id.example"))
    }
  }

  @Test("an unknown key is looked for, at most once a minute; a known one needs no request")
  func unknown() async throws {
    try await Self.run { address, provider in
      let (old, new) = (try await Signer.eddsa("a"), try await Signer.eddsa("b"))
      let (first, second) = (try old.token(), try new.token())
      address.answer(.ok, try keySet([old]))
      try await provider.keys.begin(now: ServerWorld.now)
      for _ in 0..<3 { #expect(await provider.told(first) == "anna reads") }
      #expect(await provider.told(second, after: 59) == "-")
      #expect(address.asked == 1)
      address.answer(.ok, try keySet([old, new]))
      #expect(await provider.told(second, after: 59) == "-")
      #expect(await provider.told(second, after: 60) == "anna reads")
      #expect(await provider.told(first, after: 60) == "anna reads")
      #expect(address.asked == 2)
      for _ in 0..<20 { #expect(await provider.told(try old.token(header: ["kid": UUID().uuidString]), after: 61) == "-") }
      #expect(address.asked == 2)
      #expect(await provider.told(try old.token(header: ["alg": "none"]), after: 200) == "-")
      #expect(address.asked == 2, "only an unknown key is asked for")
    }
  }

  @Test("requests at one time share one fetch")
  func together() async throws {
    try await Self.run { address, provider in
      let signer = try await Signer.eddsa("a")
      address.answer(.ok, try keySet([signer]))
      let token = try signer.token()
      let told = await withTaskGroup(of: String.self) { group in
        for _ in 0..<50 { group.addTask { await provider.told(token) } }
        return await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(told == ["anna reads"])
      #expect(address.asked == 1)
    }
  }

  @Test("a set that cannot be fetched leaves the old one; a key that is not in it cannot be judged, and a minute later it can")
  func failing() async throws {
    try await Self.run { address, provider in
      let (old, new) = (try await Signer.eddsa("a"), try await Signer.eddsa("b"))
      let (first, second) = (try old.token(["exp": ServerWorld.now]), try new.token(["exp": ServerWorld.now]))
      address.answer(.internalServerError, try keySet([old]))
      try await provider.keys.begin(now: ServerWorld.now)
      #expect(await provider.told(first) == "busy", "the server has started, and has no key")
      address.answer(.ok, try keySet([old]))
      #expect(await provider.told(first, after: 60) == "anna reads")
      address.answer(.found, try keySet([new]), headers: [.location: "/keys?of=us"])
      #expect(await provider.told(second, after: 120) == "busy", "no redirect is followed")
      address.answer(.ok, Data(repeating: UInt8(ascii: " "), count: 1_048_577))
      #expect(await provider.told(second, after: 180) == "busy")
      #expect(await provider.told(first, after: 180) == "anna reads")
      address.answer(.ok, try keySet([old, new]))
      #expect(await provider.told(second, after: 239) == "busy")
      #expect(await provider.told(second, after: 240) == "anna reads")
      #expect(address.asked == 5)
    }
  }

  @Test("a key that the provider withdraws is gone after an hour: the fetch makes no request wait")
  func withdrawn() async throws {
    try await Self.run { address, provider in
      let signer = try await Signer.eddsa("a")
      let token = try signer.token(["exp": ServerWorld.now])
      address.answer(.ok, try keySet([signer]))
      try await provider.keys.begin(now: ServerWorld.now)
      address.answer(.ok, try keySet([]))
      #expect(await provider.told(token, after: 3_599) == "anna reads")
      #expect(address.asked == 1)
      while await provider.told(token, after: 3_600) != "-" {}
      #expect(address.asked == 2)
    }
  }

  @Test("a provider that gives no answer is not waited for without end")
  func silent() async throws {
    let listener = try KeySource("http://127.0.0.1:1/keys", timeoutSeconds: 0)
    let keys = KeySet(listener, Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    try await keys.begin(now: ServerWorld.now)
    let provider = IdentityProvider(keys, audience: "holdfast", issuer: "https://id.example")
    #expect(await provider.told(try await Signer.eddsa("a").token()) == "busy")
  }
}
