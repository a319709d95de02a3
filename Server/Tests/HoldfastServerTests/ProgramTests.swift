import Foundation
import Holdfast
import HoldfastSyncServer
import Testing

@Suite(.serialized) struct ProgramTests {
  @Test("spaces and tokens are made, listed and revoked, while a server has the store open")
  func commands() async throws {
    try await Program.run { program in
      #expect(try await program.run("space", "list").status == 66)
      let server = try await program.serve()
      #expect(try await program.run("space", "create", "anna").status == 0)
      #expect(
        try await program.run("space", "create", "anna").errors == "Error: there is a space anna already\n" + Self.tryLine(.constraint))
      #expect(try await program.run("space", "create", "../anna").status == 65)
      #expect(try await program.run("space", "list").out.hasPrefix("anna\t0\t0\t0\t"))
      #expect(try await program.run("token", "create", "bert").status == 66)
      let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      #expect(token.wholeMatch(of: #/[0-9a-f]{64}/#) != nil)
      #expect(try await program.run("token", "create", "anna", "--reads", "--name", "kiosk").status == 0)
      #expect(try await program.run("token", "create", "anna", "--name", "kiosk").status == 65)
      let list = try await program.run("token", "list").out.split(separator: "\n").map { $0.split(separator: "\t").prefix(3) }
      #expect(list == [["anna-1", "anna", "writes"], ["kiosk", "anna", "reads"]])
      let client = Client(port: server.port, token: token)
      #expect(try await client.pull().status == 200)
      #expect(try await program.run("epoch", "bump", "anna").status == 0)
      #expect(try await program.run("token", "revoke", "anna-1").status == 0)
      #expect(try await program.run("token", "revoke", "anna-1").status == 66)
      #expect(try await client.pull().status == 401)
      #expect(await server.end(SIGTERM) == 0)
      #expect(try await program.run("check").out == "no problems\n")
      #expect(try !Data(contentsOf: program.store).contains(Data(token.utf8)))
    }
  }

  private static func tryLine(_ code: StoreError.Code) -> String {
    StoreError(code, "").recoverySuggestion.map { "Try: \($0)\n" } ?? ""
  }

  @Test("a space's limits are shown, changed and reset while a server has the store open; what was refused is taken then")
  func limits() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      let server = try await program.serve()
      let client = Client(port: server.port, token: token)
      func limits(_ options: String...) async throws -> [String] {
        let ended = try await program.run(["space", "limits", "anna"] + options)
        return ended.status == 0 ? ended.out.split(separator: "\n").map(String.init) : [ended.errors]
      }
      #expect(try await limits() == ["rows\t0\t2000000", "bytes\t0\t1073741824", "row-bytes\t\t262144", "min-schema\t\t0"])
      #expect(
        try await limits("--rows", "1", "--bytes", "4gb", "--row-bytes", "1KB")
          == ["rows\t0\t1", "bytes\t0\t4294967296", "row-bytes\t\t1024", "min-schema\t\t0"])
      let epoch = try #require(try await client.pull().head("epoch"))
      let refused = try await client.push([book("a", at: 5), book("b", at: 5)], epoch: epoch)
      #expect(refused.lines.first?.contains(#""refused":[["books","b","quota"]]"#) == true)
      #expect(try await limits("--rows", "2")[0] == "rows\t1\t2")
      let told = try await client.pull(epoch: epoch, cursor: 1)
      #expect(told.status == 409 && told.head("fork") == "1")
      let new = try #require(told.head("epoch"))
      #expect(try await client.push([book("b", at: 5)], epoch: new, cursor: 1).head("cursor") == "2")
      #expect(try await program.run("space", "list").out.hasSuffix("\t2\t4294967296\t1024\n"))
      #expect(
        try await limits("--reset", "--min-schema", "2").map { $0.split(separator: "\t").last } == ["2000000", "1073741824", "262144", "2"])
      #expect(try await client.pull(schema: 1).status == 426)
      #expect(await server.end(SIGTERM) == 0)
    }
  }

  @Test(
    "limits that are no numbers, or contradict each other, are wrong usage; a space that is not there is 66",
    arguments: [
      ["--rows=-1"], ["--rows", "many"], ["--bytes", "1TB"], ["--bytes=-1KB"], ["--bytes", "9223372036854775807KB"], ["--bytes", "KB"],
      ["--min-schema=-1"], ["--reset", "--rows", "5"],
    ])
  func wrongLimits(_ options: [String]) async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      #expect(try await program.run(["space", "limits", "anna"] + options).status == 64)
      #expect(try await program.run("space", "limits", "bert", "--rows", "5").status == 66)
      #expect(try await program.run("space", "limits", "bert").status == 66)
    }
  }

  @Test(
    "an address that other machines reach needs a proxy and its name; without, the program says what to do and exits with 64",
    arguments: [
      ["--listen", "0.0.0.0:0"], ["--listen", "[::]:0"], ["--listen", "0.0.0.0:0", "--host", "a.example"], ["--listen", "nonsense"],
      ["--behind-proxy"], ["--host", "a.example"], ["--nonsense"],
    ])
  func openAddress(_ options: [String]) async throws {
    try await Program.run { program in
      let ended = try await program.run(["serve"] + options)
      #expect(ended.status == 64 && !ended.errors.isEmpty && ended.out.isEmpty)
      if options != ["--nonsense"] { #expect(ended.errors.contains("\nTry: ")) }
      #expect(!FileManager.default.fileExists(atPath: program.store.path))
    }
  }

  @Test("behind a proxy the server listens where it is told, and answers requests for the proxy's name and for this machine only")
  func behindProxy() async throws {
    try await Program.run { program in
      let server = try await program.serve(["--listen", "0.0.0.0:0", "--behind-proxy", "--host", "Sync.example.org"])
      let client = Client(port: server.port)
      for (host, status) in [("sync.example.org", 401), ("localhost", 401), ("evil.example", 421)] {
        let reply = try await client.send("POST", "/v1/spaces/anna/pull", headers: ["Host": host])
        #expect(reply.status == status, "\(host)")
      }
      #expect(await server.end(SIGTERM) == 0)
    }
  }

  @Test("no kill of the server loses a push that it has acknowledged", arguments: 1...3)
  func kills(_ round: Int) async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      var devices: [Client] = []
      let server = try await program.serve()
      for _ in 0..<6 {
        let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
        devices.append(Client(port: server.port, token: token))
      }
      let epoch = try #require(try await devices[0].pull().head("epoch"))
      let (acknowledged, tell) = AsyncStream<String>.makeStream()
      async let pushing: Void = withTaskGroup(of: Void.self) { [devices] group in
        for (device, client) in devices.enumerated() {
          group.addTask {
            var number = 0
            // Until the server is gone.
            while let reply = try? await client.push([book("\(device)-\(number)", at: 5)], epoch: epoch), reply.status == 200 {
              tell.yield("\(device)-\(number)")
              number += 1
            }
          }
        }
        await group.waitForAll()
        tell.finish()
      }
      var keys: Set<String> = []
      for await key in acknowledged {
        keys.insert(key)
        if keys.count == 40 * round { _ = await server.end(SIGKILL) }
      }
      await pushing
      #expect(keys.count >= 40 * round)
      let again = try await program.serve()
      let rows = try await Client(port: again.port, token: devices[0].token).pull(epoch: epoch).text
      #expect(keys.filter { !rows.contains("\"k\":\"\($0)\"") } == [], "the same epoch, and all that was acknowledged")
      #expect(await again.end(SIGTERM) == 0)
      #expect(try await program.run("check").status == 0)
    }
  }

  @Test("a backup put in the store's place begins a new epoch by itself; a device that had seen more is told where to go on")
  func backup() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      var server = try await program.serve()
      let epoch = try #require(try await Client(port: server.port, token: token).pull().head("epoch"))
      _ = try await Client(port: server.port, token: token).push([book("a", at: 5)], epoch: epoch)
      #expect(try await program.run("backup", "copy.sqlite").status == 0)
      #expect(try await program.run("backup", "copy.sqlite").status == 73)
      _ = try await Client(port: server.port, token: token).push([book("b", at: 5)], epoch: epoch)
      #expect(await server.end(SIGTERM) == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: program.folder.path).filter { $0.hasPrefix(".holdfast") } == [])

      try FileManager.default.removeItem(at: program.store)
      try FileManager.default.moveItem(at: program.folder.appendingPathComponent("copy.sqlite"), to: program.store)
      server = try await program.serve()
      let client = Client(port: server.port, token: token)
      let told = try await client.pull(epoch: epoch, cursor: 2)
      #expect(told.status == 409 && told.head("fork") == "1")
      let new = try #require(told.head("epoch"))
      #expect(try await client.push([book("b", at: 5)], epoch: new, cursor: 1).head("cursor") == "2")
      #expect(await server.end(SIGTERM) == 0)
      server = try await program.serve()
      #expect(try await Client(port: server.port, token: token).pull(epoch: new, cursor: 2).status == 200)
      #expect(await server.end(SIGTERM) == 0)
    }
  }

  @Test("the check finds wrong counts and digests, and exits with 2; with wrong counts, the next start has every device compare all rows")
  func wrongCounts() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      let epoch = try #require(try await program.run("space", "list").out.split(separator: "\t").dropFirst(4).first.map(String.init))
      let store = try Store.open(at: program.store, schemas: [SyncServer.schema])
      defer { try? store.close() }
      try await store.write { tx in _ = try tx.execute("UPDATE sync_space SET digest = 7") }
      let ended = try await program.run("check")
      #expect(ended.status == 2)
      #expect(ended.out == "invariants: sync_space: anna: the digest of the space is not the sum over its rows: go back to a backup\n")
      var server = try await program.serve()
      #expect(try await Client(port: server.port, token: token).pull(epoch: epoch).status == 200, "a digest alone changes nothing")
      #expect(await server.end(SIGTERM) == 0)
      #expect(try await program.run("check").status == 2)
      try await store.write { tx in _ = try tx.execute("UPDATE sync_space SET rows = 7") }
      server = try await program.serve()
      let told = try await Client(port: server.port, token: token).pull(epoch: epoch)
      #expect(told.status == 409 && told.head("fork") == nil && told.head("epoch") != epoch)
      #expect(await server.end(SIGTERM) == 0)
      #expect(try await program.run("check").out == "no problems\n")
    }
  }

  @Test("a start that cannot mend wrong counts ends with the error; with right ones it needs no lock, and serves")
  func cannotMend() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let store = try Store.open(at: program.store, schemas: [SyncServer.schema])
      defer { try? store.close() }
      func startWhileLocked() async throws -> Int32 {
        try await store.write { _ -> Int32 in
          do { _ = try program.served() } catch let ended as Program.Ended { return ended.status }
          return 0
        }
      }
      #expect(try await startWhileLocked() == 0)
      try await store.write { tx in _ = try tx.execute("UPDATE sync_space SET rows = 7") }
      #expect(try await startWhileLocked() == 75)
    }
  }

  @Test("a server that is told to end answers the polls that wait, and ends")
  func endsWithPolls() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let token = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      let server = try await program.serve()
      let client = Client(port: server.port, token: token)
      async let waiting = client.wait(after: "0")
      while try await !client.send("GET", "/metrics").text.contains("holdfast_waiting_polls 1\n") {}
      let begun = ContinuousClock.now
      #expect(await server.end(SIGTERM) == 0)
      #expect(try await waiting.head("head") == "0")
      #expect(ContinuousClock.now - begun < .seconds(15))
    }
  }

  @Test("a port that is taken, and a store of another program, are told in one sentence")
  func cannotServe() async throws {
    try await Program.run { program in
      let server = try await program.serve()
      let ended = try await program.run("serve", "--listen", "127.0.0.1:\(server.port)")
      #expect(ended.status == 1 && ended.errors.contains("Error: 127.0.0.1:\(server.port) cannot be listened at"))
      #expect(await server.end(SIGTERM) == 0)
      let help = try await program.run("serve", "--help").out.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(help.contains("default: 127.0.0.1:8377"), "this machine only")
      let other = program.folder.appendingPathComponent("other.sqlite")
      try Data("no database, but more than a hundred bytes of text: \(String(repeating: "x", count: 100))".utf8).write(to: other)
      #expect(try await program.run("serve", "--store", "other.sqlite").status == 65)
      let kind = program.folder.appendingPathComponent("kind.sqlite")
      let schema = StoreSchema("books", migrations: [Migration("books/001-books", sql: "CREATE TABLE books (id TEXT) STRICT")])
      try Store.open(at: kind, schemas: [schema]).close()
      let before = try Data(contentsOf: kind)
      #expect(try await program.run("serve", "--store", "kind.sqlite").status == 65)
      #expect(try Data(contentsOf: kind) == before)
    }
  }

  @Test("an identity provider's tokens are taken beside those of the store; its options need each other, and a set that can be trusted")
  func identity() async throws {
    try await Program.run { program in
      _ = try await program.run("space", "create", "anna")
      let own = try await program.run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      let signer = try await Signer.eddsa("a")
      let (keys, named) = (
        program.folder.appendingPathComponent("keys.json"), ["--jwt-audience", "holdfast", "--jwt-issuer", "https://id.example"]
      )
      try keySet([signer]).write(to: keys)
      let server = try await program.serve(["--listen", "127.0.0.1:0", "--jwks", keys.path, "--jwt-space-claim", "sub"] + named)
      let end = Int(Date().timeIntervalSince1970) + 600
      for (token, status) in [(own, 200), (try signer.token(["exp": end, "sub": "anna"]), 200), (try signer.token(["sub": "anna"]), 401)] {
        #expect(try await Client(port: server.port, token: token).pull().status == status)
      }
      #expect(await server.end(SIGTERM) == 0)

      let none = program.folder.appendingPathComponent("none.json")
      try Data("{}".utf8).write(to: none)
      let wrong: [([String], Int32)] = [
        (["--jwks", keys.path], 64), (["--jwks", keys.path] + named.prefix(2), 64), (named, 64), (["--jwt-issuer", "x"], 64),
        (["--jwks", "http://id.example/keys"] + named, 64), (["--jwks", "missing.json"] + named, 66), (["--jwks", none.path] + named, 65),
      ]
      for (options, status) in wrong {
        let ended = try await program.run(["serve", "--listen", "127.0.0.1:0"] + options)
        #expect(ended.status == status && ended.errors.hasPrefix("Error: ") && ended.out.isEmpty, "\(options)")
      }
    }
  }
}
