import Foundation
import Holdfast
import HoldfastTesting

@testable import HoldfastInference

/// A remote API that takes rows of every kind, refuses those that it was told to, and has the pages that a test gives it.
final class TablesAPI: @unchecked Sendable {
  // Guarded by `lock`.
  private var arrived: [String: [[String: JSONValue]]] = [:]
  private var heard: [LoopbackServer.Request] = []
  private let refused: Set<String>
  private let pages: [String: String]
  private let conflicts: String
  private let before: @Sendable (String) -> Void
  private let lock = NSLock()

  /// - Parameters:
  ///   - refused: ids as the wire has them.
  ///   - pages: what there is at a path, with its query.
  ///   - before: is told of the path of each request that brings something, before it is answered.
  init(
    refusing refused: Set<String> = [], pages: [String: String] = [:], conflicts: String = "[]",
    before: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.refused = refused
    self.pages = pages
    self.conflicts = conflicts
    self.before = before
  }

  /// What came to `/v1/sync/` and this name, taken or not.
  func came(to name: String) -> [[String: JSONValue]] { lock.withLock { arrived["/v1/sync/\(name)"] ?? [] } }

  /// The requests that brought something, in order.
  var posts: [LoopbackServer.Request] { lock.withLock { heard.filter { $0.method == "POST" } } }

  /// What was asked for, in order.
  var questions: [String] { lock.withLock { heard.filter { $0.method == "GET" }.map(\.path) } }

  func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    lock.withLock { heard.append(request) }
    guard request.method == "POST" else { return pages[request.path].map { .respond(200, body: $0) } ?? .respond(404) }
    before(request.path)
    guard let body = [String: JSONValue](json: String(decoding: request.body, as: UTF8.self)) else { return .respond(400) }
    let isConfiguration = request.path.hasSuffix("/configuration")
    let elements = isConfiguration ? [body] : body.values.flatMap(Self.objects)
    lock.withLock { arrived[request.path, default: []] += elements }
    let taken = elements.compactMap { $0.string("id") }.filter { !refused.contains($0) }
    let list = "[" + taken.map { JSONValue.string($0).canonicalText() }.joined(separator: ",") + "]"
    if isConfiguration { return .respond(200, body: #"{"success":\#(!taken.isEmpty),"syncedAt":0.0,"conflicts":\#(conflicts)}"#) }
    return .respond(200, body: request.path.hasSuffix("/telemetry") ? #"{"accepted":\#(list)}"# : #"{"syncedIds":\#(list)}"#)
  }

  private static func objects(_ value: JSONValue) -> [[String: JSONValue]] {
    guard case .array(let elements) = value else { return [] }
    return elements.compactMap { if case .object(let members) = $0 { members } else { nil } }
  }

  /// One attempt of a service that sends everything to this, and pulls.
  @discardableResult
  func sync(_ world: World, batch: Int = 10) async throws -> SyncReport {
    let server = try LoopbackServer { self.answer($0) }
    defer { server.stop() }
    return try await Self.service(world, server, batch: batch).sync()
  }

  /// A service that sends everything to a server, and pulls.
  static func service(
    _ world: World, _ server: LoopbackServer, batch: Int = 10, timeoutSeconds: Double = 5, clock: any Clock<Duration> = ContinuousClock()
  ) -> DataSyncService {
    var options = SyncOptions(deviceID: "device")
    options.batchSize = batch
    options.jitter = { 1 }
    let client = URLSessionClient(server.address, timeoutSeconds: timeoutSeconds) { "sk-1" }
    return DataSyncService(world.inference, client: client, options: options, clock: clock)
  }
}
