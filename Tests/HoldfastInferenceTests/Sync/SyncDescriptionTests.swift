import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastInference

@Suite("Sync, as a program asks for it that knows no library", .timeLimit(.minutes(10))) struct SyncDescriptionTests {
  private let key = String(repeating: "0a", count: 32)

  private func world(_ consent: TelemetryConsent = .granted, isEnabled: Bool = true) async throws -> World {
    let bytes = Data(repeating: 0x0A, count: 32)
    let world = try World.temporary(secretKey: SecretKey { bytes })
    try await world.inference.save(
      InferenceConfiguration(analytics: .init(isEnabled: isEnabled, level: .verbose, telemetryConsent: consent), createdAt: Sample.date))
    try await world.store.write { tx in
      for id in ["good", "bad"] { try tx.insert(TelemetryEvent(id: id, type: .custom, occurredAt: Sample.date)) }
    }
    return world
  }

  private func sync(_ world: World, _ address: URL? = nil, retries: Bool = false, key: String? = nil) async throws -> ShownSync {
    let sync = try #require(InferenceStore.description.sync)
    var request = SyncRequest(address: address, device: "device")
    request.retries = retries
    if let key { request.environment[SecretKey.variableName] = key }
    return try await sync.run(request, world.store)
  }

  @Test(
    "without an address it only says what waits, and why",
    arguments: [
      (TelemetryConsent.granted, true, nil), (.denied, true, "The consent is denied: nothing is sent."),
      (.limited, true, "The consent is limited: only errors and performance are sent."),
      (.granted, false, "Analytics are off: nothing is sent, whatever the consent."),
    ] as [(TelemetryConsent, Bool, String?)])
  func waiting(_ consent: TelemetryConsent, _ isEnabled: Bool, _ note: String?) async throws {
    let answer = try await sync(world(consent, isEnabled: isEnabled))
    #expect(answer.notes == [note].compactMap { $0 } && !answer.hasRefusals)
    #expect(answer.shown.members["acknowledged"] == .null && answer.shown.members["consent"] == .string(consent.rawValue))
    guard case .object(let pending)? = answer.shown.members["pending"] else { return #expect(Bool(false), "no counts") }
    #expect(pending["telemetry"] == .integer(2))
  }

  @Test("what was sent, what the server refused, and what is queued again are told")
  func sent() async throws {
    let api = TablesAPI()
    let server = try LoopbackServer { request in
      guard request.path.hasSuffix("/telemetry") else { return api.answer(request) }
      return .respond(200, body: #"{"accepted":1,"rejected":1,"errors":[{"id":"bad","message":"not this one"}]}"#)
    }
    defer { server.stop() }
    let world = try await world()
    try await world.inference.setAPIKey("sk-1")
    var answer = try await sync(world, server.address, key: key)
    for attempt in 2...DataSyncService.mostTries {
      // A refusal counts when the server took something.
      try await world.store.write { try $0.insert(TelemetryEvent(id: "good \(attempt)", type: .custom, occurredAt: Sample.date)) }
      answer = try await sync(world, server.address, key: key)
    }
    #expect(answer.hasRefusals && answer.shown.members["refused"] == .object(["telemetry": .integer(1)]))
    guard case .facts(let facts)? = answer.shown.blocks.first else { return #expect(Bool(false), "no facts") }
    #expect(facts.last.map { [$0.name, $0.words] } == ["set aside", "telemetry bad: the server rejected it: not this one"])
    #expect(server.requests.contains { $0.headers["authorization"] == "Bearer sk-1" })
    #expect(try await !sync(world, retries: true).hasRefusals)
  }

  @Test("a key of the API that is missing, or that cannot be opened, is told before anything is sent")
  func keys() async throws {
    let server = try LoopbackServer { _ in .respond(200) }
    defer { server.stop() }
    let world = try await world()
    try await world.inference.setAPIKey("sk-1")
    let wrong = String(repeating: "0b", count: 32)
    for (given, code) in [(nil, StoreError.Code.encryptionUnavailable), (wrong, .wrongKey), ("short", .wrongKey)] {
      let error = await #expect(throws: StoreError.self) { try await sync(world, server.address, key: given) }
      #expect(error?.code == code)
    }
    try await world.store.write { _ = try $0.execute("DELETE FROM secrets") }
    let error = await #expect(throws: StoreError.self) { try await sync(world, server.address, key: key) }
    #expect(error?.code == .notFound && server.requests.isEmpty)
  }
}
