import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

/// The first version has the columns `a` and `b` alone, the second one together.
@Suite("Groups that change between versions")
struct ChangedGroupsTests {
  private static func schema(_ version: Int) -> StoreSchema {
    let first = Migration(
      "pairs/001", sql: "CREATE TABLE pairs (id TEXT NOT NULL PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL) STRICT")
    let second = Migration("pairs/002", sql: "CREATE TABLE others (id INTEGER PRIMARY KEY) STRICT")
    return StoreSchema(
      "pairs", migrations: version == 1 ? [first] : [first, second],
      declarations: [.synced("pairs", together: version == 1 ? [] : [["a", "b"]])])
  }

  private func world(versions: Int...) throws -> SyncedStores {
    let world = try SyncedStores(versions.map(Self.schema))
    try world.write(0, "INSERT INTO pairs VALUES ('p', 'old', 'old')")
    try world.settle()
    return world
  }

  /// What all devices show; nil where they differ, in that or in what they know.
  private func shown(_ world: SyncedStores) throws -> String? {
    let digests = try world.devices.map { device in try device.store.read { try device.sync.digest(in: $0) } }
    return try Set(digests).count == 1 ? world.shown("SELECT a, b FROM pairs", columns: 2)?.joined(separator: "; ") : nil
  }

  @Test("devices with other groups show each other's changes; of two changes of one column the later one stays")
  func otherGroups() throws {
    let world = try self.world(versions: 1, 2)
    let changes: [(Int, BoundSQL, String)] = [
      (0, "UPDATE pairs SET a = 'x'", "x old"), (1, "UPDATE pairs SET a = 'c'", "c old"), (0, "UPDATE pairs SET b = 'w'", "c w"),
      (1, "UPDATE pairs SET b = 'd'", "c d"), (0, "UPDATE pairs SET a = 'y', b = 'e'", "y e"),
    ]
    for (number, sql, expected) in changes {
      try world.write(number, sql)
      try world.settle()
      #expect(try shown(world) == expected)
      #expect(try world.settle() == 0)
    }
    #expect(world.devices.allSatisfy { $0.sync.status.lost == 0 })
  }

  @Test("columns that are declared together are one value: the later of two edits stays with all of them")
  func together() throws {
    let world = try self.world(versions: 2, 2)
    try world.write(0, "UPDATE pairs SET a = 'first'")
    try world.write(1, "UPDATE pairs SET b = 'second'")
    try world.settle()
    #expect(try shown(world) == "old second")
  }

  @Test("a change counts as later than another version's that was there, though the clock was set back")
  func clockSetBack() throws {
    let world = try self.world(versions: 1, 2)
    try world.write(1, "UPDATE pairs SET a = 'x'")
    try world.settle()
    try world.write(0, after: -1, "UPDATE pairs SET a = 'mine'")
    try world.settle()
    #expect(try shown(world) == "mine old")
  }

  @Test("a change of a column that has yet to be sent is not lost when a version opens the store in which the column is in a group")
  func unsent() throws {
    let world = try self.world(versions: 1, 1)
    try world.write(0, "UPDATE pairs SET a = 'earlier'")
    try world.reopen(0, Self.schema(2))
    #expect(try world.settle() > 0)
    #expect(try shown(world) == "earlier old")
    try world.write(0, "UPDATE pairs SET b = 'new'")
    try world.reopen(1, Self.schema(2))
    try world.settle()
    #expect(try shown(world) == "earlier new")
  }
}
