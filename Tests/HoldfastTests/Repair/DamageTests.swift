import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Damage that is found while a store is open", .timeLimit(.minutes(10)))
struct DamageTests {
  @Test("each of 80 single flipped bits is found by the pages of the archive, and healing brings the bytes back")
  func flips() async throws {
    let world = try HealWorld("unseen", archived: true)
    let (size, seed) = (try Data(contentsOf: world.url).count, UInt64(Date().timeIntervalSince1970))
    var random = SeededGenerator(seed: seed)
    let store = try world.store()
    #expect(try await store.lookForDamage() == nil)
    let handle = try FileHandle(forUpdating: world.url)
    for _ in 0..<80 {
      let place = UInt64.random(in: 0..<UInt64(size), using: &random)
      try handle.seek(toOffset: place)
      let byte = try #require(try handle.read(upToCount: 1)?.first)
      func write(_ byte: UInt8) throws {
        try handle.seek(toOffset: place)
        try handle.write(contentsOf: Data([byte]))
      }
      try write(byte ^ 1 << UInt8.random(in: 0..<8, using: &random))
      #expect(try await store.lookForDamage()?.source == .pages, "seed \(seed), byte \(place)")
      try write(byte)
    }
    #expect(try await store.lookForDamage() == nil)
    #expect(store.damage == nil)
    try store.close()
  }

  @Test("a read that meets damage tells it, the rest is still read, and healing ends it; it is kept over a restart")
  func reading() async throws {
    let world = try HealWorld("shop", archived: true)
    var store = try world.store()
    _ = try await store.archive()
    try SalvageWorld.damageInPlace(world.url)
    #expect(failure { try store.read { try $0.count("SELECT count(*) FROM orders NOT INDEXED WHERE note <> 'x'") } }?.code == .damaged)
    #expect(store.damage?.source == .reading)
    #expect(try await store.read { try $0.count("SELECT count(*) FROM labels") } == 60)
    // The archive would follow a damaged file.
    try store.close(checkpoints: false)
    #expect(StoreHealth(try StoreFiles(world.url)).damage?.source == .reading)
    let report = try world.heal()
    #expect(report.means == .pages, "\(report)")
    store = try world.store()
    #expect(store.damage == nil)
    try store.close()
  }

  @Test("the stream of damage begins with the present state, and tells what a look finds and a healing ends")
  func updates() async throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    var updates = store.damageUpdates().makeAsyncIterator()
    #expect(try #require(await updates.next()) == nil)
    _ = try await store.archive()
    #expect(try await store.lookForDamage() == nil)
    let clean = try StoreHealth(StoreFiles(world.url)).checkedAt
    try SalvageWorld.damageInPlace(world.url)
    let found = try await store.lookForDamage()
    #expect(found?.source == .pages)
    // Only a look that finds nothing is a clean one.
    #expect(try clean != nil && StoreHealth(StoreFiles(world.url)).checkedAt == clean)
    #expect(try #require(await updates.next()) == found)
    #expect(try await store.heal().means == .pages)
    #expect(try #require(await updates.next()) == nil)
    try store.close()
    #expect(await updates.next() == nil)
  }

  @Test("while damage is known, no snapshot is removed; then the rules hold again")
  func snapshots() async throws {
    var world = try HealWorld("shop", archived: true)
    world.options.snapshots.policy = SnapshotPolicy(keepLast: 1)
    let store = try world.store()
    for number in 1...4 {
      try await store.write { tx in
        try tx.execute("UPDATE labels SET color = \("c\(number)") WHERE id = 1")
        if number == 1 { _ = try tx.execute("UPDATE customers SET name = 'now' WHERE id = 7") }
      }
      if number == 2 {
        _ = try await store.checkpoint(.truncate)
        _ = try await store.archive()
        // A letter of a text: SQLite sees nothing.
        let place = try #require(try Data(contentsOf: world.url).range(of: Data("now".utf8))).lowerBound
        let handle = try FileHandle(forUpdating: world.url)
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: Data("N".utf8))
      }
      if number == 4 { try await store.heal() }
      _ = try store.snapshot(label: "\(number)", isAutomatic: true)
      // The second finds the damage itself, before it counts.
      #expect(try store.snapshots().count == [1, 2, 3, 1][number - 1], "\(number)")
    }
    try store.close()
  }

  @Test("a store looks by itself after a crash, and when it is idle and the last clean look is old")
  func byItself() async throws {
    var world = try HealWorld("unseen", archived: false)
    world.options.looksForDamageEvery = .seconds(60)
    let files = try StoreFiles(world.url)
    try StoreHealth.change(files) { $0.checkedAt = Date(timeIntervalSince1970: 1) }
    let store = try world.store()
    store.damageWatch?.settle()
    #expect(try #require(StoreHealth(files).checkedAt) > Date(timeIntervalSince1970: 1))
    _ = try await store.write { tx in try tx.execute("INSERT INTO settings VALUES ('a', 1)") }
    try store.close(checkpoints: false)
    try SalvageWorld.damageInPlace(world.url)
    let crashed = try world.store()
    crashed.damageWatch?.settle()
    #expect(crashed.damage?.source == .check)
    try crashed.close()
  }
}
