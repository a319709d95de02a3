import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("The key of the API while sending", .timeLimit(.minutes(10))) struct SyncKeyTests {
  /// With what JSON escapes, and what base64 has in two alphabets.
  private static let key = #"sk/live-"é"~~??-7"#

  /// A text with the key in it, in each form in which a server may repeat it: as a member of JSON, quoted.
  struct Echo: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var quoted: String
  }

  private static func escaped(_ text: String) -> String {
    "\"" + text.utf16.map { "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) + String($0, radix: 16) }.joined() + "\""
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).canonicalText() }

  static let echoes: [Echo] = {
    let url = base64("key=" + key).replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    var echoes = [
      Echo(testDescription: "as it is", quoted: quoted("no, \(key) is wrong")),
      Echo(testDescription: "every letter escaped", quoted: escaped("Bearer \(key)")),
      Echo(testDescription: "slashes escaped", quoted: quoted("Bearer \(key)").replacingOccurrences(of: "/", with: "\\/")),
      Echo(testDescription: "base64 of a header, for URLs, not filled up", quoted: quoted(url.replacingOccurrences(of: "=", with: ""))),
      Echo(testDescription: "base64 of base64", quoted: quoted(base64(base64(key)))),
      Echo(testDescription: "base64 of escaped JSON", quoted: quoted(base64("{\"key\":\(escaped(key))}"))),
      Echo(testDescription: "escaped in a text that is no JSON", quoted: quoted("request: {\"key\":\(quoted(key)),…")),
      Echo(testDescription: "JSON in a text", quoted: quoted("{\"key\":\(escaped(key))}")),
    ]
    for shift in 0..<3 {
      let text = base64(String(repeating: "a", count: shift) + key)
      echoes.append(Echo(testDescription: "base64, \(shift) letters behind its beginning", quoted: quoted("basic " + text)))
    }
    return echoes
  }()

  private static func service(
    _ world: World, _ server: LoopbackServer, _ kinds: Set<SyncedKind> = Set(SyncedKind.allCases)
  ) -> DataSyncService {
    var options = SyncOptions(deviceID: "device")
    options.jitter = { 1 }
    options.kinds = kinds
    return DataSyncService(world.inference, client: URLSessionClient(server.address) { key }, options: options)
  }

  /// Nothing in the whole file has the key, in any form that it was sent back in.
  private static func expectNoKey(_ world: World, _ echo: Echo, _ error: StoreError?) throws {
    var texts = ["\(String(describing: error)) \(error?.recoverySuggestion ?? "") \(error?.failureReason ?? "")"]
    texts.append("\(try world.inference.syncStatus())")
    for table in try world.store.rows("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") {
      let columns = try world.store.rows("SELECT name FROM pragma_table_info(\(table))")
      texts += try world.store.rows("SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: table)", columns: columns.count)
    }
    let all = texts.joined(separator: "\n")
    let inner = [String: JSONValue](json: "{\"a\":\(echo.quoted)}")?.string("a") ?? ""
    for form in [key, inner, String(echo.quoted.dropFirst().dropLast())] { #expect(!form.isEmpty && !all.contains(form), "\(all)") }
  }

  private static func world() throws -> World {
    let world = try SentRows.telemetry.world(2)
    try world.inference.setPreference("1", named: "theme")
    return world
  }

  @Test("a server that repeats the key as a reason puts it nowhere", arguments: echoes)
  func reason(echo: Echo) async throws {
    let world = try Self.world()
    let server = try LoopbackServer { request in
      guard request.path == "/v1/sync/telemetry" else { return TablesAPI().answer(request) }
      return .respond(
        200, body: #"{"accepted":["row-02"],"rejected":["row-01"],"errors":[{"id":"row-01","message":\#(echo.quoted)}]}"#)
    }
    defer { server.stop() }
    let service = Self.service(world, server)
    _ = try await service.sync()
    #expect(try SentRows.telemetry.pending(in: world) == 1, "what is not the key is read")
    for _ in 2...DataSyncService.mostTries { _ = try await service.sync() }
    #expect(try await world.inference.syncStatus().setAside.map(\.reason) == ["the server rejected it: (secret)"])
    try Self.expectNoKey(world, echo, nil)
  }

  @Test("a server that repeats the key in what it refuses everything with puts it in no error", arguments: echoes)
  func refusal(echo: Echo) async throws {
    let world = try Self.world()
    let server = try LoopbackServer { request in
      let error = #"{"id":"row-01","message":\#(echo.quoted)},{"id":"row-02","message":\#(echo.quoted)}"#
      return request.method == "GET" ? .respond(404) : .respond(200, body: #"{"accepted":0,"rejected":2,"errors":[\#(error)]}"#)
    }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await Self.service(world, server, [.telemetry]).sync() }
    #expect(error?.message.contains("took nothing of telemetry") == true)
    try Self.expectNoKey(world, echo, error)
  }

  @Test("a row with a secret in it is sent to nobody, in no table, and is set aside with the reason")
  func rowWithSecret() async throws {
    let world = try SentRows.preferences.world(1)
    var (configuration, model, session) = (Sample.configuration, Sample.model, Sample.session)
    configuration.baseURL = nil
    configuration.storage.directoryName = "https://me:geheim@host"
    model.description = "from https://me:geheim@host/"
    session.modelID = "https://host/?api_key=geheim"
    try await world.inference.save(configuration)
    try await world.inference.save(model)
    try await world.inference.save(session)
    // As an app before this one may have stored it, or another program.
    try await world.store.write { try $0.insert(UserPreference(name: "api_key", value: #""geheim""#, createdAt: Sample.date)) }
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let service = Self.service(world, server)
    for _ in 1...DataSyncService.mostTries { _ = try await service.sync() }
    #expect(server.requests.allSatisfy { !Traces.stands("geheim", in: String(decoding: $0.body, as: UTF8.self)) })
    let setAside = try await world.inference.syncStatus().setAside
    #expect(setAside.map(\.kind).sorted() == ["configuration", "generation_sessions", "model_metadata", "user_preferences"])
    #expect(setAside.allSatisfy { $0.reason.hasPrefix("there is a secret in") })
  }

  @Test("a row with the key in it is sent to nobody, and is set aside with the reason when others are taken")
  func rowWithKey() async throws {
    let world = try SentRows.preferences.world(3)
    try await world.inference.setPreference(Self.quoted("Bearer \(Self.key)"), named: "row-00")
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = Self.service(world, server, [.preferences])
    for round in 1...5 {
      if round > 1 { try await world.inference.setPreference("\(round)", named: "row-01") }
      _ = try? await service.sync()
    }
    let status = try await world.inference.syncStatus()
    #expect(status.setAside.map { [$0.id, $0.reason] } == [["row-00", "it holds the key of the API, and is not sent"]])
    #expect(status.pending["user_preferences"] == nil)
    for request in server.requests { #expect(!Traces.stands(Self.key, in: String(decoding: request.body, as: UTF8.self))) }
  }

  @Test("a conflict with the key in it is kept without it", arguments: echoes)
  func conflict(echo: Echo) async throws {
    let world = try Self.world()
    let api = TablesAPI(
      conflicts: #"[{"field":"routing.policy","localValue":\#(echo.quoted),"serverValue":"automatic","resolution":"useServer"}]"#)
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    _ = try await Self.service(world, server).sync()
    #expect(try await world.inference.syncConflicts().items.map(\.lostValue) == [#""(secret)""#])
    try Self.expectNoKey(world, echo, nil)
  }

  @Test("a configuration and a catalogue with the key in it are not taken, which is told, and everything else is sent", arguments: echoes)
  func pull(echo: Echo) async throws {
    let world = try Self.world()
    let before = try await world.inference.configuration()
    let api = TablesAPI(pages: [
      "/v1/configuration": #"{"id":"default","data":{"routing":{"policy":\#(echo.quoted)}},"lastModified":900000000}"#,
      "/v1/models?page=1&pageSize=100":
        #"{"models":[{"id":"m","name":"m","framework":"MLX","author":\#(echo.quoted),"updatedAt":900000000}]}"#,
    ])
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await Self.service(world, server).sync() }
    #expect(error?.message == "the answer to /v1/configuration holds the key of the API")
    #expect(try await world.inference.configuration() == before)
    #expect(try await world.inference.models() == [])
    #expect(try await world.inference.syncStatus().pending == [:])
    try Self.expectNoKey(world, echo, error)
  }

  @Test("an answer without the key stays as it is, byte for byte; one that is no JSON, and has it, is empty")
  func untouched() throws {
    let echo = try #require(KeyEcho(Self.key))
    for text in [#"{ "a" : "sk/live" , "b":[1.0, "é", null] }"#, "<html>no</html>", "", #"{"a":1,"a":2}"#] {
      let (body, heldKey) = echo.cleaned(Data(text.utf8))
      #expect(body == Data(text.utf8) && !heldKey, "\(text)")
    }
    let (body, heldKey) = echo.cleaned(Data("<html>\(Self.key)</html>".utf8))
    #expect(body.isEmpty && heldKey)
    #expect(KeyEcho("a model") == nil, "so short a key is in everything")
  }

  @Test(
    "a body with the key that is no JSON of this API, or names it twice, reaches nothing",
    arguments: ["<html>KEY</html>", #"{"KEY":1,"KEY":2}"#, "KEY"])
  func noJSON(body: String) async throws {
    let world = try Self.world()
    let text = body.replacingOccurrences(of: "KEY", with: String(Self.quoted(Self.key).dropFirst().dropLast()))
    let server = try LoopbackServer { $0.method == "GET" ? .respond(404) : .respond(200, body: text) }
    defer { server.stop() }
    let error = await #expect(throws: StoreError.self) { try await Self.service(world, server).sync() }
    try Self.expectNoKey(world, Echo(testDescription: "", quoted: Self.quoted(Self.key)), error)
  }

  @Test("why the key cannot be had is the last error of the status, and the next attempt waits")
  func source() async throws {
    struct Locked: LocalizedError { var errorDescription: String? { "the keychain is locked" } }
    let errors: [any Error] = [Locked(), StoreError(.wrongKey, "the secret was sealed with another key")]
    for thrown in errors {
      let world = try Self.world()
      let server = try LoopbackServer { TablesAPI().answer($0) }
      defer { server.stop() }
      let client = URLSessionClient(server.address) { throw thrown }
      let service = DataSyncService(world.inference, client: client, options: SyncOptions(deviceID: "device"))
      let error = await #expect(throws: StoreError.self) { try await service.sync() }
      let status = try await world.inference.syncStatus()
      #expect(status.lastError == error?.message && status.lastError?.isEmpty == false && status.retryAt != nil)
      #expect(error?.message.contains("keychain") == (thrown is Locked))
      #expect(server.requests.isEmpty)
    }
  }

  @Test("an address that is not private is the last error of the status")
  func plain() async throws {
    let world = try Self.world()
    let address = try #require(URL(string: "http://user:sk-live-9@api.example.com"))
    let service = DataSyncService(
      world.inference, client: URLSessionClient(address) { Self.key }, options: SyncOptions(deviceID: "device"))
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.code == .misuse && error?.message.contains("http://api.example.com") == true)
    #expect(try await world.inference.syncStatus().lastError == error?.message)
    #expect("\(String(describing: error))".contains("sk-live-9") == false)
  }

  @Test("an attempt that is ended by the app is no failure, wherever it waits", arguments: ["key", "answer", "client"])
  func cancelled(place: String) async throws {
    struct Ending: APIClient { func send(_ request: APIRequest) async throws -> APIResponse { throw CancellationError() } }
    let world = try Self.world()
    let server = try LoopbackServer { _ in .hang }
    defer { server.stop() }
    let client: any APIClient =
      switch place {
      case "key": URLSessionClient(server.address) { throw CancellationError() }
      case "client": Ending()
      default: URLSessionClient(server.address) { Self.key }
      }
    let service = DataSyncService(world.inference, client: client, options: SyncOptions(deviceID: "device"))
    let attempt = Task { try await service.sync() }
    if place == "answer" {
      while server.requests.isEmpty { await Task.yield() }
      await service.stop()
    }
    await #expect(throws: CancellationError.self) { try await attempt.value }
    let status = try await world.inference.syncStatus()
    #expect(status.lastError == nil && status.retryAt == nil && status.pending[TelemetryEvent.table] == 2)
  }
}
