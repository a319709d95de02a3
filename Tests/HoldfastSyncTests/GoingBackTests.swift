import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

@Suite("Going back in a synced store")
struct GoingBackTests {
  @Test("a rewind is an edit: it travels, what others wrote elsewhere stays, and its label undoes it everywhere")
  func rewind() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1), ('b', 'B', 1)", "INSERT INTO marks VALUES ('a', 7)")
    try world.settle()
    try world.stores[0].label("here")
    try world.write(0, "UPDATE books SET title = 'X' WHERE id = 'a'", "DELETE FROM books WHERE id = 'b'", "UPDATE marks SET page = 9")
    try world.write(0, "INSERT INTO books VALUES ('c', 'C', 1)")
    try world.settle()
    try world.write(1, "UPDATE books SET pages = 5 WHERE id = 'a'")
    let undo = try world.stores[0].rewind(to: .label("here")).undo
    try world.settle()
    #expect(try world.books(0) == ["a A 5", "b B 1", "7"] && world.books(1) == world.books(0))
    _ = try world.stores[0].rewind(to: .label(undo))
    try world.settle()
    #expect(try world.books(0) == ["a X 1", "c C 1", "9"] && world.books(1) == world.books(0))
  }

  @Test("a rewind to a moment before the store was connected keeps the connection, and captures what is written after it")
  func beforeConnecting() throws {
    let world = try Devices(connected: false)
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try world.stores[0].label("here")
    try world.write(0, "UPDATE books SET title = 'B'")
    try world.connect()
    try world.settle()
    _ = try world.stores[0].rewind(to: .label("here"))
    try world.write(0, "INSERT INTO books VALUES ('b', 'B', 1)")
    try world.settle()
    #expect(try world.books(1) == ["a A 1", "b B 1"] && world.books(0) == world.books(1))
    #expect(try world.stores[0].integrityCheck().isHealthy)
  }

  @Test("a store that was disconnected since stays so, whatever it was at the moment to which it goes back")
  func afterDisconnecting() throws {
    let world = try Devices()
    let store = world.stores[0]
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try store.label("here")
    try store.write { tx in try store.dropSync(in: tx) }
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = 'B'") }
    _ = try store.rewind(to: .label("here"))
    try store.write { tx in _ = try tx.execute("INSERT INTO books VALUES ('b', 'B', 1)") }
    #expect(try world.books(0) == ["a A 1", "b B 1"])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%sync%'") == [])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("a rewind to a moment before a row was parked brings it back on every device")
  func parked() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO names VALUES ('a', 'M')")
    try world.write(0, "INSERT INTO names VALUES ('b', 'N')")
    try world.settle()
    try world.stores[0].label("here")
    try world.write(0, "UPDATE names SET name = 'P' WHERE id = 'b'")
    try world.write(1, "UPDATE names SET name = 'P' WHERE id = 'a'")
    try world.settle()
    for store in world.stores { #expect(try store.rows("SELECT key FROM holdfast_sync_parked") == ["b"]) }
    _ = try world.stores[0].rewind(to: .label("here"))
    try world.settle()
    for store in world.stores {
      #expect(try store.rows("SELECT id || name FROM names ORDER BY id") == ["aM", "bN"])
      #expect(try store.rows("SELECT key FROM holdfast_sync_parked") == [])
    }
  }

  @Test("a purged row that was parked is deleted on every device")
  func purgeParked() throws {
    let world = try Devices()
    let id = "01940000-0000-7000-8000-000000000001"
    try world.write(0, "INSERT INTO names VALUES ('a', 'M')")
    try world.write(0, "INSERT INTO names VALUES (\(id), 'N')")
    try world.settle()
    try world.write(0, "UPDATE names SET name = 'P' WHERE id = \(id)")
    try world.write(1, "UPDATE names SET name = 'P' WHERE id = 'a'")
    try world.settle()
    #expect(try world.stores[0].rows("SELECT key FROM holdfast_sync_parked") == [id])
    _ = try world.stores[0].purge(Name.self, id: #require(UUID(uuidString: id)))
    #expect(try world.stores[0].rows("SELECT body FROM holdfast_sync_parked") == [])
    try world.settle()
    for store in world.stores {
      #expect(try store.rows("SELECT generation FROM holdfast_sync_row WHERE key LIKE '0194%'") == ["2"])
      #expect(try store.rows("SELECT key FROM holdfast_sync_parked") == [])
    }
  }

  @Test("a purged row leaves no byte in what sync keeps of it but its key")
  func purge() throws {
    let world = try Devices()
    let id = "01940000-0000-7000-8000-000000000001"
    try world.stores[0].write { tx in _ = try tx.execute("INSERT INTO books VALUES (\(id), 'first secret', 1)") }
    try world.settle()
    try world.setTime()
    try world.stores[1].write { tx in _ = try tx.execute("UPDATE books SET title = 'secret' WHERE id = \(id)") }
    try world.setTime()
    try world.stores[0].write { tx in _ = try tx.execute("UPDATE books SET title = 'other' WHERE id = \(id)") }
    try world.settle()
    #expect(try world.stores[1].rows("SELECT count(*) FROM holdfast_sync_lost") == ["1"])
    _ = try world.stores[1].purge(Book.self, id: #require(UUID(uuidString: id)))
    try world.settle()
    #expect(try world.stores[1].rows("SELECT count(*) FROM holdfast_sync_lost") == ["0"])
    #expect(try world.books(0) == [])
  }
}

private struct Book: StoredRecord, Codable {
  static let table = "books"
  var id: UUID
  var title: String
  var pages: Int
}

private struct Name: StoredRecord, Codable {
  static let table = "names"
  var id: UUID
  var name: String
}

/// Two archived stores on disk, each with its process, and a server. Encrypted where SQLite can.
private final class Devices {
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

  let folder: TemporaryFolder
  let server: SyncServer
  let stores: [Store]
  private let clock = Clock()
  private var devices: [SyncDevice]

  init(connected: Bool = true) throws {
    let folder = try TemporaryFolder()
    self.folder = folder
    server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    try server.makeSpace("s", epoch: "e1")
    var options = StoreOptions.testing
    options.archive.mode = .begins
    options.key = Encryption.isAvailable ? .random() : nil
    stores = try [0, 1].map { try Store.open(at: folder.file("\($0).sqlite"), schemas: [Self.schema], options: options) }
    for store in stores { _ = try store.archive() }
    devices = []
    if connected { try connect() }
  }

  private final class Clock {
    var now: Int64 = 1_800_000_000_000
  }

  func connect() throws {
    let clock = clock
    devices = try stores.enumerated().map { number, store in
      try SyncDevice.connect(store, space: "s", node: Int64(number + 1))
      return try SyncDevice(store, node: Int64(number + 1)) { clock.now }
    }
    try setTime()
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

  func settle() throws {
    try setTime()
    for _ in 0..<3 {
      for device in devices {
        device.beginRound()
        while let request = try device.next() { try device.receive(server.answer(request, in: "s", now: clock.now), to: request) }
      }
    }
  }

  func books(_ number: Int) throws -> [String] {
    try stores[number].rows("SELECT id || ' ' || title || ' ' || pages FROM books UNION ALL SELECT page FROM marks ORDER BY 1 DESC").sorted
    {
      ($0.count == 1 ? "~" + $0 : $0) < ($1.count == 1 ? "~" + $1 : $1)
    }
  }
}
