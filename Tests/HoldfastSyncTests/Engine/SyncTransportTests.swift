import Foundation
import Holdfast
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("Sync over HTTP", .timeLimit(.minutes(10)))
struct SyncTransportTests {
  /// The core of a server behind real HTTP, for the token `secret`.
  private static func serve(_ world: SyncedNotes) throws -> LoopbackServer {
    try LoopbackServer { [server = world.server] request in
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      let isWelcome = request.headers["authorization"] == "Bearer secret"
      do {
        guard isWelcome else {
          return Self.answer(SyncResponse(.failed(StoreError(.permissionDenied, "no such token")), now: now, epoch: ""))
        }
        switch (request.method, request.path) {
        case ("POST", "/v1/spaces/anna/pull"), ("POST", "/v1/spaces/anna/push"):
          return Self.answer(try server.answer(SyncRequest(body: request.body), in: "anna", now: now))
        case ("POST", _): return Self.answer(try server.answer(SyncRequest(body: request.body), in: "nobody", now: now))
        default: return .respond(503, body: "")
        }
      } catch {
        return Self.answer(SyncResponse(.failed(StoreError(error)), now: now, epoch: ""))
      }
    }
  }

  private static func answer(_ response: SyncResponse) -> LoopbackServer.Answer {
    .respond(response.status, body: String(decoding: response.body, as: UTF8.self))
  }

  private static func device(_ server: LoopbackServer, space: String = "anna", token: String? = "secret") async throws
    -> (store: Store, sync: StoreSync)
  {
    let store = try SyncedNotes.store()
    let sync = try StoreSync(store, server: .init(server.address, space: space, timeoutSeconds: 10) { token })
    try await sync.connect(.merge)
    return (store, sync)
  }

  @Test("two devices share a note over real HTTP")
  func overHTTP() async throws {
    let world = try SyncedNotes()
    let server = try Self.serve(world)
    defer { server.stop() }
    let (first, second) = (try await Self.device(server), try await Self.device(server))
    try first.store.add("n1", "é / \u{1F4D6}")
    try await finish(first.sync, second.sync)
    #expect(try second.store.notes() == ["n1 é / \u{1F4D6}"])
    #expect(server.requests.map { "\($0.method) \($0.path)" } == ["pull", "push", "pull"].map { "POST /v1/spaces/anna/\($0)" })
  }

  @Test("a push of more than 1 KB goes as gzip")
  func zipped() async throws {
    let world = try SyncedNotes()
    let server = try Self.serve(world)
    defer { server.stop() }
    let (first, second) = (try await Self.device(server), try await Self.device(server))
    let title = String(repeating: "long ", count: 10_000)
    try first.store.add("n1", title)
    try await finish(first.sync, second.sync)
    #expect(try second.store.notes() == ["n1 " + title])
    #expect(server.requests.map { $0.headers["content-encoding"] } == [nil, "gzip", nil])
  }

  @Test("a token that is not accepted is permissionDenied, a space that is not there notFound; the edit waits")
  func refusals() async throws {
    let world = try SyncedNotes()
    let server = try Self.serve(world)
    defer { server.stop() }
    for (space, token, code) in [("anna", "other", StoreError.Code.permissionDenied), ("ot/to", "secret", .notFound)] {
      let (store, sync) = try await Self.device(server, space: space, token: token)
      try store.add("n1")
      let error = await #expect(throws: StoreError.self) { try await sync.finish() }
      #expect(error?.code == code && error?.recoverySuggestion?.contains("file") == false)
      #expect(try sync.status().pending == 1 && sync.status().problem?.code == code)
    }
    #expect(server.requests.map(\.path) == ["/v1/spaces/anna/pull", "/v1/spaces/ot%2Fto/pull"])
  }

  @Test(
    "what is no answer of a server is told by its code, and changes nothing",
    arguments: [
      (LoopbackServer.Answer.respond(200, body: "<html>"), StoreError.Code.inputOutput), (.respond(404, body: "<html>"), .inputOutput),
      (.respond(401, body: ""), .permissionDenied), (.respond(403, body: ""), .permissionDenied), (.respond(503, body: ""), .busy),
      (.respond(429, body: ""), .busy), (.respond(302, headers: ["Location": "http://127.0.0.1:1"], body: ""), .inputOutput),
      (.cut, .inputOutput), (.cutAnswer, .inputOutput), (.drip, .inputOutput), (.hang, .inputOutput),
      (.zipped(200, body: Data(count: 20 << 20)), .inputOutput),
      (.respond(426, body: "{\"epoch\":\"e1\",\"now\":1}\n"), .newerSchema),
      (.respond(413, body: "{\"code\":\"invalid_value\",\"epoch\":\"e1\",\"message\":\"large\",\"now\":1}\n"), .invalidValue),
      (.respond(503, body: "{\"code\":\"disk_full\",\"epoch\":\"e1\",\"message\":\"full\",\"now\":1}\n"), .inputOutput),
    ])
  func foreign(answer: LoopbackServer.Answer, code: StoreError.Code) async throws {
    let server = try LoopbackServer { _ in answer }
    defer { server.stop() }
    let store = try SyncedNotes.store()
    let isSlow =
      switch answer {
      case .drip, .hang: true
      default: false
      }
    let sync = try StoreSync(store, server: .init(server.address, space: "anna", timeoutSeconds: isSlow ? 0.5 : 10) { "secret" })
    try await sync.connect(.merge)
    try store.add("n1")
    let error = await #expect(throws: StoreError.self) { try await sync.finish() }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(try store.notes() == ["n1 old"] && sync.status().pending == 1)
  }

  @Test("how long a server or a proxy asks to wait comes with its refusal", arguments: [429, 503])
  func retryAfter(status: Int) async throws {
    for body in ["", "{\"code\":\"busy\",\"epoch\":\"\",\"message\":\"later\",\"now\":1}\n"] {
      let server = try LoopbackServer { _ in .respond(status, headers: ["Retry-After": "7"], body: body) }
      defer { server.stop() }
      let transport = StoreSync.Server(server.address, space: "anna") { "secret" }.transport
      let reply = try await transport.ask(SyncRequest(.pull, epoch: nil, cursor: 0, schema: 1))
      #expect(reply.retryAfterSeconds == 7)
    }
  }

  @Test("news are asked for behind the device's cursor")
  func news() async throws {
    let server = try LoopbackServer { request in request.path.hasSuffix("?after=7") ? .respond(204, body: "") : .respond(503, body: "") }
    defer { server.stop() }
    let wait = StoreSync.Server(server.address, space: "anna") { "secret" }.transport.wait
    try await wait(7)
    #expect(await asyncCode { try await wait(8) } == .inputOutput)
    #expect(server.requests.map(\.path) == ["/v1/spaces/anna/wait?after=7", "/v1/spaces/anna/wait?after=8"])
  }
}
