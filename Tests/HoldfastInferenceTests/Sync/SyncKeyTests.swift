import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("The key of the API while sending", .timeLimit(.minutes(10))) struct SyncKeyTests {
  private static let key = "sk-live-7"

  private static func world() async throws -> World {
    let world = try await SentRows.telemetry.world(2)
    try await world.inference.setPreference("1", named: "theme")
    return world
  }

  @Test("a preference that is called as a secret is sent to nobody, and is set aside with the reason")
  func namedAsSecret() async throws {
    let world = try await Self.world()
    // As another program may have stored it, or an import.
    try await world.store.write { try $0.insert(UserPreference(name: "api_key", value: #""hidden""#, createdAt: Sample.date)) }
    let server = try LoopbackServer { TablesAPI().answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    for _ in 1...DataSyncService.mostTries { _ = try await service.sync() }
    #expect(server.requests.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("hidden") })
    let setAside = try await world.inference.syncStatus().setAside
    #expect(setAside.map(\.id) == ["api_key"])
    #expect(setAside.first?.reason.contains("has the name of a secret") == true)
  }

  @Test("why the key cannot be had is the last error of the status, and the next attempt waits")
  func source() async throws {
    struct Locked: LocalizedError { var errorDescription: String? { "the keychain is locked" } }
    let errors: [any Error] = [Locked(), StoreError(.wrongKey, "the secret was sealed with another key")]
    for thrown in errors {
      let world = try await Self.world()
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
    let world = try await Self.world()
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
    let world = try await Self.world()
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
