import Foundation
import Holdfast
import HoldfastIdentity
import HoldfastServing
import HoldfastSyncServer
import Testing

/// What arrives with a token of an identity provider, and what it gets.
@Suite struct IdentityServingTests {
  private static func run(_ body: @escaping @Sendable (ServerWorld, Signer, FileProvider) async throws -> Void) async throws {
    let signer = try await Signer.es256("e")
    let provider = try await FileProvider(keySet([signer]))
    try await ServerWorld.run {
      $0.verify = { token, now in try await provider.provider.token(token, now: now) }
      $0.patience = .milliseconds(50)
    } _: { world in
      try await body(world, signer, provider)
    }
  }

  @Test("a valid token pulls, pushes and waits; one that only reads gets 403 for a push, one of another space 404; the store's tokens stay")
  func statuses() async throws {
    try await Self.run { world, signer, _ in
      try world.server.makeSpace("bert")
      let writing = Client(port: world.client.port, token: try signer.token(["role": "writes"]))
      #expect(try await writing.push([book("a")], epoch: world.epoch).head("cursor") == "1")
      #expect(try await writing.pull().lines.count == 2)
      #expect(try await writing.wait(after: "0").head("head") == "1")
      #expect(try await writing.wait(after: "1").head("epoch") == world.epoch)
      let reading = Client(port: world.client.port, token: try signer.token())
      let refused = try await reading.push([book("b")], epoch: world.epoch)
      #expect(refused.status == 403 && refused.head("code") == "read_only")
      #expect(try await reading.pull().status == 200)
      for space in ["bert", "carl"] {
        #expect(try await writing.push([book("a")], epoch: world.epoch, space: space).status == 404)
        #expect(try await writing.pull(space: space).head("code") == "not_found")
      }
      #expect(try await world.push(book("c")).status == 200)
      #expect(try world.keys() == ["a", "c"])
    }
  }

  @Test("a token that is not valid gets 401, and one that ends while it waits; a space that is not there gets 404")
  func refused() async throws {
    try await Self.run { world, signer, _ in
      let other = try await Signer.es256("e")
      let ended = try signer.token(["exp": ServerWorld.now / 1_000])
      for token in [try other.token(), ended, "..", "a.b.c", try signer.token(header: ["alg": "none"])] {
        let client = Client(port: world.client.port, token: token)
        for reply in [try await client.pull(), try await client.pull(space: "carl"), try await client.wait(after: "0")] {
          #expect(reply.status == 401 && reply.headers["www-authenticate"] == "Bearer" && reply.head("code") == "permission_denied")
        }
      }
      let client = Client(port: world.client.port, token: try signer.token(["space": "carl", "role": "writes"]))
      #expect(try await client.pull(space: "carl").status == 404)
      #expect(try await client.send("GET", "/v1/spaces/carl/wait?after=0").status == 404)
      #expect(try await client.push([book("a")], epoch: world.epoch, space: "carl").status == 404)
    }
  }

  @Test("a poll whose token ends meanwhile is answered with 401")
  func endsWhileWaiting() async throws {
    let signer = try await Signer.es256("e")
    let provider = try await FileProvider(keySet([signer]))
    let clock = Clock()
    try await ServerWorld.run {
      $0.verify = { token, now in try await provider.provider.token(token, now: now) }
      $0.now = { clock.now }
    } _: { world in
      async let waiting = Client(port: world.client.port, token: signer.token()).wait(after: "0")
      while try await !world.client.send("GET", "/metrics").text.contains("holdfast_waiting_polls 1\n") {}
      clock.now += 600_000
      _ = try await world.push(book("a"))
      #expect(try await waiting.status == 401)
    }
  }

  @Test("a token whose key cannot be looked for gets 503 with Retry-After, and a store that cannot be read, too")
  func unknown() async throws {
    try await Self.run { world, signer, provider in
      try FileManager.default.removeItem(at: provider.file)
      let client = Client(port: world.client.port, token: try await Signer.es256("f").token())
      for reply in [try await client.pull(), try await client.wait(after: "0")] {
        #expect(reply.status == 503 && reply.headers["retry-after"] == "5" && reply.head("code") == "busy")
      }
      try world.server.store.close()
      let known = Client(port: world.client.port, token: try signer.token())
      for reply in [try await known.pull(), try await known.wait(after: "0")] { #expect(reply.status == 503) }
    }
  }

  @Test("without a provider a JSON Web Token is a token that nobody has made")
  func without() async throws {
    let signer = try await Signer.es256("e")
    let token = try signer.token()
    try await ServerWorld.run { world in
      let reply = try await Client(port: world.client.port, token: token).pull()
      #expect(reply.status == 401)
    }
  }

  @Test("no log line has a token or a part of one")
  func log() async throws {
    try await Self.run { world, signer, provider in
      let tokens = [
        try signer.token(), try signer.token(["exp": 1]), try await Signer.es256("f").token(), try await Signer.es256("e").token(),
      ]
      for token in tokens { _ = try await Client(port: world.client.port, token: token).pull() }
      try Data().write(to: provider.file)
      for token in tokens { _ = try await Client(port: world.client.port, token: token).wait(after: "0") }
      let lines = world.log.all + provider.log.all
      #expect(lines.filter { $0.contains(" request ") }.count == 8)
      for part in tokens.flatMap({ $0.split(separator: ".") }) { #expect(lines.filter { $0.contains(part) } == []) }
    }
  }
}

/// A clock that a test sets.
private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var milliseconds = ServerWorld.now

  var now: Int64 {
    get { lock.withLock { milliseconds } }
    set { lock.withLock { milliseconds = newValue } }
  }
}
