internal import Foundation
internal import Holdfast
internal import HoldfastHTTP
internal import HoldfastPostgres
internal import HoldfastServing
internal import HoldfastSync
internal import HoldfastSyncServer
internal import Hummingbird
internal import Logging

/// A server over HTTP on a free port of this machine, in this process or another one, and with each push on the disk.
struct BenchServer: Sendable {
  let server: any SyncSpaces
  let address: URL
  /// Where devices make their stores.
  let folder: URL

  /// A space of the server's, and a token that opens it.
  struct Space: Sendable {
    let name: String
    let epoch: String
    let token: String
  }

  /// Serves from this process as long as `body` runs.
  static func run<T: Sendable>(in folder: URL, _ body: @escaping @Sendable (BenchServer) async throws -> T) async throws -> T {
    let server = try await open(folder.appendingPathComponent("server.sqlite").path)
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = try await application(of: server, in: folder) { port.yield($0) }
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

  /// - Parameter store: a file or `postgres://…`; made where it is missing.
  static func open(_ store: String) async throws -> any SyncSpaces {
    if store.hasPrefix("postgres") { return try await PostgresSpaces.open(store, makes: true) }
    var options = StoreOptions.production
    options.durability = .durable
    return SyncServer(try Store.open(at: URL(fileURLWithPath: store), schemas: [SyncServer.schema], options: options))
  }

  static func application(
    of server: any SyncSpaces, in folder: URL, onRunning: @escaping @Sendable (_ port: Int) -> Void
  ) async throws -> some ApplicationProtocol {
    let note = (server as? SyncServer).map { PushNote($0, beside: folder.appendingPathComponent("server.sqlite")) }
    _ = try await note?.settle()
    var options = ServingOptions()
    // One token does here what many do elsewhere.
    (options.requestsPerSecond, options.burst) = (1_000_000, 1_000_000)
    guard let loopback = Address("127.0.0.1:0") else { throw Failure("there is no loopback") }
    let logger = Logger(label: "sync-bench") { _ in SwiftLogNoOpLogHandler() }
    return Serving(server, options, note: note).application(at: loopback, logger, onRunning: onRunning)
  }

  func makeSpace(_ name: String) async throws -> Space {
    try await server.makeSpace(name)
    return Space(name: name, epoch: try await server.space(name).epoch, token: try await server.makeToken(for: name, .writes, name: nil))
  }

  /// Makes a space with so many rows, without HTTP.
  func makeSpace(_ name: String, rows: Int) async throws -> Space {
    let space = try await makeSpace(name)
    for first in stride(from: 0, to: rows, by: 1_000) {
      let body = Song.push(Song.make(first..<min(first + 1_000, rows)), epoch: space.epoch)
      let answer = await server.answer(
        .push, body, in: name, token: space.token, now: Int64(Date().timeIntervalSince1970 * 1000))
      guard answer.status == 200 else { throw Failure("a push got \(answer.status)") }
    }
    return space
  }

  // MARK: Requests

  func client(of space: Space) -> HTTPClient { HTTPClient(address, of: "the server") { space.token } }

  /// Sends a push, and waits until it is acknowledged.
  func push(_ songs: [Song], to space: Space, by client: HTTPClient) async throws {
    try await push(Song.push(songs, epoch: space.epoch), to: space, by: client)
  }

  /// - Parameter zips: as devices do.
  func push(_ body: Data, to space: Space, by client: HTTPClient, zips: Bool = false) async throws {
    let answer = try await client.send("POST", "/v1/spaces/\(space.name)/push", body: body, type: "application/x-ndjson", zips: zips)
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
