import Foundation
import Holdfast
import HoldfastSyncServer
import HoldfastTesting
import Testing

/// What another package sees of the server: bytes in, bytes out.
struct ServerFaceTests {
  private static let now: Int64 = 1_764_000_000_000

  private static func server(_ options: StoreOptions = .testing) throws -> SyncServer {
    let server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema], options: options))
    try server.makeSpace("anna")
    return server
  }

  private static func row(_ key: String) -> String { #"{"g":2,"k":"\#(key)","t":"books"}"# }

  private static func push(_ server: SyncServer, _ keys: [String], _ token: String?, in space: String = "anna") async throws -> SyncAnswer {
    let epoch = try await server.store.read { reader in try reader.value("SELECT lineage ->> '$[#-1][0]' FROM sync_space") { try $0.text() }
    }
    let head = #"{"cursor":0,"epoch":"\#(epoch ?? "")","rows":\#(keys.count),"schema":1}"#
    let body = Data(([head] + keys.map(row)).map { $0 + "\n" }.joined().utf8)
    return await server.answer(.push, body, in: space, token: token, now: now)
  }

  @Test("a token opens one space until it is revoked, is stored as its hash only, and its name is free again afterwards")
  func tokens() async throws {
    let server = try Self.server()
    let first = try server.makeToken(for: "anna")
    let reading = try server.makeToken(for: "anna", .reads)
    #expect(first != reading && first.wholeMatch(of: #/[0-9a-f]{64}/#) != nil)
    #expect(try server.tokens().map { "\($0.name) \($0.space) \($0.role)" } == ["anna-1 anna writes", "anna-2 anna reads"])
    let stored = try await server.store.read { reader in try reader.values("SELECT hash FROM sync_token") { try $0.text() } }
    #expect(stored.contains(SHA256Hex.of(Data(first.utf8))) && !stored.contains(first))
    #expect(code { _ = try server.makeToken(for: "anna", name: "anna-1") } == .constraint)
    #expect(code { _ = try server.makeToken(for: "bert") } == .notFound)

    #expect(try await Self.push(server, ["a"], first).status == 200)
    #expect(try await Self.push(server, ["a"], reading).status == 403)
    #expect(await server.head(of: "anna", token: reading, now: Self.now).head == 1)
    // A head can be told later, and a refusal cannot.
    let (head, later) = (await server.head(of: "anna", token: reading, now: Self.now), Self.now + 1)
    let again = await server.head(of: "anna", token: reading, now: later)
    #expect(head.told(now: later).body == again.body && head.body != again.body)
    let refused = await server.head(of: "anna", token: nil, now: Self.now)
    #expect(refused.told(now: later).body == refused.body && refused.told(now: later).status == 401)
    for token in [nil, "", stored[0]] { #expect(try await Self.push(server, ["a"], token).status == 401) }
    try server.makeSpace("bert")
    #expect(try await Self.push(server, ["a"], first, in: "bert").status == 404)
    #expect(await server.head(of: "bert", token: first, now: Self.now).status == 404)
    try server.revokeToken(named: "anna-1")
    #expect(try await Self.push(server, ["a"], first).status == 401)
    #expect(code { try server.revokeToken(named: "anna-1") } == .notFound)
    #expect(try server.makeToken(for: "anna", name: "anna-1") != first)
  }

  @Test(
    "a name has letters, digits and three signs, so that it may stand in a path and in a command",
    arguments: [
      ("anna", true), ("0-_.", true), (String(repeating: "a", count: 100), true), (String(repeating: "a", count: 101), false), ("", false),
      (".a", false), ("-a", false), ("a/b", false), ("Anna", false), ("ä", false), ("a b", false), ("a\n", false), ("a%", false),
    ])
  func names(_ name: String, _ isName: Bool) throws {
    let server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    #expect(code { try server.makeSpace(name) } == (isName ? nil : .invalidValue))
    #expect(try server.spaces().map(\.name) == (isName ? [name] : []))
    if isName { #expect(code { try server.makeSpace(name) } == .constraint) }
  }

  @Test("a list of spaces says what they hold; a new epoch begins in one or in all, and only pushes that change a row are counted")
  func spaces() async throws {
    let server = try Self.server()
    try server.makeSpace("bert")
    let token = try server.makeToken(for: "anna")
    for keys in [["a", "b"], ["b"], ["c"]] { _ = try await Self.push(server, keys, token) }
    let before = try server.spaces()
    #expect(before.map { "\($0.name) \($0.head) \($0.rows) \($0.bytes)" } == ["anna 2 3 81", "bert 0 0 0"])
    #expect(try server.pushCount() == 2)
    try server.beginEpoch(in: "bert")
    #expect(try server.spaces().map(\.epoch)[0] == before[0].epoch)
    try server.beginEpoch()
    #expect(try Set(server.spaces().map(\.epoch) + before.map(\.epoch)).count == 4)
    #expect(code { try server.beginEpoch(in: "carl") } == .notFound)
  }

  @Test("a body of the other verb and one that is no request get 400")
  func wrongVerb() async throws {
    let server = try Self.server()
    let token = try server.makeToken(for: "anna")
    let pull = Data("{\"cursor\":0,\"schema\":1}\n".utf8)
    #expect(await server.answer(.pull, pull, in: "anna", token: token, now: Self.now).status == 200)
    #expect(await server.answer(.push, pull, in: "anna", token: token, now: Self.now).status == 400)
    #expect(await server.answer(.pull, Data(), in: "anna", token: token, now: Self.now).status == 400)
    let push = Data("{\"cursor\":0,\"epoch\":\"e\",\"rows\":0,\"schema\":1}\n".utf8)
    #expect(await server.answer(.pull, push, in: "anna", token: token, now: Self.now).status == 400)
  }

  @Test("an error of the store is 503, whatever its code says of the store, and its message stays on the server")
  func failures() async throws {
    let server = try Self.server()
    let token = try server.makeToken(for: "anna")
    try await server.store.write { tx in
      _ = try tx.execute("CREATE TRIGGER refuse BEFORE INSERT ON sync_row BEGIN SELECT RAISE(ABORT, 'secret'); END")
    }
    let refused = try await Self.push(server, ["a"], token)
    #expect(
      refused.status == 503 && refused.problem?.code == .constraint && !String(decoding: refused.body, as: UTF8.self).contains("secret"))
    try server.store.close()
    let closed = await server.head(of: "anna", token: token, now: Self.now)
    #expect(closed.status == 503 && closed.problem?.code == .closed)
  }

  @Test("pushes at the same time each have their own answer, and one that fails undoes nothing of the others")
  func atTheSameTime() async throws {
    let server = try Self.server()
    let token = try server.makeToken(for: "anna")
    try await server.store.write { tx in
      _ = try tx.execute("CREATE TRIGGER refuse BEFORE INSERT ON sync_row WHEN new.key = '7' BEGIN SELECT RAISE(ABORT, 'no'); END")
    }
    let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
      for number in 0..<20 { group.addTask { (number, try await Self.push(server, ["\(number)", "with \(number)"], token).status) } }
      return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
    }
    #expect(statuses.count == 20 && statuses.filter { $0.value != 200 } == [7: 503])
    #expect(try server.spaces().map(\.rows) == [38])
    #expect(try await server.store.integrityCheck().findings == [])
  }

  @Test("a push is answered after its commit: one whose commit fails is 503, and nothing of it is stored")
  func failedCommit() async throws {
    let server = try Self.server()
    let token = try server.makeToken(for: "anna")
    try await server.store.write { tx in
      try tx.execute("CREATE TABLE late (space TEXT REFERENCES sync_space (space) DEFERRABLE INITIALLY DEFERRED) STRICT")
      try tx.execute("CREATE TRIGGER breaks AFTER INSERT ON sync_row BEGIN INSERT INTO late (space) VALUES ('nobody'); END")
    }
    #expect(try await Self.push(server, ["a"], token).status == 503)
    #expect(try server.spaces().map(\.rows) == [0])
  }

  @Test("a backup is the store at one commit, never overwrites, and the check finds a wrong digest in it")
  func copies() async throws {
    let folder = try TemporaryFolder()
    let (url, copy) = (folder.file("server.sqlite"), folder.file("copy.sqlite"))
    #expect(code { try SyncServer.backUp(url, to: copy) } == .notFound)
    let server = SyncServer(try Store.open(at: url, schemas: [SyncServer.schema]))
    try server.makeSpace("anna")
    _ = try await Self.push(server, ["a"], try server.makeToken(for: "anna"))
    try SyncServer.backUp(url, to: copy)
    #expect(code { try SyncServer.backUp(url, to: copy) } == .cannotCreate)
    #expect(try SyncServer.check(at: url).findings == [] && SyncServer.check(at: copy).findings == [])
    try server.store.close()
    let copied = SyncServer(try Store.open(at: copy, schemas: [SyncServer.schema]))
    #expect(try copied.spaces().map(\.head) == [1])
    try await copied.store.write { tx in _ = try tx.execute("UPDATE sync_space SET digest = digest + 1") }
    try copied.store.close()
    #expect(try SyncServer.check(at: copy).findings.map(\.row) == ["anna"])
  }
}
