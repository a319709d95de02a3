import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

/// The first version has the columns `a` and `b` alone, the second one together.
@Suite("Groups that change between versions")
struct ChangedGroupsTests {
  private final class World {
    static func schema(_ version: Int) -> StoreSchema {
      let first = Migration(
        "pairs/001", sql: "CREATE TABLE pairs (id TEXT NOT NULL PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL) STRICT")
      let second = Migration("pairs/002", sql: "CREATE TABLE others (id INTEGER PRIMARY KEY) STRICT")
      return StoreSchema(
        "pairs", migrations: version == 1 ? [first] : [first, second],
        declarations: [.synced("pairs", together: version == 1 ? [] : [["a", "b"]])])
    }

    let folder: TemporaryFolder
    let server: SyncServer
    private(set) var devices: [(store: Store, sync: SyncDevice)] = []
    private var now: Int64 = 1_800_000_000_000

    init(versions: [Int]) throws {
      folder = try TemporaryFolder()
      server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema], options: .testing))
      try server.makeSpace("s", epoch: "e")
      for (number, version) in versions.enumerated() { devices.append(try open(number, version)) }
      try write(0, "INSERT INTO pairs VALUES ('p', 'old', 'old')")
      try settle()
    }

    private func open(_ number: Int, _ version: Int) throws -> (store: Store, sync: SyncDevice) {
      let store = try Store.open(at: folder.file("\(number).sqlite"), schemas: [Self.schema(version)], options: .testing)
      try SyncDevice.connect(store, space: "s", node: Int64(number + 1))
      return (store, try SyncDevice(store, node: Int64(number + 1), clock: { [unowned self] in self.now }))
    }

    func update(_ number: Int) throws {
      try devices[number].store.close()
      devices[number] = try open(number, 2)
    }

    func write(_ number: Int, after seconds: Int64 = 1, _ sql: BoundSQL) throws {
      now += seconds * 1_000
      try devices[number].store.write { tx in
        try tx.execute("UPDATE holdfast_sync SET clock = \(now)")
        try tx.execute(sql)
      }
    }

    /// Returns how many rows the devices have sent.
    @discardableResult
    func settle() throws -> Int { try server.settle(devices.map(\.sync), at: now) }

    /// What all devices show; nil where they differ, in that or in what they know.
    func shown() throws -> String? {
      let rows = try devices.map { try $0.store.rows("SELECT a, b FROM pairs", columns: 2).joined(separator: "; ") }
      let digests = try devices.map { device in try device.store.read { try device.sync.digest(in: $0) } }
      return Set(rows).count == 1 && Set(digests).count == 1 ? rows.first : nil
    }
  }

  @Test("devices with other groups show each other's changes; of two changes of one column the later one stays")
  func otherGroups() throws {
    let world = try World(versions: [1, 2])
    let changes: [(Int, BoundSQL, String)] = [
      (0, "UPDATE pairs SET a = 'x'", "x old"), (1, "UPDATE pairs SET a = 'c'", "c old"), (0, "UPDATE pairs SET b = 'w'", "c w"),
      (1, "UPDATE pairs SET b = 'd'", "c d"), (0, "UPDATE pairs SET a = 'y', b = 'e'", "y e"),
    ]
    for (number, sql, shown) in changes {
      try world.write(number, sql)
      try world.settle()
      #expect(try world.shown() == shown)
      #expect(try world.settle() == 0)
    }
    #expect(world.devices.allSatisfy { $0.sync.status.lost == 0 })
  }

  @Test("columns that are declared together are one value: the later of two edits stays with all of them")
  func together() throws {
    let world = try World(versions: [2, 2])
    try world.write(0, "UPDATE pairs SET a = 'first'")
    try world.write(1, "UPDATE pairs SET b = 'second'")
    try world.settle()
    #expect(try world.shown() == "old second")
  }

  @Test("a change counts as later than another version's that was there, though the clock was set back")
  func clockSetBack() throws {
    let world = try World(versions: [1, 2])
    try world.write(1, "UPDATE pairs SET a = 'x'")
    try world.settle()
    try world.write(0, after: -1, "UPDATE pairs SET a = 'mine'")
    try world.settle()
    #expect(try world.shown() == "mine old")
  }

  @Test("a change of a column that has yet to be sent is not lost when a version opens the store in which the column is in a group")
  func unsent() throws {
    let world = try World(versions: [1, 1])
    try world.write(0, "UPDATE pairs SET a = 'earlier'")
    try world.update(0)
    #expect(try world.settle() > 0)
    #expect(try world.shown() == "earlier old")
    try world.write(0, "UPDATE pairs SET b = 'new'")
    try world.update(1)
    try world.settle()
    #expect(try world.shown() == "earlier new")
  }
}
