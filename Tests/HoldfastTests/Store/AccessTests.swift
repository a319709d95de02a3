import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastTransfer

@Suite("What a store allows")
struct AccessTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let newer = Shelves.next("ALTER TABLE shelves ADD COLUMN colour TEXT", name: "shelves/002-colour")

  @Test("a new store is made where there is none, readable by its owner only")
  func made() throws {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    #expect(store.access == .readWrite)
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  @Test("no store is made where that is not wanted")
  func notMade() throws {
    for options in [StoreOptions.testing.with { $0.createsIfMissing = false }, .testing.with { $0.opensReadOnly = true }] {
      #expect(failure { try folder.store([Shelves.schema], options: options) }?.code == .notFound)
    }
    #expect(try folder.contents() == [])
  }

  @Test("no store is made where SQLite keeps what belongs to another database", arguments: ["-wal", "-shm", "-journal"])
  func besideAnother(suffix: String) throws {
    try folder.store([Shelves.schema]).close()
    let url = folder.file("store.sqlite" + suffix)
    #expect(failure { try Store.open(at: url, schemas: [Shelves.schema]) }?.code == .invalidValue)
    #expect(try folder.contents() == ["store.sqlite"])
    try Store.open(at: folder.file("own" + suffix), schemas: [Shelves.schema]).close()
  }

  @Test("no store is made under a name that leaves no room for the folder of its snapshots")
  func longName() throws {
    let longest = String(repeating: "n", count: 246)
    #expect(failure { try folder.store([Shelves.schema], name: longest + "n") }?.code == .invalidValue)
    #expect(try folder.contents() == [])
    let store = try folder.store([Shelves.schema], name: longest)
    _ = try store.snapshot()
    try store.close()
  }

  @Test("a store in a folder that does not exist cannot be made")
  func noFolder() throws {
    let error = failure { try Store.open(at: folder.file("not/here.sqlite"), schemas: [Shelves.schema]) }
    #expect(error?.code == .cannotCreate)
  }

  @Test("a store in a folder that may not be written to cannot be made", .enabled(if: WriteProtection.binds))
  func protectedFolder() throws {
    let protection = try WriteProtection(folder.url)
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .cannotCreate)
    withExtendedLifetime(protection) {}
  }

  @Test("a file or a folder that may not be written to opens read-only", .enabled(if: WriteProtection.binds), arguments: [true, false])
  func protected(_ isFolder: Bool) throws {
    try folder.store([Shelves.schema]).close()
    let protection = try WriteProtection(isFolder ? folder.url : folder.file("store.sqlite"))
    let store = try folder.store([Shelves.schema])
    #expect(store.access == .readOnly(reason: isFolder ? "its folder may not be written to" : "the file may not be written to"))
    #expect(try store.count("books") == 0)
    try store.close()
    withExtendedLifetime(protection) {}
  }

  @Test("every verb that writes throws readOnly on a store that was opened read-only")
  func readOnly() async throws {
    let first = try folder.store([Shelves.schema])
    try first.fill()
    try first.close()
    let store = try folder.store([Shelves.schema], options: .testing.with { $0.opensReadOnly = true })
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
    #expect(failure { try store.write { tx in try tx.insert(Shelf("new", number: 9)) } }?.code == .readOnly)
    #expect(await asyncFailure { try await store.write { tx in try tx.insert(Shelf("new", number: 9)) } }?.code == .readOnly)
    #expect(failure { try store.vacuum() }?.code == .readOnly)
    #expect(failure { try store.restore(snapshot: "any") }?.code == .readOnly)
    #expect(try await store.integrityCheck().isHealthy)
    #expect(try await store.checkpoint(.truncate) == 0)
  }

  @Test("a file of a newer version opens read-only when every declared column is there")
  func newerButReadable() throws {
    try folder.store([newer]).close()
    let store = try folder.store([Shelves.schema])
    #expect(store.access == .readOnly(reason: "the file was written by a newer version, which ran shelves/002-colour"))
    #expect(failure { try store.fill() }?.code == .readOnly)
  }

  @Test("a file of a newer version is healthy to an older one, which does not export what it does not know")
  func newerChecked() throws {
    try folder.store([newer]).close()
    let store = try folder.store([Shelves.schema])
    #expect(try store.integrityCheck().findings == [])
    #expect(failure { _ = try store.export(to: folder.file("export")) }?.code == .newerSchema)
    #expect(try folder.contents().contains("export") == false)
  }

  @Test("a file of a newer version that lacks a declared column is refused, and the error offers to update")
  func newerAndUnreadable() throws {
    let dropping = Shelves.next("ALTER TABLE books DROP COLUMN cover", name: "shelves/002-no-cover")
    try folder.store([dropping]).close()
    let error = failure { try folder.store([Shelves.schema]) }
    #expect(error?.code == .newerSchema)
    #expect(error?.message.contains("books.cover") == true)
    #expect(error?.recoveryOptions == [.updateApp])
  }

  @Test("a store whose migrations are not wanted now opens read-only when every declared column is there")
  func migratingNever() throws {
    try folder.store([Shelves.schema]).close()
    let options = StoreOptions.testing.with { $0.migrating = .never }
    let indexed = Shelves.next("CREATE INDEX by_title ON books (title)", name: "shelves/002-index")
    #expect(try folder.store([indexed], options: options).access == .readOnly(reason: "shelves/002-index did not run yet"))
    #expect(failure { try folder.store([newer], options: options) }?.code == .readOnly)
    #expect(try Store.kinds(at: folder.file("store.sqlite")) == ["shelves": 1])
  }

  @Test("the presets differ in what they promise and how long they wait")
  func presets() {
    #expect(StoreOptions.production.busyTimeout == .seconds(5))
    #expect(StoreOptions.production.durability == .fast)
    #expect(StoreOptions.testing.busyTimeout == .milliseconds(500))
    #expect(StoreOptions.development.durability == .durable)
    #expect(StoreOptions.development.trace != nil)
  }

  @Test("an opened store has the durability that was asked for", arguments: [StoreOptions.Durability.fast, .durable])
  func durability(_ durability: StoreOptions.Durability) throws {
    let options = StoreOptions.testing.with { $0.durability = durability }
    // Not the opening that migrates, which switches references on at its end.
    try folder.store([Shelves.schema], options: options).close()
    let store = try folder.store([Shelves.schema], options: options)
    // 1 is NORMAL: commits of `write` share a flush of their own. The pragma may be read in the transaction that it governs.
    #expect(try store.write { tx in try tx.count("PRAGMA synchronous") } == 1)
    #expect((store.logFlush != nil) == (durability == .durable))
    #expect(try store.write { tx in try tx.count("PRAGMA foreign_keys") } == 1)
    #expect(try store.write { tx in try tx.count("PRAGMA recursive_triggers") } == 1)
  }

  @Test("no file is mapped into memory, where an error of the disk would end the app: not by a writer, a reader or any other connection")
  func mapping() throws {
    let store = try folder.store([Shelves.schema])
    #expect(try store.write { tx in try tx.count("PRAGMA mmap_size") } == 0)
    #expect(try store.read { reader in try reader.count("PRAGMA mmap_size") } == 0)
    #expect(try RawDatabase.with(folder.file("store.sqlite")) { try $0.rows("PRAGMA mmap_size") } == [["0"]])
  }
}
