import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Opening a store")
struct OpeningTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

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
