import Foundation
import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Hummingbird
import Logging
import Testing

/// A server on a free port of this machine, with the space `anna` and a token for it.
struct ServerWorld: Sendable {
  let server: SyncServer
  let client: Client
  let epoch: String
  let log: LogLines

  /// 2025-11-24, the server's time unless a test says otherwise.
  static let now: Int64 = 1_764_000_000_000

  /// Serves as long as `body` runs.
  ///
  /// - Parameter file: the number of pushes is noted beside it; nil: nowhere.
  static func run(
    limits: SyncLimits = SyncLimits(), notingBeside file: URL? = nil, _ change: (inout ServingOptions) -> Void = { _ in },
    _ body: @escaping @Sendable (ServerWorld) async throws -> Void
  ) async throws {
    var storeOptions = StoreOptions.testing
    storeOptions.durability = .durable
    let server = SyncServer(try Store.temporary(schemas: [SyncServer.schema], options: storeOptions), limits: limits)
    try server.makeSpace("anna")
    let token = try server.makeToken(for: "anna")
    let epoch = try #require(server.spaces().first).epoch
    var options = ServingOptions()
    (options.now, options.burst, options.patience) = ({ now }, 10_000, .seconds(20))
    change(&options)
    let lines = LogLines()
    let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
    try await serve(Serving(server, options, note: file.map { PushNote(server, beside: $0) }), logger) { port in
      try await body(ServerWorld(server: server, client: Client(port: port, token: token), epoch: epoch, log: lines))
    }
  }

  /// Serves on a free port of this machine as long as `body` runs.
  static func serve(
    _ serving: Serving, _ logger: Logger, _ body: @escaping @Sendable (_ port: Int) async throws -> Void
  ) async throws {
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = serving.application(at: try #require(Address("127.0.0.1:0")), logger) { port.yield($0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      group.addTask {
        guard let port = await ports.first(where: { _ in true }) else { return }
        try await body(port)
      }
      // The body's end, or the server's error.
      try await group.next()
      group.cancelAll()
    }
  }

  private init(server: SyncServer, client: Client, epoch: String, log: LogLines) {
    (self.server, self.client, self.epoch, self.log) = (server, client, epoch, log)
  }

  func push(_ rows: String...) async throws -> Reply { try await client.push(rows, epoch: epoch) }

  /// The keys of the rows in the store.
  func keys() throws -> [String] {
    try server.store.read { reader in try reader.values("SELECT key FROM sync_row ORDER BY key") { try $0.text() } }
  }
}

/// A row on the wire.
func book(_ key: String, title: String = "Emma", at milliseconds: Int64 = ServerWorld.now) -> String {
  #"{"g":1,"h":"\#(stamp(milliseconds))","k":"\#(key)","t":"books","v":{"title":"\#(title)"}}"#
}

/// The time in 13 digits of base 32, a node in 8.
func stamp(_ milliseconds: Int64) -> String {
  let digits = String(milliseconds << 15, radix: 32).uppercased()
  return String(repeating: "0", count: 13 - digits.count) + digits + "00000001"
}

/// The lines that the server logged.
final class LogLines: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  var all: [String] { lock.withLock { lines } }

  func add(_ line: String) { lock.withLock { lines.append(line) } }
}

struct LineHandler: LogHandler {
  let lines: LogLines
  var metadata: Logger.Metadata = [:]
  var logLevel: Logger.Level = .trace
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let pairs = self.metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    lines.add((["\(event.level)", "\(event.message)"] + pairs).joined(separator: " "))
  }
}
