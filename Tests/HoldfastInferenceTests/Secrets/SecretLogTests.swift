import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// With everything logged, and every statement traced.
@Suite("Secrets in logs and traces", .timeLimit(.minutes(10))) struct SecretLogTests {
  private typealias SDK = SDKDatabase
  private let lines = LogLines()
  private let folder: TemporaryFolder
  private let imported = "sk-imported/0123456789-abc"
  private let key = "sk-of-the-api/9876543210-def"
  private let secret = #"{"access_token":"sk-sealed/1357924680-ghi"}"#
  /// What is searched for: of the sealed text also what is secret in it.
  private var secrets: [String] { [imported, key, secret, "sk-sealed/1357924680-ghi", "sk-as-a-property/24680"] }

  init() throws { folder = try TemporaryFolder() }

  private var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.logger = lines.logger
    options.trace = { [lines] in lines.add("statement \($0)") }
    return options
  }

  /// Nobody was told of a secret, in no form; and somebody was told of these.
  private func expectNoSecret(besides told: String...) {
    let all = lines.all
    let text = all.joined(separator: "\n")
    for secret in secrets { #expect(!Traces.stands(secret, in: text), "\(all.filter { Traces.stands(secret, in: $0) })") }
    for beginning in told { #expect(all.contains { $0.hasPrefix(beginning) }, "\(beginning)") }
  }

  @Test("of a secret that is sealed, opened, refused, damaged and deleted nothing is told")
  func sealing() async throws {
    let inference = try InferenceStore.open(at: folder.file("store.sqlite"), secretKey: World.secretKey, options: options)
    try await TelemetryTests.consent(inference)
    try await inference.setSecret(secret, named: "token")
    #expect(try await inference.secret(named: "token") == secret)
    try await inference.setAPIKey(key)
    #expect(try await inference.apiKey() == key)
    try await inference.setAPIKey(imported)
    await #expect(throws: StoreError.self) { try await inference.setPreference(#""\#(key)""#, named: "openai_api_key") }
    let event = TelemetryEvent(
      id: "e", type: .custom, properties: StoredJSON(text: #"{"api_key":"sk-as-a-property/24680"}"#), occurredAt: Sample.date)
    #expect(try await inference.record([event]) == 1)
    let other = InferenceStore(inference.store, secretKey: SecretKey { Data(repeating: 9, count: 32) })
    await #expect(throws: StoreError.self) { try await other.secret(named: "token") }
    _ = try await inference.store.write { try $0.execute("UPDATE secrets SET sealed = substr(sealed, 2)") }
    await #expect(throws: StoreError.self) { try await inference.apiKey() }
    _ = try await inference.store.snapshot()
    _ = try await inference.store.integrityCheck()
    #expect(try await inference.deleteSecret(named: "token"))
    try inference.store.close()
    expectNoSecret(besides: "info opened", "info snapshot", "statement INSERT INTO secrets", "statement SELECT sealed")
  }

  @Test("of a key in the SDK's databases nothing is told, whether it is imported, skipped or in quarantine", arguments: [true, false])
  func importing(isFirst: Bool) async throws {
    let world = try LegacyWorld()
    let json = #"{"id":"default","routingPolicy":"deviceOnly","apiKey":"\#(imported)","updatedAt":776092800.25}"#
    let preference = #"{"access_token":"sk-sealed/1357924680-ghi"}"#
    try world.database(
      isFirst
        ? [
          SDK.first, SDK.row("configuration", "default", json), SDK.row("configuration", "broken", #"{"id":"broken","apiKey":"\#(key)"#),
          SDK.row("user_preferences", "p", preference),
        ]
        : [
          SDK.second, SDK.configuration(key: "'\(imported)'"),
          "INSERT INTO user_preferences VALUES ('p', 'theme', CAST('\(preference)' AS BLOB), \(SDK.date), \(SDK.date))",
          """
          INSERT INTO telemetry VALUES ('e', 'error', 'n', CAST('{"api_key":"sk-as-a-property/24680"}' AS BLOB), NULL, NULL, NULL, '1',
            'yesterday', \(SDK.date), 0)
          """,
        ])
    for secretKey in [nil, World.secretKey] {
      for dryRun in [true, false] {
        var importOptions = ImportOptions()
        importOptions.dryRun = dryRun
        let report = try await InferenceStore.importLibrary(
          from: world.source, into: world.store, secretKey: secretKey, options: importOptions, storeOptions: options)
        #expect(report.counts["secrets"] != nil)
      }
    }
    #expect(try await world.usingLibrary { try await $0.apiKey() } == imported)
    expectNoSecret(besides: "info opened", "statement INSERT INTO secrets", "statement INSERT INTO configuration")
  }

  @Test("of the key that is sent nothing is told")
  func sending() async throws {
    let inference = try InferenceStore.open(at: folder.file("store.sqlite"), secretKey: World.secretKey, options: options)
    try await TelemetryTests.consent(inference)
    try await inference.setAPIKey(key)
    try await inference.save(Sample.model)
    try await inference.record([TelemetryEvent(id: "e", type: .custom, occurredAt: Sample.date)])
    lines.clear()
    let api = TablesAPI(refusing: ["e"])
    let server = try LoopbackServer { request in
      if request.path.hasSuffix("/models") { return .respond(404) }
      if request.path.hasSuffix("/telemetry") {
        return .respond(200, body: #"{"accepted":[],"rejected":["e"],"errors":[{"id":"e","message":"no"}]}"#)
      }
      return api.answer(request)
    }
    defer { server.stop() }
    let client = URLSessionClient(server.address, timeoutSeconds: 5) { try await inference.apiKey() }
    let service = DataSyncService(inference, client: client, options: SyncOptions(deviceID: "device"))
    for _ in 0..<DataSyncService.mostTries + 1 { _ = try? await service.sync() }
    #expect(try await inference.syncStatus().lastError != nil)
    #expect(server.requests.contains { $0.headers["authorization"] == "Bearer \(key)" })
    try inference.store.close()
    expectNoSecret(besides: "statement SELECT sealed", "statement INSERT INTO sync_tries", "statement INSERT INTO sync_state")
  }
}
