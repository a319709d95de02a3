import Foundation
import GRDB
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// What is not ours is refused, and stays as it is to the byte.
@Suite("Looking at files that are not ours")
struct LookTests {
  private static let other = StoreSchema("records", sql: "CREATE TABLE records (id TEXT) STRICT")

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens the file in every way there is, and checks that neither it nor its folder changed.
  private func refused(_ name: String, _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let url = folder.file(name)
    let before = try? Data(contentsOf: url)
    let names = try folder.contents()
    let codes = [
      failure { try Store.open(at: url, schemas: [Shelves.schema]) }, failure { try Store.plan(at: url, schemas: [Shelves.schema]) },
      failure { try Store.kinds(at: url) },
    ].map { $0?.code }
    #expect(codes == [code, code, code], sourceLocation: sourceLocation)
    let error = failure { try Store.open(at: url, schemas: [Shelves.schema], options: .looking) }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(error?.message.contains(url.path) == true, sourceLocation: sourceLocation)
    let after = try? Data(contentsOf: url)
    #expect(after == before, sourceLocation: sourceLocation)
    #expect(try folder.contents() == names, sourceLocation: sourceLocation)
  }

  /// A closed store with three books, and a snapshot of it.
  private func storeWithSnapshot() throws -> Snapshot {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let snapshot = try store.snapshot()
    try store.close()
    return snapshot
  }

  @Test("a store that says of no library any more that it holds it is damaged, and not one that holds none yet")
  func kindsLost() throws {
    try folder.store([Shelves.schema]).close()
    try RawDatabase.with(folder.file("store.sqlite")) { try $0.execute("DELETE FROM holdfast_schemas") }
    #expect(failure { try Store.kinds(at: folder.file("store.sqlite")) }?.code == .damaged)
  }

  @Test("a store that lost one of the kit's tables is damaged, and no other program's", arguments: ["holdfast_store", "holdfast_schemas"])
  func lostTable(_ table: String) throws {
    _ = try storeWithSnapshot()
    try RawDatabase.with(folder.file("store.sqlite")) { raw in try raw.execute("DROP TABLE \(table)") }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("a header that says that SQLite may only read the file is damage", arguments: [1, 2])
  func readOnlyHeader(reading: UInt8) throws {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    try store.close()
    let url = folder.file("store.sqlite")
    var bytes = try Data(contentsOf: url)
    (bytes[18], bytes[19]) = (3, reading)
    try bytes.write(to: url)
    #expect(failure { try Store.check(at: url, schemas: [Shelves.schema], options: .testing) }?.code == .damaged)
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
    #expect(try Data(contentsOf: url) == bytes)
  }

  @Test("a pipe or a folder where SQLite keeps a log is an error, and nothing waits for it", arguments: StoreFiles.sidecars, [true, false])
  func noLog(suffix: String, isPipe: Bool) throws {
    try folder.store([Shelves.schema]).close()
    let place = folder.file("store.sqlite" + suffix)
    if isPipe {
      #expect(mkfifo(place.path, 0o600) == 0)
    } else {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    }
    try refused("store.sqlite", .inputOutput)
    try FileManager.default.removeItem(at: place)
    try folder.store([Shelves.schema]).close()
  }

  @Test(
    "another program's database is of the wrong kind, also where a table has the name of one of ours",
    arguments: ["CREATE TABLE notes (text); INSERT INTO notes VALUES ('hello')", "CREATE TABLE holdfast_schemas (something)"])
  func foreign(content: String) throws {
    try RawDatabase.with(folder.file("notes.db"), creating: true) { raw in try raw.execute(content) }
    try refused("notes.db", .wrongKind)
  }

  @Test("another program's database in WAL mode is not converted, and no log is left beside it", arguments: [true, false])
  func foreignInWALMode(hasItOpen: Bool) throws {
    let pool = try DatabasePool(path: folder.file("notes.db").path)
    try pool.write { db in try db.execute(sql: "CREATE TABLE notes (text)") }
    if hasItOpen {
      try refused("notes.db", .wrongKind)
      try pool.write { db in try db.execute(sql: "INSERT INTO notes VALUES ('still works')") }
    }
    try pool.close()
    #expect(try folder.contents() == ["notes.db"])
    try refused("notes.db", .wrongKind)
  }

  @Test("a text file, random bytes and a header without a body are no databases", arguments: ["text", "random", "header"])
  func notADatabase(_ kind: String) throws {
    var random = SystemRandomNumberGenerator()
    let contents: [String: Data] = [
      "text": Data("{\"schemaVersion\": 3, \"collections\": []}".utf8),
      "random": Data((0..<5000).map { _ in UInt8.random(in: 1...255, using: &random) }),
      "header": Data("SQLite format 3\0".utf8) + Data(repeating: 0xEE, count: 2000),
    ]
    try #require(contents[kind]).write(to: folder.file("file"))
    try refused("file", .notADatabase)
  }

  @Test("a folder is no database")
  func aFolder() throws {
    try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
    try refused("folder", .notADatabase)
  }

  @Test("an empty file with a log beside it was cut off, and is damaged rather than new")
  func cutOff() throws {
    try Data().write(to: folder.file("cut.sqlite"))
    try Data("frames".utf8).write(to: folder.file("cut.sqlite-wal"))
    try refused("cut.sqlite", .damaged)
  }

  @Test("an empty file of which there are snapshots is damaged, and no new store is made of it")
  func emptied() throws {
    let snapshot = try storeWithSnapshot()
    let url = folder.file("store.sqlite")
    try Damage.truncate(url, to: 0)
    let error = failure { try folder.store([Shelves.schema]) }
    #expect(error?.code == .damaged)
    #expect(error?.recoveryOptions == [.heal, .restoreSnapshot(id: snapshot.id)])
    #expect(DurableFile.size(url.path) == 0)
  }

  @Test("an empty file becomes a store")
  func emptyFile() throws {
    try Data().write(to: folder.file("new.sqlite"))
    let store = try folder.store([Shelves.schema], name: "new.sqlite")
    try store.fill()
    #expect(try store.titles().count == 3)
  }

  @Test("a store of another library is of the wrong kind, and the error says which it is")
  func otherLibrary() throws {
    try folder.store([Self.other], name: "records.sqlite").close()
    let error = failure { try folder.store([Shelves.schema], name: "records.sqlite") }
    #expect(error?.code == .wrongKind)
    #expect(error?.message.contains("holds records, not shelves") == true)
    #expect(try Store.kinds(at: folder.file("records.sqlite")) == ["records": 1])
  }

  @Test("two libraries may share a file, and each opens it alone, and checks and exports what is its own")
  func shared() throws {
    try folder.store([Shelves.schema, Self.other]).close()
    try folder.store([Self.other]).close()
    let store = try folder.store([Shelves.schema])
    #expect(try Store.kinds(at: folder.file("store.sqlite")) == ["records": 1, "shelves": 1])
    #expect(try store.integrityCheck().findings == [])
    #expect(try store.export(to: folder.file("export")).counts.keys.sorted() == ["books", "shelves"])
  }
}
