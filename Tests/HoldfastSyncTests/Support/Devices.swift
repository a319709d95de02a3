import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

/// Two stores on disk, each with its process, and a server. Archived, and encrypted where SQLite can, unless a test wants otherwise.
final class Devices {
  static let schema = StoreSchema(
    "books",
    migrations: [
      Migration(
        "books/001",
        sql: """
          CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, pages INTEGER NOT NULL) STRICT;
          CREATE TABLE marks (id TEXT NOT NULL PRIMARY KEY, page INTEGER NOT NULL) STRICT;
          CREATE TABLE names (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
          """)
    ], declarations: [.synced("books"), .synced("marks", whole: true), .synced("names")])

  struct Book: StoredRecord, Codable {
    static let table = "books"
    var id: UUID
    var title: String
    var pages: Int
  }

  let folder: TemporaryFolder
  let options: StoreOptions
  let server: SyncServer
  private(set) var stores: [Store]
  private let clock = Clock()
  private var devices: [SyncDevice]
  private var lastNode: Int64 = 0

  /// - Parameter isPlain: neither archived nor encrypted.
  init(connected: Bool = true, isPlain: Bool = false) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    try server.makeSpace("s", epoch: "e1")
    var options = StoreOptions.testing
    if !isPlain {
      options.archive.mode = .begins
      options.key = Encryption.isAvailable ? .random() : nil
    }
    self.options = options
    stores = try [0, 1].map { try folder.store([Self.schema], name: "\($0).sqlite", options: options) }
    if !isPlain { for store in stores { _ = try store.archive() } }
    devices = []
    if connected { try connect() }
  }

  private final class Clock {
    var now: Int64 = 1_800_000_000_000
  }

  func file(_ number: Int) -> URL { folder.file("\(number).sqlite") }

  func connect() throws {
    devices = try stores.map(device)
    try setTime()
  }

  private func device(_ store: Store) throws -> SyncDevice {
    let clock = clock
    lastNode += 1
    try SyncDevice.connect(store, space: "s", node: lastNode)
    return try SyncDevice(store, node: lastNode) { clock.now }
  }

  /// Opens a store again, with a new process. Connects it, where it is not.
  func reopen(_ number: Int) throws {
    stores[number] = try folder.store([Self.schema], name: "\(number).sqlite", options: options)
    devices[number] = try device(stores[number])
  }

  /// Closes a store, and overwrites the first page of a table.
  func damage(_ number: Int, firstPageOf table: String) throws {
    let root = try stores[number].rows("SELECT rootpage FROM sqlite_schema WHERE name = \(table)").first.flatMap { Int($0) }
    try stores[number].close()
    try Damage.overwritePage(file(number), #require(root))
  }

  func setTime() throws {
    clock.now += 1_000
    for store in stores where !devices.isEmpty {
      try store.write { tx in _ = try tx.execute("UPDATE holdfast_sync SET clock = \(clock.now)") }
    }
  }

  func write(_ number: Int, _ statements: BoundSQL...) throws {
    try setTime()
    try stores[number].write { tx in for sql in statements { try tx.execute(sql) } }
  }

  /// - Parameter one: only this device; nil for both.
  func settle(_ one: Int? = nil) throws {
    try setTime()
    try server.settle(one.map { [devices[$0]] } ?? devices, at: clock.now)
  }

  func names(_ number: Int) throws -> [String] {
    try stores[number].rows("SELECT id || name FROM names UNION ALL SELECT 'parked ' || key FROM holdfast_sync_parked ORDER BY 1")
  }

  func books(_ number: Int) throws -> [String] {
    try stores[number].rows("SELECT id || ' ' || title || ' ' || pages FROM books UNION ALL SELECT page FROM marks ORDER BY 1 DESC").sorted
    {
      ($0.count == 1 ? "~" + $0 : $0) < ($1.count == 1 ? "~" + $1 : $1)
    }
  }
}
