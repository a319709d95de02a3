import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("What comes from the remote API", .timeLimit(.minutes(10))) struct SyncPullTests {
  private static let date = Date(timeIntervalSince1970: 1_754_400_000)

  /// `/v1/configuration` with these members of the SDK's JSON.
  private static func answer(_ members: String, updatedAt date: Date = SyncPullTests.date) -> [String: String] {
    let seconds = date.timeIntervalSinceReferenceDate
    return ["/v1/configuration": #"{"id":"default","data":{\#(members)},"version":"1.0","lastModified":\#(seconds)}"#]
  }

  /// A world with a configuration that the server has acknowledged.
  private static func world(_ change: (inout InferenceConfiguration) -> Void = { _ in }) async throws -> World {
    let world = try World.temporary()
    try await save(change, in: world)
    try await world.store.write { _ = try $0.execute("UPDATE configuration SET acknowledged_revision = revision") }
    return world
  }

  private static func save(_ change: (inout InferenceConfiguration) -> Void, in world: World) async throws {
    var configuration = InferenceConfiguration(createdAt: date)
    configuration.analytics = .init(isEnabled: true, level: .basic, telemetryConsent: .granted)
    change(&configuration)
    try await world.inference.save(configuration)
  }

  /// One attempt against a server with these pages. Returns its report, and what configurations and models came to it.
  private static func sync(
    _ world: World, _ pages: [String: String], conflicts: String = "[]"
  ) async throws -> (report: SyncReport, configurations: Int, models: Int, questions: [String]) {
    let api = TablesAPI(pages: pages, conflicts: conflicts)
    let report = try await api.sync(world)
    return (report, api.came(to: "configuration").count, api.came(to: "models").count, api.questions)
  }

  private static func current(_ world: World) async throws -> InferenceConfiguration? { try await world.inference.configuration() }

  private static func pending(_ world: World) async throws -> [String: Int] { try await world.inference.syncStatus().pending }

  private static func conflicts(_ world: World) async throws -> [SyncConflict] { try await world.inference.syncConflicts().items }

  // MARK: Configuration

  @Test("where people may not override, what the server says holds, though it is older, and does not go back")
  func serverWins() async throws {
    let world = try await Self.world { $0.generation.maxTokens = 300 }
    let pages = Self.answer(
      #""generation":{"defaults":{"maxTokens":999}},"allowUserOverride":false"#, updatedAt: Self.date.addingTimeInterval(-10))
    let done = try await Self.sync(world, pages)
    #expect(done.report.pulled == ["configuration": 1] && done.configurations == 0)
    let configuration = try #require(try await Self.current(world))
    #expect(configuration.generation.maxTokens == 999 && configuration.updatedAt == Self.date)
    #expect(configuration.generation.temperature == 0.7, "what the server does not say stays")
    #expect(try await Self.conflicts(world) == [], "the server had this value, and has replaced it")
    #expect(try await Self.sync(world, pages).report.pulled == [:], "the same again changes nothing")
  }

  @Test("where people may override, the newer edit wins, and what loses is kept", arguments: [true, false])
  func newerWins(isServerNewer: Bool) async throws {
    let world = try await Self.world()
    try await Self.save({ $0.generation.maxTokens = 300 }, in: world)
    let pages = Self.answer(
      #""generation":{"defaults":{"maxTokens":999}},"allowUserOverride":true"#,
      updatedAt: Self.date.addingTimeInterval(isServerNewer ? 10 : -10))
    let done = try await Self.sync(world, pages)
    #expect(try await Self.current(world)?.generation.maxTokens == (isServerNewer ? 999 : 300))
    #expect(done.configurations == 1, "it was edited, and no server has accepted it as it is")
    let lost = try #require(try await Self.conflicts(world).first { $0.field == "generation.defaults.maxTokens" })
    let (value, kept): (String, SyncConflict.Side) = isServerNewer ? ("300", .theirs) : ("999", .ours)
    #expect(lost.lostValue == value && lost.kept == kept && lost.kind == "configuration" && lost.id == "default")
    #expect(try await Self.current(world)?.allowsUserOverride == true, "the rule is the server's to make")
    #expect(try await Self.pending(world)["configuration"] == nil)
  }

  @Test(
    "where people may override, an edit with a new time keeps its field against a newer row; one without loses, and is a conflict",
    arguments: [true, false])
  func editAndServerNewer(hasNewTime: Bool) async throws {
    let world = try await Self.world { $0.allowsUserOverride = true }
    let (edited, newer) = (Self.date.addingTimeInterval(hasNewTime ? 20 : 0), Self.date.addingTimeInterval(10))
    try await Self.save({ ($0.allowsUserOverride, $0.generation.maxTokens, $0.updatedAt) = (true, 300, edited) }, in: world)
    // Whether people may the server does not say this time.
    _ = try await Self.sync(world, Self.answer(#""generation":{"defaults":{"maxTokens":999}}"#, updatedAt: newer))
    let configuration = try #require(try await Self.current(world))
    #expect(configuration.generation.maxTokens == (hasNewTime ? 300 : 999) && configuration.updatedAt == max(edited, newer))
    let lost = try await Self.conflicts(world).map { [$0.field, $0.lostValue ?? "", $0.kept.rawValue] }
    #expect(lost == [["generation.defaults.maxTokens"] + (hasNewTime ? ["999", "ours"] : ["300", "theirs"])])
  }

  private static let open = #"""
    "routing":{"policy":"preferCloud","cloudEnabled":true,"privacyMode":"standard","customRules":"AA==","maxLatencyThreshold":1.5},
    "analytics":{"enabled":true,"level":"verbose","telemetryConsent":"granted","includeDeviceInfo":true,"includeModelInfo":true},
    "generation":{"defaults":{"maxTokens":999}},"storage":{"directoryName":"../elsewhere"},"apiKey":"sk-2","allowUserOverride":false
    """#

  @Test("a server gives no consent, opens no way out of the device, and says not where files are")
  func privacy() async throws {
    let world = try await Self.world { $0.analytics = .init() }
    var expected = try #require(try await Self.current(world))
    _ = try await Self.sync(world, Self.answer(Self.open, updatedAt: Self.date.addingTimeInterval(10)))
    expected.generation.maxTokens = 999
    expected.updatedAt = Self.date.addingTimeInterval(10)
    #expect(try await Self.current(world) == expected)
    let refused = try await Self.conflicts(world)
    #expect(refused.allSatisfy { $0.kept == .ours })
    #expect(
      Set(refused.map(\.field)) == [
        "routing.policy", "routing.cloudEnabled", "routing.privacyMode", "routing.customRules", "routing.maxLatencyThreshold",
        "analytics.enabled", "analytics.level", "analytics.telemetryConsent", "analytics.includeDeviceInfo", "analytics.includeModelInfo",
      ])
  }

  @Test("on a device that knows no configuration yet what comes has private defaults")
  func privacyOfNew() async throws {
    let world = try World.temporary()
    let done = try await Self.sync(world, Self.answer(Self.open))
    #expect(done.configurations == 0 && done.report.pulled == ["configuration": 1])
    var expected = InferenceConfiguration(createdAt: Self.date)
    expected.generation.maxTokens = 999
    #expect(try await Self.current(world) == expected)
  }

  @Test("where the person has opened the cloud and given consent, the server says how both are used")
  func opened() async throws {
    let world = try await Self.world { $0.routing.isCloudEnabled = true }
    _ = try await Self.sync(world, Self.answer(Self.open))
    let configuration = try #require(try await Self.current(world))
    #expect(configuration.routing.policy == .preferCloud && configuration.routing.customRules == Data([0]))
    #expect(configuration.analytics.isEnabled && configuration.analytics.level == .verbose)
    #expect(configuration.routing.privacyMode == .strict && !configuration.analytics.includesDeviceInfo)
  }

  @Test("a server may close whatever is open, but takes no consent away")
  func closes() async throws {
    let world = try await Self.world { configuration in
      configuration.routing = Routing(policy: .preferCloud, isCloudEnabled: true, privacyMode: .standard)
      configuration.analytics.includesDeviceInfo = true
      configuration.analytics.level = .verbose
    }
    let closed = #"""
      "routing":{"policy":"deviceOnly","cloudEnabled":false,"privacyMode":"strict"},
      "analytics":{"enabled":false,"level":"none","telemetryConsent":"denied","includeDeviceInfo":false}
      """#
    _ = try await Self.sync(world, Self.answer(closed))
    let configuration = try #require(try await Self.current(world))
    #expect(configuration.routing == Routing())
    #expect(configuration.analytics == .init(telemetryConsent: .granted))
  }

  @Test("an edit that is not sent yet is not lost when another field comes from the server")
  func editMeanwhile() async throws {
    let world = try await Self.world()
    try await Self.save({ $0.baseURL = "https://mine.example" }, in: world)
    _ = try await Self.sync(world, Self.answer(#""generation":{"defaults":{"maxTokens":999}},"allowUserOverride":false"#))
    let configuration = try #require(try await Self.current(world))
    #expect(configuration.baseURL == "https://mine.example" && configuration.generation.maxTokens == 999)
  }

  @Test("an edit of what the server says nothing of waits until a server accepts it, whatever else is replaced", arguments: [true, false])
  func editOfAnotherField(mayOverride: Bool) async throws {
    let world = try await Self.world()
    try await Self.save({ $0.generation.temperature = 0.125 }, in: world)
    let pages = Self.answer(
      #""generation":{"defaults":{"maxTokens":999}},"allowUserOverride":\#(mayOverride)"#, updatedAt: Self.date.addingTimeInterval(10))
    let api = TablesAPI(refusing: ["default"], pages: pages)
    try await api.sync(world)
    #expect(try await Self.pending(world) == ["configuration": 1], "the server has replaced a field, and has not accepted the edit")
    #expect(try await Self.current(world)?.generation.maxTokens == 999)
    let data = try #require(api.came(to: "configuration").first?.string("data").flatMap { Data(base64Encoded: $0) })
    #expect(String(decoding: data, as: UTF8.self).contains(#""temperature":0.125"#))
    #expect(try await Self.sync(world, pages).configurations == 1)
    #expect(try await Self.pending(world) == [:])
    #expect(try await Self.sync(world, pages).configurations == 0)
  }

  @Test("an edit of a model that is made while the catalogue is on its way waits until a server accepts it")
  func editOfModelMeanwhile() async throws {
    let world = try await Self.world()
    try await world.inference.save(Sample.model)
    try await world.store.write { _ = try $0.execute("UPDATE model_metadata SET acknowledged_revision = revision") }
    let (path, body) = Self.page(1, [Self.model(Sample.model.id)], of: 1)
    let (api, store) = (TablesAPI(refusing: [Sample.model.id]), world.store)
    let server = try LoopbackServer { request in
      guard request.path == path else { return api.answer(request) }
      _ = try? store.write { try $0.execute("UPDATE model_metadata SET license = 'mine'") }
      return .respond(200, body: body)
    }
    defer { server.stop() }
    _ = try await TablesAPI.service(world, server).sync()
    #expect(api.came(to: "models").first?.string("license") == "mine")
    #expect(try await Self.pending(world)["model_metadata"] == 1)
  }

  @Test("where people may override, of two rows of one time ours wins, before it was sent and after")
  func sameTime() async throws {
    let world = try await Self.world()
    let pages = Self.answer(#""generation":{"defaults":{"maxTokens":999}},"allowUserOverride":true"#)
    try await Self.save({ $0.generation.maxTokens = 300 }, in: world)
    #expect(try await Self.sync(world, pages).configurations == 1)
    #expect(try await Self.current(world)?.generation.maxTokens == 300)
    let again = try await Self.sync(world, pages)
    #expect(again.report.pulled == [:] && again.configurations == 0)
    #expect(try await Self.current(world)?.generation.maxTokens == 300)
  }

  @Test(
    "what is no configuration changes nothing, is told, and keeps nothing else from being sent",
    arguments: ["[]", "{}", #"{"data":"%%"}"#, #"{"data":{"generation":{}}}"#, #"{"routing":{},"id":""}"#, "<html>"])
  func nonsense(body: String) async throws {
    let world = try await Self.world()
    try await world.inference.setPreference("1", named: "theme")
    let before = try await Self.current(world)
    await #expect(throws: StoreError.self) { _ = try await Self.sync(world, ["/v1/configuration": body]) }
    #expect(try await Self.current(world) == before)
    let status = try await world.inference.syncStatus()
    #expect(status.pending == [:] && status.lastError?.contains("/v1/configuration") == true)
  }

  // MARK: Models

  private static func model(_ id: String, _ members: String = "", updatedAt date: Date = SyncPullTests.date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    return #"{"id":"\#(id)","name":"\#(id) of the server","framework":"MLX","format":"mlx"\#(members),"updatedAt":\#(seconds)}"#
  }

  private static func page(_ number: Int, _ models: [String], of total: Int?) -> (String, String) {
    let count = total.map { #","totalCount":\#($0)"# } ?? ""
    return ("/v1/models?page=\(number)&pageSize=100", #"{"models":[\#(models.joined(separator: ","))]\#(count),"page":\#(number)}"#)
  }

  @Test("the catalogue comes page by page; what happened with a model here stays, and no model goes back")
  func catalogue() async throws {
    let world = try await Self.world()
    try await world.inference.save(Sample.model)
    try await world.store.write { _ = try $0.execute("UPDATE model_metadata SET acknowledged_revision = revision") }
    let pages = Dictionary(uniqueKeysWithValues: [
      Self.page(1, [Self.model("one"), #"{"id":"without a name"}"#], of: 4),
      Self.page(2, [Self.model("two"), Self.model(Sample.model.id, #","localPath":"/theirs","usageCount":99,"tags":["s"]"#)], of: 4),
    ])
    let done = try await Self.sync(world, pages)
    #expect(done.questions == ["/v1/configuration", "/v1/models?page=1&pageSize=100", "/v1/models?page=2&pageSize=100"])
    #expect(done.report.pulled == ["model_metadata": 3] && done.models == 0)
    let models = try await world.inference.models()
    #expect(Set(models.map(\.id)) == ["one", "two", Sample.model.id])
    let known = try #require(models.first { $0.id == Sample.model.id })
    #expect(known.name == "\(Sample.model.id) of the server" && known.tags == ["s"])
    #expect(known.contextLength == Sample.model.contextLength && known.author == "Meta", "what the catalogue does not say stays")
    #expect(known.localPath == Sample.model.localPath && known.usageCount == 4 && known.downloadedAt == Sample.model.downloadedAt)
    #expect(try await Self.pending(world)["model_metadata"] == nil)
    #expect(try await Self.sync(world, pages).report.pulled == [:])
  }

  private static let failures: [(LoopbackServer.Answer, StoreError.Code)] = [
    (.cut, .inputOutput), (.cutAnswer, .inputOutput), (.hang, .inputOutput), (.respond(500), .inputOutput), (.respond(502), .inputOutput),
    (.respond(503), .busy), (.respond(504), .inputOutput),
  ]

  @Test(
    "a catalogue whose second page does not come: the first stays, nothing is sent, and the next attempt asks for both", arguments: failures
  )
  func secondPage(answer: LoopbackServer.Answer, code: StoreError.Code) async throws {
    let world = try await Self.world()
    try await world.inference.setPreference("1", named: "theme")
    let pages = Dictionary(uniqueKeysWithValues: [1, 2].map { Self.page($0, [Self.model("model-\($0)")], of: 2) })
    let (api, script) = (TablesAPI(pages: pages), Script([answer]))
    let server = try LoopbackServer { ($0.path.contains("page=2") ? script.next() : nil) ?? api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server, timeoutSeconds: 1)
    let questions = ["/v1/configuration", "/v1/models?page=1&pageSize=100", "/v1/models?page=2&pageSize=100"]
    let error = await #expect(throws: StoreError.self) { try await service.sync() }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(try await world.inference.models().map(\.id) == ["model-1"])
    #expect(server.requests.map(\.path) == questions)
    let status = try await world.inference.syncStatus()
    #expect(status.pending == ["user_preferences": 1] && status.lastError == error?.message && status.retryAt != nil)
    let done = try await service.sync()
    #expect(done == SyncReport(acknowledged: ["user_preferences": 1], pulled: ["model_metadata": 1]))
    #expect(try await world.inference.models().map(\.id) == ["model-1", "model-2"])
    #expect(server.requests.map(\.path) == questions + questions + ["/v1/sync/preferences"])
    #expect(try await Self.pending(world) == [:])
  }

  @Test("where people may override, a newer edit of a model wins, and what the catalogue says of it is kept", arguments: [true, false])
  func modelOverride(mayOverride: Bool) async throws {
    let world = try await Self.world { $0.allowsUserOverride = mayOverride }
    let mine = ModelMetadata(id: "m", name: "mine", framework: .mlx, createdAt: Self.date, updatedAt: Self.date.addingTimeInterval(10))
    try await world.inference.save(mine)
    let (path, body) = Self.page(1, [Self.model("m")], of: 1)
    let done = try await Self.sync(world, [path: body])
    #expect(try await world.inference.model("m")?.name == (mayOverride ? "mine" : "m of the server"))
    #expect(done.models == 1)
    let lost = try #require(try await Self.conflicts(world).first { $0.field == "name" })
    #expect(lost.lostValue == (mayOverride ? #""m of the server""# : #""mine""#) && lost.kept == (mayOverride ? .ours : .theirs))
  }

  @Test("a server that has the same page for every number, and says no total, is asked twice")
  func samePage() async throws {
    let world = try await Self.world()
    let api = TablesAPI()
    let body = Self.page(1, [Self.model("one")], of: nil).1
    let server = try LoopbackServer { $0.path.hasPrefix("/v1/models") ? .respond(200, body: body) : api.answer($0) }
    defer { server.stop() }
    _ = try await TablesAPI.service(world, server).sync()
    #expect(server.requests.filter { $0.path.hasPrefix("/v1/models?") }.count == 2)
  }

  // MARK: Conflicts

  private static let answeredConflicts = #"""
    [{"field":"routing.policy","localValue":"deviceOnly","serverValue":"automatic","resolution":"useServer"},
    {"field":"generation.defaults.maxTokens","localValue":256,"serverValue":512,"resolution":"useLocal"},
    {"field":"apiKey","localValue":"sk-secret-1","serverValue":"sk-secret-2","resolution":"merge"}]
    """#

  @Test("conflicts that the server answers with are kept once, and only of fields that are sent")
  func answered() async throws {
    let world = try await Self.world()
    for maxTokens in [1, 2] {
      try await Self.save({ $0.generation.maxTokens = maxTokens }, in: world)
      _ = try await Self.sync(world, [:], conflicts: Self.answeredConflicts)
    }
    let found = try await Self.conflicts(world).map { [$0.field, $0.lostValue ?? "", $0.kept.rawValue] }
    #expect(Set(found) == [["routing.policy", #""deviceOnly""#, "theirs"], ["generation.defaults.maxTokens", "512", "ours"]])
    #expect(found.count == 2)
  }
}
