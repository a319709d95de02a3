import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@testable import HoldfastSimulator

/// What people see on two devices. Each `settle` also makes all the checks of the simulator.
@Suite("Two devices and a server")
struct SyncScenarioTests {
  private typealias Item = Simulated.Item
  private typealias World = Simulated.World

  @Test("two devices edit two fields of one row: both edits stay")
  func twoFields() throws {
    let world = try World.shared()
    try world.then(0, "UPDATE items SET notes = 'read' WHERE id = 'i1'")
    try world.then(1, "UPDATE items SET position = 7 WHERE id = 'i1'")
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old read 7 NULL"], count: 2))
  }

  @Test("two devices edit one field: the later edit stays, and the earlier one is in the list of what was lost")
  func oneField() throws {
    let world = try World.shared()
    try world.then(0, "UPDATE items SET notes = 'v000901' WHERE id = 'i1'")
    try world.then(1, "UPDATE items SET notes = 'v000902' WHERE id = 'i1'")
    #expect(try world.exchange(1))
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old v000902 0 NULL"], count: 2))
    #expect(try world.devices[0].words() == ["v000901", "v000902"])
  }

  @Test("a deletion wins against an edit; the edit is in the list of what was lost")
  func deletionWins() throws {
    let world = try World.shared()
    try world.then(0, "DELETE FROM items WHERE id = 'i1'")
    try world.then(1, "UPDATE items SET notes = 'v000901' WHERE id = 'i1'")
    try world.settle()
    #expect(try world.items() == [[], []])
    #expect(try world.devices[1].words() == ["v000901"])
    #expect(try world.devices.map { try $0.count("SELECT count(*) FROM holdfast_sync_lost") } == [0, 1])
  }

  @Test("a row that is deleted and inserted in one transaction arrives as the new row, with what belongs to it")
  func newRow() throws {
    let world = try World.shared()
    try world.then(0) { tx in
      try tx.execute("DELETE FROM items WHERE id = 'i1'")
      try tx.insert(Item("i1", "new"))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c1', 'i1', 'note')")
    }
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 new NULL 0 NULL"], count: 2))
    #expect(try world.devices[1].count("SELECT count(*) FROM children") == 1)
  }

  @Test("two devices take one UNIQUE value: one row is parked, the same on both, and comes back when the other is renamed")
  func uniqueClash() throws {
    let world = try World.shared()
    try world.then(1, "UPDATE items SET slug = 'other' WHERE id = 'i1'")
    for (number, id) in [(0, "a"), (1, "b")] { try world.then(number) { tx in try tx.insert(Item(id, "new", slug: "x")) } }
    try world.settle()
    #expect(try world.items() == Array(repeating: ["a new NULL 0 x", "i1 old NULL 0 other"], count: 2))
    #expect(try world.devices.map { try $0.parked() } == Array(repeating: [SyncRow.Name("items", "b")], count: 2))
    try world.then(0, "UPDATE items SET slug = 'y' WHERE id = 'a'")
    try world.settle()
    #expect(try world.items() == Array(repeating: ["a new NULL 0 y", "b new NULL 0 x", "i1 old NULL 0 other"], count: 2))
  }

  @Test("a child that arrives before its parent waits, and stands beside it as soon as the parent is there")
  func childFirst() throws {
    let world = try World()
    let device = world.devices[1]
    try world.write(0) { tx in
      try tx.insert(Item("i1", "parent"))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c1', 'i1', 'note')")
    }
    #expect(try world.exchange(0))
    // Now the parent belongs to a later push than its child.
    try world.then(0, "UPDATE items SET position = 1 WHERE id = 'i1'")
    #expect(try world.exchange(0))
    device.sync.beginRound()
    let request = try #require(try device.sync.next())
    try world.receive(world.answer(request, of: device, fileLife: 0, pageRows: 1), to: request, device)
    #expect(try device.parked() == [SyncRow.Name("children", "c1")])
    #expect(try device.count("SELECT count(*) FROM children") == 0)
    try world.settle()
    #expect(try device.parked() == [])
    #expect(try device.count("SELECT count(*) FROM children") == 1)
  }

  @Test("a deletion that arrives before the move of a child, which was made before it, does not take the child along")
  func movedBefore() throws {
    let world = try World()
    let device = world.devices[1]
    try world.write(0) { tx in
      try tx.insert(Item("i1", "old parent"))
      try tx.insert(Item("i2", "new parent"))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c1', 'i1', 'note')")
    }
    try world.settle()
    let edits: [BoundSQL] = [
      "UPDATE children SET item_id = 'i2'", "DELETE FROM items WHERE id = 'i1'",
      // Now the moved child belongs to a later push than the deletion.
      "UPDATE children SET note = 'moved'",
    ]
    for sql in edits {
      try world.then(0, sql)
      #expect(try world.exchange(0))
    }
    device.sync.beginRound()
    let request = try #require(try device.sync.next())
    try world.receive(world.answer(request, of: device, fileLife: 0, pageRows: 1), to: request, device)
    #expect(try device.store.rows("SELECT id FROM items") == ["i2"] && device.parked() == [SyncRow.Name("children", "c1")])
    #expect(try world.exchange(1, pageRows: 1))
    try world.settle()
    for device in world.devices {
      #expect(try device.store.rows("SELECT item_id, note FROM children", columns: 2) == ["i2 moved"])
      #expect(try device.parked() == [])
    }
    #expect((world.events[.cascaded] ?? 0) == 0)
  }

  @Test("a device whose clock is a year ahead neither blocks nor wins for ever")
  func yearAhead() throws {
    let world = try World(skews: [0, 365 * 86_400_000])
    try world.write(1) { tx in try tx.insert(Item("i1", "from the future")) }
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 from the future NULL 0 NULL"], count: 2))
    try world.then(1, "UPDATE items SET title = 'again', sort_title = 'AGAIN' WHERE id = 'i1'")
    try world.settle()
    try world.then(0, "UPDATE items SET title = 'now', sort_title = 'NOW' WHERE id = 'i1'")
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 now NULL 0 NULL"], count: 2))
  }

  @Test("an edit that is stamped again stays later than the device's edit before it, of which the answer was lost")
  func stampedAgainAfterALostAnswer() throws {
    let world = try World.shared()
    let device = world.devices[1]
    // The server takes stamps of two minutes ahead.
    device.clock.skew = 60_000
    try world.then(1, "UPDATE items SET notes = 'first' WHERE id = 'i1'")
    device.sync.beginRound()
    let pull = try #require(try device.sync.next())
    try world.receive(world.answer(pull, of: device, fileLife: 0), to: pull, device)
    _ = try world.answer(try #require(try device.sync.next()), of: device, fileLife: 0)
    device.clock.skew = 3_600_000
    try world.then(1, "UPDATE items SET notes = 'second' WHERE id = 'i1'")
    try world.settle()
    #expect(world.events[.restamped] == 1)
    #expect(try world.items() == Array(repeating: ["i1 old second 0 NULL"], count: 2))
  }

  @Test("a server that was restored from a backup gets back what a device has")
  func restoredServer() throws {
    let world = try World.shared()
    let backup = try world.server.copy()
    try world.then(0, "UPDATE items SET notes = 'since' WHERE id = 'i1'")
    try world.settle()
    try world.server.restore(backup)
    #expect(try world.server.rows(at: world.now).values.allSatisfy { $0.exceptions.isEmpty })
    try world.settle()
    #expect(world.events[.forked] == 2)
    #expect(try world.items() == Array(repeating: ["i1 old since 0 NULL"], count: 2))
  }

  @Test("a branch of the server's history that was abandoned is unknown to it: the device sends again whatever is missing")
  func abandonedBranch() throws {
    let world = try World.shared()
    let backup = try world.server.copy()
    try world.server.restore(backup)
    try world.settle()
    try world.then(0, "UPDATE items SET notes = 'on the branch' WHERE id = 'i1'")
    try world.settle()
    // From before that epoch began.
    try world.server.restore(backup)
    try world.settle()
    #expect(world.events[.resynced] == 2)
    #expect(try world.items() == Array(repeating: ["i1 old on the branch 0 NULL"], count: 2))
  }

  @Test("a device that was restored from a copy gets what it had sent, and sends what it writes from then on")
  func restoredDevice() throws {
    let world = try World.shared()
    let copy = try world.devices[0].copy()
    try world.then(0, "UPDATE items SET notes = 'since' WHERE id = 'i1'")
    try world.settle()
    try world.devices[0].restore(copy, node: world.node())
    #expect(try world.items()[0] == ["i1 old NULL 0 NULL"])
    try world.then(0, "UPDATE items SET position = 5 WHERE id = 'i1'")
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old since 5 NULL"], count: 2))
  }

  @Test("two live copies of one file are two devices")
  func clone() throws {
    let world = try World.shared()
    try world.add(version: 2, skew: 0).restore(try world.devices[0].copy(), node: world.node())
    try world.then(0, "UPDATE items SET notes = 'first' WHERE id = 'i1'")
    try world.then(2, "UPDATE items SET position = 2 WHERE id = 'i1'")
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old first 2 NULL"], count: 3))
  }

  @Test("a device of an older version keeps what it does not know, and shows it after its update")
  func olderVersion() throws {
    let world = try World(versions: [2, 1])
    try world.write(0) { tx in
      try tx.insert(Item("i1", "parent"))
      try tx.execute("INSERT INTO children (id, item_id, note, mood) VALUES ('c1', 'i1', 'note', 'glad')")
      try tx.execute("INSERT INTO labels (id, name) VALUES (1, 'red')")
    }
    try world.settle()
    try world.then(1, "UPDATE children SET note = 'edited' WHERE id = 'c1'")
    try world.settle()
    try world.devices[1].upgrade(node: world.node())
    try world.settle()
    for device in world.devices {
      #expect(try device.store.rows("SELECT note, mood, (SELECT name FROM labels) FROM children", columns: 3) == ["edited glad red"])
    }
  }

  @Test("a deletion takes along what another device has added to the row meanwhile, and that is in the list of what was lost")
  func cascade() throws {
    let world = try World.shared()
    try world.then(0, "DELETE FROM items WHERE id = 'i1'")
    try world.then(1, "INSERT INTO children (id, item_id, note) VALUES ('c1', 'i1', 'v000901')")
    try world.settle()
    #expect(try world.devices.map { try $0.count("SELECT count(*) FROM children") } == [0, 0])
    #expect(world.events[.cascaded] == 1)
    #expect(try world.devices[1].words() == ["v000901"])
  }

  @Test("a device that has seen what a restored server lost gets what others have pushed since under the same numbers")
  func behindTheFork() throws {
    let world = try World.shared()
    let backup = try world.server.copy()
    try world.then(0, "UPDATE items SET notes = 'since' WHERE id = 'i1'")
    #expect(try world.exchange(0))
    try world.server.restore(backup)
    try world.then(1) { tx in try tx.insert(Item("i2", "new")) }
    #expect(try world.exchange(1))
    try world.settle()
    #expect(world.events[.resynced] == nil)
    #expect(try world.items() == Array(repeating: ["i1 old since 0 NULL", "i2 new NULL 0 NULL"], count: 2))
  }

  @Test("a parked row takes the rows that refer to it with it, and they come back together")
  func parkedWithChildren() throws {
    let world = try World()
    try world.then(0) { tx in try tx.insert(Item("a", "new", slug: "x")) }
    try world.then(1) { tx in
      try tx.insert(Item("b", "new", slug: "x"))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c1', 'b', 'note')")
    }
    try world.settle()
    let parked: Set = [SyncRow.Name("items", "b"), SyncRow.Name("children", "c1")]
    #expect(try world.devices.map { try $0.parked() } == [parked, parked])
    try world.then(0, "UPDATE items SET slug = 'y' WHERE id = 'a'")
    try world.settle()
    let children = try world.devices.map { try $0.store.rows("SELECT id, item_id, note FROM children", columns: 3) }
    #expect(children == [["c1 b note"], ["c1 b note"]])
  }

  @Test("of two rows with one key that two copies of a file insert at one time, one stays whole")
  func oneKey() throws {
    let world = try World.shared()
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
    let shown = Set(try world.items())
    #expect(shown == [["i1 old NULL 0 NULL", "i2 a NULL 9 NULL"]] || shown == [["i1 old NULL 0 NULL", "i2 b NULL 1 NULL"]])
  }

  @Test("what an import writes is as old as its source: an edit that was made after it wins, though the import ran later")
  func importAge() throws {
    let world = try World.shared()
    let writtenAt = world.now + 500
    try world.then(1, "UPDATE items SET notes = 'edited'")
    try world.then(0) { tx in
      try tx.stamped(at: writtenAt, by: String(repeating: "a", count: 64)) {
        _ = try tx.execute("UPDATE items SET notes = 'imported', position = 7")
      }
    }
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old edited 7 NULL"], count: 2))
  }
}
