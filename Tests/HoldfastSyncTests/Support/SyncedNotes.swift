import Foundation
import Holdfast
import HoldfastHTTP
import HoldfastSyncServer
import HoldfastTesting

@testable import HoldfastSync

/// Devices with notes, and a server in this process with the space `anna`. No clock runs by itself.
final class SyncedNotes: Sendable {
  static let schema = StoreSchema(
    "notes",
    migrations: [
      Migration(
        "notes/001-first",
        sql: """
          CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL) STRICT;
          CREATE TABLE drafts (id TEXT NOT NULL PRIMARY KEY) STRICT;
          """)
    ], declarations: [.synced("notes")])

  let server: SyncServer
  /// Of the waits between rounds; its wall clock is nobody's.
  let clock = ManualClock(with: TestClock())
  let requests = Requests()

  init() throws {
    server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    try server.makeSpace("anna", epoch: "e1")
  }

  /// - Parameter hears: whether the server tells this device news.
  func transport(in space: String = "anna", hears: Bool = true) -> SyncTransport {
    SyncTransport(
      ask: { [server, requests] request in
        if let reply = requests.take(request) { return reply }
        let response = try server.answer(request, in: space, now: Int64(Date().timeIntervalSince1970 * 1_000))
        if case .push = request.verb { requests.ringAll() }
        return .init(.success(response))
      },
      wait: { [server, requests] cursor in
        let bell = Bell()
        requests.listen(bell)
        while true {
          if hears, try await server.head() > cursor { return }
          if await bell.heard() == nil { throw CancellationError() }
        }
      })
  }

  func sync(_ store: Store, space: String = "anna", key: StoreKey? = nil, hears: Bool = true) throws -> StoreSync {
    try StoreSync(
      store, server: .init(space: space, key: key, transport(in: space, hears: hears)), pauses: HTTPPauses { 1 }, clock: clock)
  }

  /// The server takes at most so many rows from now on.
  func limitRows(to count: Int64) throws {
    var limits = SyncLimits()
    limits.rows = count
    try server.setLimits(limits, of: "anna")
  }

  static func store() throws -> Store { try Store.inMemory(schemas: [schema]) }

  /// A store that is connected and has what the server has.
  func device(key: StoreKey? = nil, hears: Bool = true) async throws -> (store: Store, sync: StoreSync) {
    let store = try Self.store()
    let sync = try sync(store, key: key, hears: hears)
    try await sync.connect(.merge)
    try await sync.finish()
    return (store, sync)
  }
}

/// Rounds of devices, one after the other.
func finish(_ syncs: StoreSync...) async throws { for sync in syncs { try await sync.finish() } }

extension SyncServer {
  fileprivate func head() async throws -> Int64 {
    try await store.read { reader in Int64(try reader.count("SELECT head FROM sync_space")) }
  }
}

/// What was asked of a server, and the replies that it gives instead of its own.
final class Requests: @unchecked Sendable {
  // Guarded by `lock`.
  private var asked: [String] = []
  private var replies: [SyncTransport.Reply] = []
  private var bells: [Bell] = []
  private let lock = NSLock()

  var all: [String] { lock.withLock { asked } }

  /// The next replies, in order.
  func reply(_ errors: StoreError..., retryAfterSeconds: Double? = nil) {
    lock.withLock { replies += errors.map { .init(.failure($0), retryAfterSeconds: retryAfterSeconds) } }
  }

  /// Notes a request that the server does not see.
  func note(_ request: String) { lock.withLock { asked.append(request) } }

  fileprivate func take(_ request: SyncRequest) -> SyncTransport.Reply? {
    let verb = if case .pull = request.verb { "pull" } else { "push" }
    return lock.withLock {
      asked.append(verb)
      return replies.isEmpty ? nil : replies.removeFirst()
    }
  }

  fileprivate func listen(_ bell: Bell) { lock.withLock { bells.append(bell) } }
  fileprivate func ringAll() { for bell in lock.withLock({ bells }) { bell.ring(.now) } }
}

extension Store {
  func edit(_ sql: BoundSQL) throws { try write { tx in _ = try tx.execute(sql) } }

  func add(_ id: String, _ title: String = "old") throws {
    try edit("INSERT INTO notes VALUES (\(id), \(title), '')")
  }

  /// Such as `n1 old`.
  func notes() throws -> [String] { try rows("SELECT id, title FROM notes ORDER BY id", columns: 2) }
}
