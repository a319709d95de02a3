import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// What is another program's or another store's, when a store is healed.
@Suite("Healing beside other programs and other stores", .timeLimit(.minutes(10)))
struct HealForeignTests {
  @Test(
    "what another program committed while the store was closed stays when pages are damaged later, and the report says what may be lost")
  func commitsStay() throws {
    let world = try HealWorld("shop", archived: true)
    let before = try Data(contentsOf: world.url)
    try world.foreign(
      "UPDATE customers SET points = 77 WHERE id = 3", "INSERT INTO labels VALUES (9999, 'theirs', NULL)", "PRAGMA wal_checkpoint(TRUNCATE)"
    )
    let rows = try SalvageWorld.rows(world.url)
    try #require(world.damageLeaves(sameAs: before, count: 2) == 2)
    let report = try world.heal()
    #expect(report.means == .pages && report.mayBeLost.count == 1, "\(report)")
    #expect(try SalvageWorld.rows(world.url) == rows)
    let store = try world.store()
    #expect(try store.integrityCheck().isHealthy)
    try store.close()
    #expect(try Archive(of: world.url, options: world.options).history().filter { $0.kind == .gap }.count == 1)
  }

  @Test("where nobody else has committed, damaged pages come from the archive, and nothing is said to be lost")
  func nothingLost() throws {
    let world = try HealWorld("shop", archived: true)
    let sound = try Data(contentsOf: world.url)
    try #require(world.damageLeaves(sameAs: sound, count: 2) == 2)
    let report = try world.heal()
    #expect(report.means == .pages && report.mayBeLost == [] && report.pages == 2, "\(report)")
    #expect(try Data(contentsOf: world.url) == sound)
  }

  @Test("the archive and the snapshots of another store are not used, also with trust, and opening sets the archive aside")
  func anotherStore() throws {
    let (mine, other) = (try HealWorld("shop", archived: true), try HealWorld("shop", archived: true, isAnother: true))
    let theirs = try other.store()
    try theirs.write { tx in _ = try tx.execute("UPDATE customers SET points = 99") }
    let snapshot = try theirs.snapshot()
    _ = try theirs.archive()
    try theirs.close()
    let (sound, rows) = (try Data(contentsOf: mine.url), try SalvageWorld.rows(mine.url))
    let folder = mine.folder.file("store.sqlite.holdfast")
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.copyItem(at: other.folder.file("store.sqlite.holdfast"), to: folder)
    #expect(failure { try Archive(of: mine.url, options: mine.options) }?.code == .wrongKind)
    #expect(failure { try Store.restore(at: mine.url, snapshot: snapshot.id, options: mine.options) }?.code == .wrongKind)
    #expect(failure { try Store.rewind(at: mine.url, to: .time(.distantFuture), options: mine.options) }?.code == .wrongKind)
    #expect(try mine.heal(trustsArchive: true).means == .none)
    #expect(try Data(contentsOf: mine.url) == sound)
    try #require(mine.damageLeaves(sameAs: sound, count: 1) == 1)
    let report = try mine.heal(trustsArchive: true)
    #expect(report.means == .rows && report.source == nil && report.notes.contains { $0.contains("is of another store") }, "\(report)")
    #expect(try Set(SalvageWorld.rows(mine.url).keys).isSubset(of: rows.keys))
    let store = try mine.store()
    let notice = try #require(store.notices.first { $0.kind == .foreignArchive })
    #expect(FileManager.default.fileExists(atPath: try #require(notice.kept).appendingPathComponent("archive/00000001").path))
    _ = try store.archive()
    try store.close()
    #expect(try Archive(of: mine.url, options: mine.options).history().filter { $0.kind == .gap } == [])
  }

  @Test("a new store in the place of a lost one goes on with its archive, so the lost one comes back")
  func successor() throws {
    let world = try HealWorld("notes", archived: true)
    let rows = try SalvageWorld.rows(world.url)
    let commit = try #require(try Archive(of: world.url, options: world.options).reach().commit)
    try FileManager.default.removeItem(at: world.url)
    let store = try world.store()
    #expect(!store.notices.contains { $0.kind == .foreignArchive })
    try store.rewind(to: .commit(commit))
    try store.close()
    #expect(try SalvageWorld.rows(world.url) == rows)
  }

  @Test("lost rows come from the newer one of snapshot and archive")
  func newerCopy() throws {
    let world = try HealWorld("shop", archived: true)
    var options = world.options
    options.archive.mode = .off
    let store = try Store.open(at: world.url, schemas: [world.schema], options: options)
    try store.write { tx in _ = try tx.execute("UPDATE customers SET points = 4711") }
    try store.snapshot()
    try store.close()
    try SalvageWorld.damageInPlace(world.url)
    let report = try world.heal()
    #expect(report.means == .rows && report.source?.hasPrefix("the snapshot") == true, "\(report)")
    let connection = try ConnectionFactory.plain(world.url.path)
    #expect(try connection.texts("SELECT count(*) FROM customers WHERE points <> 4711") == [["0"]])
  }
}
