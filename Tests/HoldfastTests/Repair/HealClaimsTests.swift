import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// What a healing says to be proven, and what it says may be lost.
@Suite("What a healing claims", .timeLimit(.minutes(10)))
struct HealClaimsTests {
  private func title(_ world: HealWorld) throws -> [[String?]] {
    try ConnectionFactory.plain(world.url.path).texts("SELECT title FROM notes WHERE rowid = 3")
  }

  @Test("an archive whose end is damaged replaces no page, also with trust: the commits behind the damage are in the file only")
  func damagedEnd() throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    try store.write { tx in _ = try tx.execute("UPDATE notes SET title = 'newest' WHERE rowid = 3") }
    _ = try store.archive()
    try store.close()
    let part = world.folder.file("store.sqlite.holdfast/archive/00000001")
    let names = try FileManager.default.contentsOfDirectory(atPath: part.path).filter { $0.hasSuffix("segment") }
    let segment = part.appendingPathComponent(try #require(names.max()))
    try Damage.overwrite(segment, at: 60, count: 8)
    try #require(world.damageLeaves(count: 1) == 1)
    let report = try world.heal(trustsArchive: true)
    #expect(report.means == .rows && report.mayBeLost != [], "\(report)")
    #expect(try title(world) == [["newest"]])
  }

  @Test("commits of the log behind a damaged frame may be lost, unless the archive has them", arguments: [false, true])
  func brokenLog(isArchived: Bool) throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    _ = try store.archive()
    try world.crash(store, after: ["one", "two", "three"], archives: isArchived)
    let log = URL(fileURLWithPath: world.url.path + "-wal")
    try Damage.overwrite(log, at: 32 + (try Data(contentsOf: log).count - 32) / 2, count: 8)
    try #require(world.damageLeaves(count: 1) == 1)
    let report = try world.heal()
    #expect(report.means == .pages && report.mayBeLost.contains { $0.hasPrefix("the log beside") } == !isArchived, "\(report)")
    #expect(try (title(world) == [["three"]]) == isArchived)
  }

  @Test("where the newest snapshot cannot help, lost rows come from one before it")
  func olderSnapshots() throws {
    let world = try HealWorld("shop", archived: false)
    let store = try world.store()
    let first = try store.snapshot()
    try world.change(store)
    let second = try store.snapshot()
    try store.close()
    let file = world.folder.file("store.sqlite.holdfast/snapshots/\(second.id).sqlite")
    try Damage.overwrite(file, at: 8_192, count: 4_096)
    try #require(world.damageLeaves(count: 1) == 1)
    let report = try world.heal()
    #expect(report.means == .rows && report.source == "the snapshot \(first.id)", "\(report)")
    #expect(report.notes.contains { $0.contains("\(second.id) could not help") })
  }

  @Test("a store in which nothing is damaged is not replaced, also where another program changed its schema")
  func schemaOfOthers() throws {
    let world = try HealWorld("notes", archived: true)
    try world.foreign("ALTER TABLE notes ADD COLUMN mood TEXT", "PRAGMA wal_checkpoint(TRUNCATE)")
    let bytes = try Data(contentsOf: world.url)
    let report = try world.heal()
    #expect(report.means == .none && report.kept == nil && report.mayBeLost.count == 1, "\(report)")
    #expect(try Data(contentsOf: world.url) == bytes)
  }

  @Test("the log of a file that is gone comes along: its commits are in no archive")
  func goneWithLog() throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    _ = try store.archive()
    try world.crash(store, after: ["only in the log"])
    try FileManager.default.removeItem(at: world.url)
    let report = try world.heal()
    #expect(report.means == .pages && report.mayBeLost == [], "\(report)")
    #expect(try title(world) == [["only in the log"]])
  }

  @Test("a file without a readable row, whose copies nothing proves, is not replaced by an empty store; with trust they are used")
  func nothingLeft() throws {
    let world = try HealWorld("shop", archived: false)
    let store = try world.store()
    func orders(_ store: Store) throws -> Int { try store.read { try $0.count("SELECT count(*) FROM orders") } }
    let count = try orders(store)
    _ = try store.snapshot()
    try world.change(store)
    try store.close()
    let left = try Data(contentsOf: world.url).prefix(4_096)
    try left.write(to: world.url)
    let error = #expect(throws: StoreError.self) { try world.heal() }
    #expect(error?.code == .damaged && error?.message.contains("nothing proves whose it is") == true, "\(error as Any)")
    #expect(try Data(contentsOf: world.url) == left)
    _ = try world.heal(trustsArchive: true)
    let healed = try world.store()
    #expect(try orders(healed) == count)
    try healed.close()
  }

  @Test("the plan of a way back warns where nothing proves whose copy it is")
  func unprovenCopies() throws {
    let (mine, other) = (try HealWorld("shop", archived: false), try HealWorld("shop", archived: false, isAnother: true))
    let theirs = try other.store()
    for sql in ["UPDATE customers SET points = points + 99", "DELETE FROM orders"] {
      try theirs.write { tx in _ = try tx.execute("\(raw: sql)") }
    }
    let snapshot = try theirs.snapshot()
    try theirs.close()
    let folder = mine.folder.file("store.sqlite.holdfast")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: other.folder.file("store.sqlite.holdfast"), to: folder)
    try Damage.overwrite(mine.url, at: 0, count: 4_096)
    let way = try PlannedWayBack(at: mine.url, to: .snapshot(snapshot.id), options: mine.options) { _ in [mine.schema] }
    #expect(way.warning?.contains("nothing proves whose this state is") == true, "\(way.warning ?? "no warning")")
  }
}
