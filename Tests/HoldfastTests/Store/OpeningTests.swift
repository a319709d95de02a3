import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Opening a store")
struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a name or hash with a flipped bit is damage, and no edited migration")
  func bookkeeping() throws {
    try folder.store([Shelves.schema]).close()
    try RawDatabase.with(folder.file("store.sqlite")) { raw in
      try raw.execute("UPDATE holdfast_migrations SET hash = 'x' || substr(hash, 2) WHERE name = 'shelves/001-first'")
    }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("an opening that fails leaves no file where none was")
  func unfilled() throws {
    let wrong = StoreSchema("wrong", migrations: [Migration("wrong/001", sql: "CREATE TABLE")])
    #expect(failure { try folder.store([wrong], name: "new.sqlite") } != nil)
    #expect(try !folder.contents().contains { $0.hasPrefix("new.sqlite") })
  }

  @Test("an opening that fails leaves no file where snapshots of a lost one are, and the next one begins anew")
  func unfilledBesideSnapshots() throws {
    let store = try folder.store([Shelves.schema])
    _ = try store.snapshot()
    try store.close()
    try FileManager.default.removeItem(at: folder.file("store.sqlite"))
    let wrong = StoreSchema("wrong", migrations: [Migration("wrong/001", sql: "CREATE TABLE")])
    #expect(failure { try folder.store([wrong]) } != nil)
    #expect(try !folder.contents().contains("store.sqlite"))
    #expect(try folder.store([Shelves.schema]).notices.map(\.kind) == [.snapshotsWithoutFile])
  }
}
