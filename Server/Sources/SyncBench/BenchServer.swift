internal import Foundation
internal import Holdfast
internal import HoldfastHTTP
internal import HoldfastServing
internal import HoldfastSync
internal import HoldfastSyncServer
internal import Hummingbird
internal import Logging

/// The server's program within this process: over HTTP on a free port of this machine, and with each push on the disk.
struct BenchServer: Sendable {
  let server: SyncServer
  let address: URL
  /// Where devices make their stores.
  let folder: URL

  /// A space of the server's, and a token that opens it.
  struct Space: Sendable {
    let name: String
    let epoch: String
    let token: String
  }

  /// Serves as long as `body` runs.
  static func run<T: Sendable>(in folder: URL, _ body: @escaping @Sendable (BenchServer) async throws -> T) async throws -> T {
    let server = try open(folder)
    let note = PushNote(server, beside: folder.appendingPathComponent("server.sqlite"))
    _ = try await note.settle()
    var options = ServingOptions()
    // One token does here what many do elsewhere.
    (options.requestsPerSecond, options.burst) = (1_000_000, 1_000_000)
    let logger = Logger(label: "sync-bench") { _ in SwiftLogNoOpLogHandler() }
    let (ports, port) = AsyncStream<Int>.makeStream()
    guard let loopback = Address("127.0.0.1:0") else { throw Failure("there is no loopback") }
    let application = Serving(server, options, note: note).application(at: loopback, logger) { port.yield($0) }
    return try await withThrowingTaskGroup(of: T?.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        try await application.run()
        return nil
      }
      group.addTask {
        guard let port = await ports.first(where: { _ in true }), let address = URL(string: "http://127.0.0.1:\(port)") else { return nil }
        return try await body(BenchServer(server: server, address: address, folder: folder))
      }
      for try await result in group { if let result { return result } }
      throw Failure("the server ended early")
    }
  }

  private static func open(_ folder: URL) throws -> SyncServer {
    var options = StoreOptions.production
    options.durability = .durable
    return SyncServer(
      try Store.open(at: folder.appendingPathComponent("server.sqlite"), schemas: [SyncServer.schema], options: options))
  }

  func makeSpace(_ name: String) throws -> Space {
    try server.makeSpace(name)
    guard let space = try server.spaces().first(where: { $0.name == name }) else { throw Failure("there is no space \(name)") }
    return Space(name: name, epoch: space.epoch, token: try server.makeToken(for: name))
  }

  // MARK: Requests

  func client(of space: Space) -> HTTPClient { HTTPClient(address, of: "the server") { space.token } }

  /// Sends a push, and waits until it is acknowledged.
  func push(_ songs: [Song], to space: Space, by client: HTTPClient) async throws {
    let answer = try await client.send(
      "POST", "/v1/spaces/\(space.name)/push", body: Song.push(songs, epoch: space.epoch), type: "application/x-ndjson")
    guard answer.status == 200 else { throw Failure("a push got \(answer.status): \(String(decoding: answer.body, as: UTF8.self))") }
  }

  /// The samples of `/metrics`, by name with labels.
  func metrics(by client: HTTPClient) async throws -> [String: Int] {
    let text = String(decoding: try await client.send("GET", "/metrics").body, as: UTF8.self)
    return text.split(separator: "\n").reduce(into: [:]) { samples, line in
      let parts = line.split(separator: " ")
      if parts.count == 2, let value = Int(parts[1]) { samples[String(parts[0])] = value }
    }
  }

  // MARK: Stores

  /// In a folder of its own.
  func newStore(_ options: StoreOptions = .production) throws -> Store {
    let own = folder.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
    return try Store.open(at: own.appendingPathComponent("songs.sqlite"), schemas: [Song.schema], options: options)
  }

  /// A device with an empty store, connected to the space, that has asked nothing yet.
  func newDevice(of space: Space) async throws -> (store: Store, sync: StoreSync) {
    let store = try newStore()
    let sync = try StoreSync(store, server: StoreSync.Server(address, space: space.name) { space.token })
    try await sync.connect(.merge)
    return (store, sync)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Store {
  func songs() throws -> Int { try read { reader in try reader.count("SELECT count(*) FROM songs") } }

  /// In transactions of as many rows as a page has.
  func insert(_ songs: [Song]) throws {
    for page in stride(from: 0, to: songs.count, by: 1_000) {
      try write { tx in try tx.insert(contentsOf: Array(songs[page..<min(page + 1_000, songs.count)])) }
    }
  }
}

extension [Double] {
  /// Zero if empty.
  var median: Double { quantile(0.5) }

  /// The smallest value that `share` (0...1) of all do not exceed; zero if empty.
  func quantile(_ share: Double) -> Double {
    let ordered = sorted()
    return ordered.isEmpty ? 0 : ordered[Swift.min(ordered.count - 1, Swift.max(0, Int((Double(count) * share).rounded(.up)) - 1))]
  }
}

/// Seconds.
func timed(_ work: () async throws -> Void) async rethrows -> Double {
  let start = ContinuousClock.now
  try await work()
  return (ContinuousClock.now - start) / .seconds(1)
}
