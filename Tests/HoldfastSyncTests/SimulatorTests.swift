import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSimulator

/// Random devices, networks and accidents. `HOLDFAST_SEEDS` in the environment sets the number of seeds, from 0 on.
@Suite("The sync simulator")
struct SimulatorTests {
  private static let seeds: UInt64 =
    ProcessInfo.processInfo.environment["HOLDFAST_SEEDS"].flatMap(UInt64.init) ?? (ProofRun.isLong ? 1_000 : 5)

  @Test("every seed ends with equal tables on all devices and on the server, and nothing that was acknowledged or written is gone")
  func allSeeds() {
    let result = SimulatedSeeds.run(0..<Self.seeds)
    #expect(result.failures == [:])
    // `make simulate` runs enough seeds to demand this of each.
    if Self.seeds >= 200 { #expect(result.missing == [], "\(Self.seeds) seeds in which this never happened") }
  }

  @Test("a seed gives the same run again")
  func deterministic() throws { #expect(try Simulated.run(seed: 7, steps: 50) == Simulated.run(seed: 7, steps: 50)) }

  @Test("a value that only one device has is found")
  func seesDifferences() throws {
    let world = try Simulated.World()
    try world.write(0) { tx in try tx.insert(Simulated.Item("i1", "title")) }
    try world.settle()
    try world.devices[1].store.write { tx in
      try tx.execute("UPDATE holdfast_sync SET applying = 1")
      try tx.execute("UPDATE items SET position = 9")
      try tx.execute("UPDATE holdfast_sync SET applying = 0")
    }
    #expect(throws: Simulated.Violation.self) { try world.check() }
  }

  @Test("a process that ends at any statement while it syncs loses nothing, and applies nothing twice", arguments: [0, 1])
  func crashes(_ number: Int) throws {
    let world = try conflict(at: number)
    #expect(!world.devices[number].unsent.subtracting(world.taken).isEmpty)
    #expect(try world.sweep(number, stride: ProofRun.isLong ? 1 : 23) > 50)
  }

  @Test("a server that ends at any statement of a push has taken nothing of it, and takes all of the next one")
  func serverEnds() throws {
    for statement in 1...100 {
      let world = try conflict(at: 0)
      let digest = try world.server.digest()
      world.server.endsAt = statement
      do {
        _ = try world.exchange(0)
        #expect(statement > 5)
        return try world.settle()
      } catch is Simulated.Server.Ended {
        #expect(try world.server.digest() == digest)
        try world.settle()
      }
    }
    Issue.record("the push does not end")
  }

  @Test("what the server refused, as too large, too much, of an old device or without a token, is taken once it may be")
  func refusals() throws {
    let world = try Simulated.World(versions: [1, 2])
    var few = SyncLimits()
    few.rowBytes = 1
    try world.limit(few)
    try world.write(0) { tx in try tx.insert(Simulated.Item("i1", world.word())) }
    #expect(try world.exchange(0))
    #expect(world.events[.tooLarge] == 1)
    (few.rowBytes, few.rows) = (1_000, 0)
    try world.limit(few)
    #expect(try world.exchange(0))
    #expect(world.events[.full] == 1)
    try world.server.requireSchema(2)
    _ = try world.exchange(0)
    #expect(world.events[.outdated] == 1)
    world.links[1].hasToken = false
    _ = try world.exchange(1)
    #expect(world.events[.shutOut] == 1)
    #expect(try world.server.rows(at: world.now).isEmpty)
    try world.settle()
    #expect(try world.server.rows(at: world.now).count == 1)
  }

  @Test("who saw half of a transaction, because the server refused the rest, sees all of it in the end; a half that stays is found")
  func halves() throws {
    let world = try Simulated.World()
    var few = SyncLimits()
    few.rows = 1
    try world.limit(few)
    try world.write(0) { tx in
      try tx.execute("INSERT INTO accounts (id, amount, updated_at) VALUES ('p0a', 5, \(world.now)), ('p0b', -5, \(world.now))")
    }
    for number in [0, 1] { _ = try world.exchange(number) }
    #expect(try world.devices.map { try $0.halves() } == [0, 1])
    try world.settle()
    #expect(try world.devices.map { try $0.halves() } == [0, 0])
    try world.write(0) { tx in try tx.execute("DELETE FROM accounts WHERE id = 'p0a'") }
    #expect(throws: Simulated.Violation.self) { try world.settle() }
  }

  /// Two devices that each have what the other must park, delete, merge and lose. Everything is on the server, except the last edits of
  /// device `number`.
  private func conflict(at number: Int) throws -> Simulated.World {
    let world = try Simulated.World()
    try world.write(0) { tx in
      for id in ["i1", "i2"] { try tx.insert(Simulated.Item(id, world.word())) }
      try tx.execute("INSERT INTO children (id, item_id, friend_id, note) VALUES ('c1', 'i1', 'i2', \(world.word()))")
    }
    try world.settle()
    world.now += 1_000
    try world.write(0) { tx in
      try tx.execute("DELETE FROM items WHERE id = 'i1'")
      try tx.insert(Simulated.Item("i3", world.word(), slug: "x"))
      try tx.execute("UPDATE items SET notes = \(world.word()), slug = 'y' WHERE id = 'i2'")
    }
    world.now += 1_000
    try world.write(1) { tx in
      try tx.insert(Simulated.Item("i4", world.word(), slug: "x"))
      try tx.insert(Simulated.Tag("i1", "a/b", weight: 1))
      try tx.execute("INSERT INTO children (id, item_id, note) VALUES ('c2', 'i1', \(world.word()))")
      try tx.execute("UPDATE items SET notes = \(world.word()), position = 3 WHERE id = 'i2'")
    }
    #expect(try world.exchange(0))
    world.now += 1_000
    try world.write(0) { tx in
      let word = world.word()
      try tx.execute("UPDATE items SET opened = \(word), closed = \(word), position = 9 WHERE id = 'i3'")
    }
    #expect(try world.exchange(1 - number))
    return world
  }
}
