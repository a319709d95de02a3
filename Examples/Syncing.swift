import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer

/// What a library declares.
func syncedTables() -> [SchemaDeclaration] {
  // snippet: sync-declare
  let declarations: [SchemaDeclaration] = [
    .synced("books", together: [["cover_kind", "cover_file"]], derived: ["search_title"]),
    .synced("positions", key: ["book_id"], whole: true, time: "updated_at"),
    .synced("tags", key: ["book_id", "tag"]),
    .synced("downloads", here: ["path": .null]),
  ]
  // end
  return declarations
}

/// What two devices may break together.
func repairedInvariant() -> Invariant {
  // snippet: sync-repair
  let lastRead = Invariant(
    "the book that was read last is on the shelf", table: "shelves",
    findings: "SELECT id FROM shelves WHERE last_read_id NOT IN (SELECT id FROM books)",
    repair: "UPDATE shelves SET last_read_id = NULL WHERE last_read_id NOT IN (SELECT id FROM books)")
  // end
  return lastRead
}

/// Connects a store, once, and syncs it from then on.
func syncing(_ store: Store, at address: URL, token: @escaping @Sendable () async throws -> String) async throws -> StoreSync {
  // snippet: sync-start
  let sync = try StoreSync(store, server: .init(address, space: "anna") { try await token() })
  try await sync.connect(.merge)  // The first time. Later it changes nothing.
  try sync.start()
  // end
  return sync
}

/// The same with a server that cannot read the rows.
func syncingSealed(
  _ store: Store, at address: URL, key: StoreKey, token: @escaping @Sendable () async throws -> String
) throws -> StoreSync {
  // snippet: sync-sealed
  let sync = try StoreSync(store, server: .init(address, space: "anna", key: key) { try await token() })
  // end
  return sync
}

/// What a screen shows.
func showingSync(_ sync: StoreSync) async {
  // snippet: sync-status
  for await status in sync.updates() {
    if let problem = status.problem { print(problem.message, problem.recoverySuggestion ?? "") }
    if let since = status.oldestPending { print("\(status.pending) changes wait since \(since)") }
    if let last = status.lastSynced { print("synced at \(last)") }
  }
  // end
}

/// A list of values that lost, with a button for each.
func bringingBackLost(_ sync: StoreSync) throws {
  // snippet: sync-lost
  for lost in try sync.lost() {
    print(lost.at, lost.table, lost.key, lost.values)
    if lost.table == "books" { try sync.restore(lost) } else { try sync.discard(lost) }
  }
  // end
}

/// When the person agrees that the past of this device goes.
func forgettingPurged(_ sync: StoreSync) async throws {
  // snippet: sync-forget
  if try sync.status().forgetting > 0 { try await sync.forget() }
  // end
}

/// When the app ends, and when the person does not want to sync any more.
func endingSync(_ sync: StoreSync) async throws {
  // snippet: sync-end
  try await sync.finish()  // Until nothing waits, or throws why not.
  await sync.stop()
  try await sync.disconnect()
  // end
}

/// A server's store, and the answer to one request.
func serving(_ url: URL, _ body: Data, now: Int64) async throws -> SyncAnswer {
  // snippet: sync-server
  var options = StoreOptions.production
  options.durability = .durable
  let server = SyncServer(try Store.open(at: url, schemas: [SyncServer.schema], options: options))
  try server.makeSpace("anna")
  let token = try server.makeToken(for: "anna")

  let answer = await server.answer(.push, body, in: "anna", token: token, now: now)
  // end
  return answer
}
