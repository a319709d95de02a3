import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@testable import HoldfastSimulator

/// Edits and rows of several devices that meet. Each `settle` also makes all the checks of the simulator.
@Suite("Devices that meet")
struct MeetingTests {
  private typealias Item = Simulated.Item
  private typealias World = Simulated.World

  private func items(_ world: World) throws -> [[String]] {
    try world.devices.map { device in
      try device.store.rows("SELECT id, title, notes, position, slug FROM items ORDER BY id", columns: 5)
    }
  }

  /// Writes on a device, a second later.
  private func then(_ world: World, _ number: Int, _ body: (Writer) throws -> Void) throws {
    world.now += 1_000
    let isWritten = try world.write(number, body)
    #expect(isWritten)
  }

  /// Two devices that have one item.
  private func shared(_ item: Item = Item("i1", "old")) throws -> World {
    let world = try World()
    try world.write(0) { tx in try tx.insert(item) }
    try world.settle()
    return world
  }

  @Test("a device that has seen what a restored server lost gets what others have pushed since under the same numbers")
  func behindTheFork() throws {
    let world = try shared()
    let backup = try world.server.copy()
    try then(world, 0) { tx in try tx.execute("UPDATE items SET notes = 'since' WHERE id = 'i1'") }
    #expect(try world.exchange(0))
    try world.server.restore(backup)
    try then(world, 1) { tx in try tx.insert(Item("i2", "new")) }
    #expect(try world.exchange(1))
    try world.settle()
    #expect(world.events[.resynced] == nil)
    #expect(try items(world) == Array(repeating: ["i1 old since 0 NULL", "i2 new NULL 0 NULL"], count: 2))
  }

  @Test("a parked row takes the rows that refer to it with it, and they come back together")
  func parkedWithChildren() throws {
    let world = try World()
    try then(world, 0) { tx in try tx.insert(Item("a", "new", slug: "x")) }
    try then(world, 1) { tx in
      try tx.insert(Item("b", "new", slug: "x"))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c1', 'b', 'note')")
    }
    try world.settle()
    let parked: Set = [SyncRow.Name("items", "b"), SyncRow.Name("children", "c1")]
    #expect(try world.devices.map { try $0.parked() } == [parked, parked])
    try then(world, 0) { tx in try tx.execute("UPDATE items SET slug = 'y' WHERE id = 'a'") }
    try world.settle()
    let children = try world.devices.map { try $0.store.rows("SELECT id, item_id, note FROM children", columns: 3) }
    #expect(children == [["c1 b note"], ["c1 b note"]])
  }

  @Test("of two rows with one key that two copies of a file insert at one time, one stays whole")
  func oneKey() throws {
    let world = try shared()
    try world.add(version: 2, skew: 0).restore(try world.devices[0].copy(), node: world.node())
    world.now += 1_000
    for (number, title, position) in [(0, "a", 9), (2, "b", 1)] {
      try world.write(number) { tx in
        var item = Item("i2", title)
        item.position = position
        try tx.insert(item)
      }
    }
    try world.settle()
    let shown = Set(try items(world))
    #expect(shown == [["i1 old NULL 0 NULL", "i2 a NULL 9 NULL"]] || shown == [["i1 old NULL 0 NULL", "i2 b NULL 1 NULL"]])
  }

  @Test("what an import writes is as old as its source: an edit that was made after it wins, though the import ran later")
  func importAge() throws {
    let world = try shared()
    let writtenAt = world.now + 500
    try then(world, 1) { tx in try tx.execute("UPDATE items SET notes = 'edited'") }
    try then(world, 0) { tx in
      try tx.stamped(at: writtenAt, by: String(repeating: "a", count: 64)) {
        _ = try tx.execute("UPDATE items SET notes = 'imported', position = 7")
      }
    }
    try world.settle()
    #expect(try items(world) == Array(repeating: ["i1 old edited 7 NULL"], count: 2))
  }
}
