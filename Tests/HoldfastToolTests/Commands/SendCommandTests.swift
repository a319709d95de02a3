import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@testable import HoldfastTool

@Suite("holdfast send against a server", .timeLimit(.minutes(10)))
final class SendCommandTests {
  let bench: Workbench
  let store: String

  init() async throws {
    let bench = try Workbench()
    store = try await bench.inference()
    self.bench = bench
  }

  static let key = [SecretKey.variableName: InferenceSample.hexadecimalKey]

  /// Takes every event but those named, and has a page at some paths.
  static func server(refusing refused: Set<String> = [], pages: [String: String] = [:]) throws -> LoopbackServer {
    try LoopbackServer { request in
      guard request.method == "POST" else { return pages[request.path].map { .respond(200, body: $0) } ?? .respond(404) }
      let body = [String: JSONValue](json: String(decoding: request.body, as: UTF8.self)) ?? [:]
      guard case .array(let events)? = body["events"] else { return .respond(200, body: #"{"success":true,"syncedIds":[]}"#) }
      let ids = events.compactMap { event in if case .object(let members) = event { members.string("id") } else { nil } }
      func list(_ ids: [String]) -> String { "[" + ids.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
      return .respond(
        200, body: #"{"accepted":\#(list(ids.filter { !refused.contains($0) })),"rejected":\#(list(ids.filter(refused.contains)))}"#)
    }
  }

  @Test("what waits is sent with the key of the API and as this device, is told, and waits no more")
  func taken() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let sent = try bench.run(Self.key, "send", store, "--to", server.address.absoluteString, "--device", "laptop", "--json", status: 0)
    #expect(
      sent.document["acknowledged"] as? [String: Int] == ["telemetry": 3] && (sent.document["pulled"] as? [String: Int])?.isEmpty == true)
    #expect((sent.document["pending"] as? [String: Int])?["telemetry"] == nil && sent.document["last_acknowledged"] is String)
    #expect(!sent.output.contains(InferenceSample.apiKey) && !sent.errors.contains(InferenceSample.apiKey))
    #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer \(InferenceSample.apiKey)" } && !server.requests.isEmpty)
    let again = try bench.run(Self.key, "send", store, "--to", server.address.absoluteString)
    #expect(again.status == 0 && again.output.hasPrefix("taken       nothing\nsent        nothing\n"), "\(again.output)\(again.errors)")
    #expect(server.requests.filter { $0.path.hasSuffix("/telemetry") }.count == 1)
  }

  @Test("what goes to this computer goes through no proxy, however its address is written", arguments: ["http", "HTTP"])
  func proxy(scheme: String) async throws {
    let server = try Self.server()
    defer { server.stop() }
    let proxy = ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"]
    let address = scheme + String(server.address.absoluteString.dropFirst("http".count))
    let sent = try bench.run(Self.key.merging(proxy) { own, _ in own }, "send", store, "--to", address)
    #expect(sent.status == 0 && !server.requests.isEmpty, "\(sent.output)\(sent.errors)")
  }

  @Test("what the server refuses is told, waits, and is 2")
  func refused() async throws {
    let server = try Self.server(refusing: ["e2"])
    defer { server.stop() }
    let sent = try bench.run(Self.key, "send", store, "--to", server.address.absoluteString, "--json", status: 2)
    #expect(sent.document["acknowledged"] as? [String: Int] == ["telemetry": 2])
    #expect((sent.document["refused"] as? [String: Int])?["telemetry"] ?? 0 >= 1)
    #expect((sent.document["pending"] as? [String: Int])?["telemetry"] == 1 || (sent.document["set_aside"] as? [Any])?.count == 1)
  }

  @Test("what the server has comes in and is told, and so is a value that lost against it")
  func pulled() async throws {
    let model = #"{"id":"phi","name":"Phi 4","framework":"MLX","updatedAt":900000000.0}"#
    let server = try Self.server(pages: [
      "/v1/models?page=1&pageSize=100": #"{"models":[\#(model)],"totalCount":1,"page":1,"pageSize":100}"#
    ])
    defer { server.stop() }
    let sent = try bench.run(Self.key, "send", store, "--to", server.address.absoluteString)
    #expect(sent.status == 0 && sent.output.hasPrefix("taken       1 model_metadata\n"), "\(sent.output)\(sent.errors)")
    #expect(sent.output.contains("conflicts   1, see holdfast list … conflicts\n"), "\(sent.output)")
    let listed = try bench.run("list", store, "conflicts", "--json").document["conflicts"] as? [[String: Any]]
    #expect(listed?.first?["field"] as? String == "name" && listed?.first?["lost"] as? String == "Phi", "\(String(describing: listed))")
    let exported = try bench.run("export", store, "--to", "e.json", "--json").document["left_out"] as? [[String: Any]]
    #expect(exported?.contains { $0["kind"] as? String == "sync_conflicts" } == true)
  }

  @Test("a store of a newer version is sent nowhere: 65 before any request, and the file as it was", arguments: [false, true])
  func newerStore(knowsMigration: Bool) async throws {
    let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
    try await inference.store.write { tx in
      if !knowsMigration {
        try tx.execute("INSERT INTO holdfast_migrations (name, hash, ran_at) VALUES ('inference/999-later', 'x', 0)")
        try tx.execute("UPDATE holdfast_store SET bookkeeping_sha256 = NULL")
      }
      try tx.execute("UPDATE holdfast_schemas SET version = 999 WHERE name = 'inference'")
    }
    try inference.store.close()
    let before = try bench.content()
    let server = try Self.server()
    defer { server.stop() }
    let address = server.address.absoluteString
    for sent in [
      try bench.run(Self.key, "send", store, "--to", address), try bench.run(Self.key, "send", store, "--to", address, "--retry"),
      try bench.run("send", store, "--status", "--retry"),
    ] {
      #expect(sent.status == 65 && sent.errors.contains("newer"), "\(sent.status) \(sent.errors)")
    }
    #expect(try server.requests.isEmpty && bench.content()["inference.sqlite"] == before["inference.sqlite"])
    #expect(try bench.run("send", store, "--status").status == 0)
  }

  @Test(
    "a server that wants another key, or to be left alone, is told with what to do here",
    arguments: [(401, Int32(73), "another key"), (429, 75, "Try again later"), (503, 75, "Try again later")])
  func stopped(answer: Int, status: Int32, advice: String) async throws {
    let server = try LoopbackServer { _ in .respond(answer) }
    defer { server.stop() }
    try bench.run(Self.key, "send", store, "--to", server.address.absoluteString, status: status, errors: advice)
    let waiting = try bench.run("send", store, "--status", "--json").document["pending"] as? [String: Int]
    #expect(waiting?["telemetry"] == 3)
  }

  @Test("without the key for secrets nothing is tried again, as nothing is sent", arguments: [[:], [SecretKey.variableName: "00"]])
  func retryWithoutKey(environment: [String: String]) async throws {
    let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
    try await inference.store.write { tx in
      try tx.execute("UPDATE telemetry SET set_aside_revision = revision WHERE id = 'e1'")
      try tx.execute(
        "INSERT INTO sync_tries (kind, row_id, revision, tries, reason, tried_at) SELECT 'telemetry', id, revision, 5, 'no', 0 FROM telemetry WHERE id = 'e1'"
      )
    }
    try inference.store.close()
    func setAside(_ arguments: String...) throws -> Int? {
      let status = try bench.run(["send", store, "--status", "--json"] + arguments)
      return (status.document["set_aside"] as? [Any])?.count
    }
    let sent = try bench.run(environment, "send", store, "--to", "http://127.0.0.1:1", "--retry")
    #expect(sent.status != 0 && sent.status != 74, "\(sent.status) \(sent.errors)")
    #expect(try setAside() == 1)
    #expect(try setAside("--retry") == 0)
  }

  @Test("where analytics are off it is told that nothing is sent, whatever the consent", arguments: [TelemetryConsent.granted, .limited])
  func analyticsOff(consent: TelemetryConsent) async throws {
    for (isEnabled, level, isTold) in [(false, AnalyticsLevel.basic, true), (true, .none, true), (true, .basic, false)] {
      let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
      var configuration = try #require(try await inference.configuration())
      configuration.analytics = .init(isEnabled: isEnabled, level: level, telemetryConsent: consent)
      try await inference.save(configuration)
      try inference.store.close()
      let status = try bench.run("send", store, "--status")
      #expect(status.errors.contains("Analytics are off: nothing is sent, whatever the consent.") == isTold, "\(status.errors)")
      #expect(status.errors.contains("only errors") == (!isTold && consent == .limited), "\(status.errors)")
    }
  }
}
