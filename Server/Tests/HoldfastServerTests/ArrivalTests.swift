import Foundation
import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Testing

/// What arrives, and what it gets.
@Suite struct ArrivalTests {
  @Test("a row that one device pushes, another one pulls; a later value wins, and the answer has it")
  func pushAndPull() async throws {
    try await ServerWorld.run { world in
      let pushed = try await world.push(book("b"), book("a"))
      #expect(pushed.status == 200 && pushed.head("cursor") == "1")
      #expect(try await world.client.push([book("a", title: "Old", at: 5)], epoch: world.epoch).text.contains("Emma"))
      let pulled = try await world.client.pull()
      #expect(pulled.status == 200 && pulled.head("epoch") == world.epoch && pulled.head("now") == "\(ServerWorld.now)")
      #expect(
        pulled.lines.dropFirst().map(String.init)
          == ["a", "b"].map { book($0).replacingOccurrences(of: #","t":"books""#, with: #","q":1,"t":"books""#) })
    }
  }

  @Test("no, an unknown and a revoked token get 401; a token of another space 404; a token that only reads may pull, and not push")
  func tokens() async throws {
    try await ServerWorld.run { world in
      try world.server.makeSpace("bert")
      let reading = try world.server.makeToken(for: "anna", .reads, name: "kiosk")
      for token in [nil, "", "x", String(repeating: "0", count: 64)] {
        let client = Client(port: world.client.port, token: token)
        for reply in [try await client.pull(), try await client.pull(space: "carl"), try await client.wait(after: "0")] {
          #expect(reply.status == 401 && reply.headers["www-authenticate"] == "Bearer" && reply.head("code") == "permission_denied")
        }
      }
      for space in ["bert", "carl"] {
        #expect(try await world.client.push([book("a")], epoch: world.epoch, space: space).status == 404)
        #expect(try await world.client.pull(space: space).head("code") == "not_found")
      }
      let kiosk = Client(port: world.client.port, token: reading)
      #expect(try await kiosk.pull().status == 200)
      #expect(try await kiosk.push([book("a")], epoch: world.epoch).status == 403)
      try world.server.revokeToken(named: "kiosk")
      #expect(try await kiosk.pull().status == 401)
      #expect(try world.keys() == [])
    }
  }

  @Test("a body over 1 MB or 1,000 rows gets 413, and nothing is applied")
  func tooLarge() async throws {
    try await ServerWorld.run { world in
      let rows = (0...1_000).map { book("\($0)") }
      #expect(try await world.client.push(rows, epoch: world.epoch).status == 413)
      let body = Data(repeating: UInt8(ascii: "x"), count: 1_048_577)
      let plain = try await world.client.send("POST", "/v1/spaces/anna/push", body: body)
      #expect(plain.status == 413 && plain.head("code") == "invalid_value")
      let zipped = try #require(Gzip.compressed(body))
      #expect(zipped.count < 10_000)
      let bomb = try await world.client.send("POST", "/v1/spaces/anna/push", headers: ["Content-Encoding": "gzip"], body: zipped)
      #expect(bomb.status == 413)
      #expect(try world.keys() == [])
      #expect(try await world.client.push(Array(rows.dropLast()), epoch: world.epoch).status == 200)
    }
  }

  @Test("bad gzip gets 400, and so does a body that is not whole; good gzip is read, and sent to who takes it")
  func gzip() async throws {
    try await ServerWorld.run { world in
      let body = Data(
        "{\"cursor\":0,\"epoch\":\"\(world.epoch)\",\"rows\":1,\"schema\":1}\n\(book("a", title: String(repeating: "x", count: 2_000)))\n"
          .utf8)
      func push(_ body: Data, _ encoding: String = "gzip") async throws -> Reply {
        try await world.client.send("POST", "/v1/spaces/anna/push", headers: ["Content-Encoding": encoding], body: body)
      }
      let zipped = try #require(Gzip.compressed(body))
      for wrong in [body, zipped.dropLast(), zipped + [0], Data()] { #expect(try await push(wrong).status == 400) }
      #expect(try await push(zipped, "br").status == 400)
      #expect(try await push(body.dropLast(30), "identity").status == 400)
      #expect(try world.keys() == [])
      #expect(try await push(zipped).status == 200)
      let request = Data("{\"cursor\":0,\"schema\":1}\n".utf8)
      let reply = try await world.client.send("POST", "/v1/spaces/anna/pull", headers: ["Accept-Encoding": "br, gzip"], body: request)
      #expect(reply.headers["content-encoding"] == "gzip" && reply.body.count < 400)
      #expect(try Gzip.expanded(reply.body, limit: 1 << 20) == (try await world.client.pull()).body)
    }
  }

  @Test("a line that is no row gets 400 with the number of the line, and nothing is applied")
  func noRow() async throws {
    try await ServerWorld.run { world in
      let reply = try await world.push(book("a"), #"{"g":1}"#)
      #expect(reply.status == 400 && reply.head("code") == "invalid_source" && reply.head("message")?.hasPrefix("line 3: ") == true)
      for body in ["", "[]", "{\"cursor\":0,\"schema\":1}"] {
        #expect(try await world.client.send("POST", "/v1/spaces/anna/push", body: Data(body.utf8)).status == 400)
      }
      let push = "{\"cursor\":0,\"epoch\":\"\(world.epoch)\",\"rows\":0,\"schema\":1}\n"
      #expect(try await world.client.send("POST", "/v1/spaces/anna/pull", body: Data(push.utf8)).status == 400)
      #expect(try await world.client.wait(after: "x").status == 400)
      #expect(try world.keys() == [])
    }
  }

  @Test("a row over its limits or the quota is refused with a code, and the others are applied")
  func limits() async throws {
    var limits = SyncLimits()
    (limits.rowBytes, limits.rows) = (200, 2)
    try await ServerWorld.run(limits: limits) { world in
      let reply = try await world.push(book("a", title: String(repeating: "x", count: 200)), book("b"), book("c"), book("d"))
      #expect(reply.status == 200)
      #expect(reply.lines.first?.contains(#""refused":[["books","a","row_too_large"],["books","d","quota"]]"#) == true)
      #expect(try world.keys() == ["b", "c"])
    }
  }

  @Test("a stamp from the future gets 422 with the server's time, an old schema 426, an unknown epoch 409; nothing is applied")
  func refusals() async throws {
    try await ServerWorld.run { world in
      let future = try await world.push(book("a"), book("b", at: ServerWorld.now + 120_001))
      #expect(future.status == 422 && future.head("now") == "\(ServerWorld.now)")
      #expect(try await world.client.push([book("a")], epoch: "e9").status == 409)
      try world.server.requireSchema(2, in: "anna")
      #expect(try await world.push(book("a")).status == 426)
      #expect(try await world.client.pull().status == 426)
      #expect(try world.keys() == [])
      #expect(try await world.client.push([book("a")], epoch: world.epoch, schema: 2).status == 200)
    }
  }

  @Test("a new epoch gets 409 with the head at its beginning")
  func newEpoch() async throws {
    try await ServerWorld.run { world in
      _ = try await world.push(book("a"))
      try world.server.beginEpoch()
      let reply = try await world.client.pull(epoch: world.epoch, cursor: 1)
      #expect(reply.status == 409 && reply.head("fork") == "1" && reply.head("epoch") != world.epoch)
    }
  }

  @Test("a full disk gets 503 with Retry-After; nothing is applied, and what is there can be read")
  func fullDisk() async throws {
    try await ServerWorld.run { world in
      _ = try await world.push(book("a"))
      // SQLite takes the number of pages that there are.
      try await world.server.store.write { tx in _ = try tx.execute("PRAGMA max_page_count = 1") }
      let rows = (0..<900).map { book("\($0)") }
      let reply = try await world.client.push(rows, epoch: world.epoch)
      #expect(reply.status == 503 && reply.headers["retry-after"] == "5" && reply.head("code") == "disk_full")
      #expect(try await world.client.pull(epoch: world.epoch).lines.count == 2)
      try await world.server.store.write { tx in _ = try tx.execute("PRAGMA max_page_count = 100000") }
      #expect(try await world.client.push(rows, epoch: world.epoch).status == 200)
    }
  }

  @Test("a store whose file is gone gets 503 with Retry-After, and the answer names no file")
  func lostStore() async throws {
    try await ServerWorld.run { world in
      let url = try #require(world.server.store.url)
      try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("away"))
      let reply = try await world.push(book("a"))
      #expect(reply.status == 503 && reply.headers["retry-after"] == "5")
      #expect(reply.head("message") == "the server cannot answer now" && reply.head("code") == "input_output")
      try FileManager.default.moveItem(at: url.appendingPathExtension("away"), to: url)
      #expect(try world.keys() == [])
    }
  }

  @Test("more requests with one token than the limit get 429 with Retry-After; another token has a limit of its own")
  func rateLimit() async throws {
    try await ServerWorld.run {
      ($0.burst, $0.requestsPerSecond) = (3, 0)
    } _: { world in
      for _ in 0..<3 { #expect(try await world.client.pull().status == 200) }
      let reply = try await world.client.pull()
      #expect(reply.status == 429 && reply.headers["retry-after"] == "1")
      let other = Client(port: world.client.port, token: try world.server.makeToken(for: "anna"))
      #expect(try await other.pull().status == 200)
    }
  }

  @Test("a request for another host gets 421: a page in a browser has no way to a server on this machine")
  func otherHost() async throws {
    try await ServerWorld.run {
      $0.hosts.insert("sync.example.org")
    } _: { world in
      for (host, status) in [("evil.example", 421), ("sync.example.org", 400), ("Sync.Example.org:443", 400), ("[::1]:80", 400)] {
        let reply = try await world.client.send("POST", "/v1/spaces/anna/pull", headers: ["Host": host])
        #expect(reply.status == status, "\(host)")
      }
    }
  }
}
