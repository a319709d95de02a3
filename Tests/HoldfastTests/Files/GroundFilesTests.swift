import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Files that are not as they were")
struct GroundFilesTests {
  let folder: TemporaryFolder
  let url: URL
  let snapshot: Snapshot

  /// A closed store with three books, and a snapshot of it.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try folder.store([Shelves.schema])
    try store.fill()
    snapshot = try store.snapshot()
    try store.close()
  }

  @Test("a copy is never written into a file that is there")
  func copyTaken() throws {
    for (name, text) in [("a", "mine"), ("b", "theirs")] { try Data(text.utf8).write(to: folder.file(name)) }
    #expect(failure { try DurableFile.copy(folder.file("a"), to: folder.file("b")) }?.code == .cannotCreate)
    #expect(try Data(contentsOf: folder.file("b")) == Data("theirs".utf8))
  }

  @Test("a copy of a file of several pieces is equal to it")
  func largeCopy() throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = Data((0..<((5 << 19) + 3)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try bytes.write(to: folder.file("a"))
    try DurableFile.copy(folder.file("a"), to: folder.file("b"))
    #expect(try Data(contentsOf: folder.file("b")) == bytes)
  }

  @Test("an empty file of which there are snapshots is damaged, and no new store is made of it")
  func emptied() throws {
    try Damage.truncate(url, to: 0)
    let error = failure { try folder.store([Shelves.schema]) }
    #expect(error?.code == .damaged)
    #expect(error?.recoveryOptions.first == .restoreSnapshot(id: snapshot.id))
    #expect(DurableFile.size(url.path) == 0)
  }

  @Test("a store that lost one of the kit's tables is damaged, and no other program's", arguments: ["holdfast_store", "holdfast_schemas"])
  func lostTable(_ table: String) throws {
    try RawDatabase.with(url) { raw in try raw.execute("DROP TABLE \(table)") }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("a name or hash with a flipped bit is damage, and no edited migration")
  func bookkeeping() throws {
    try RawDatabase.with(url) { raw in
      try raw.execute("UPDATE holdfast_migrations SET hash = 'x' || substr(hash, 2) WHERE name = 'shelves/001-first'")
    }
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .damaged)
  }

  @Test("two processes do not replace one store at the same time")
  func replacedTwice() throws {
    let place = folder.file("store.sqlite.holdfast/replacement")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let descriptor = open(place.path, O_RDONLY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == .busy)
    close(descriptor)
    #expect(try Store.restore(at: url, snapshot: snapshot.id, options: .testing) != nil)
  }

  @Test("files that were set aside have the reason beside them, and are listed newest first")
  func reason() throws {
    let files = try StoreFiles(url)
    for second in 0..<2 {
      try Data("x".utf8).write(to: files.log)
      _ = try files.setAside(["-wal"], because: "number \(second)", at: Date(timeIntervalSince1970: Double(second)))
    }
    let names = try Store.filesSetAside(of: url)
    #expect(names == ["19700101T000001000Z", "19700101T000000000Z"])
    let text = try String(contentsOf: files.quarantine.appendingPathComponent("\(names[0])/reason.txt"), encoding: .utf8)
    #expect(text == "number 1\n")
  }

  @Test("nothing is exported into the folder of the snapshots")
  func exportIntoItself() throws {
    let files = try StoreFiles(url)
    #expect(failure { try files.checkIsNotOwn(files.snapshots.appendingPathComponent("x.json")) }?.code == .misuse)
    #expect(failure { try files.checkIsNotOwn(folder.file("x.json")) } == nil)
  }

  @Test("a snapshot that holds other rows than it says is not put back")
  func otherRows() throws {
    let description = folder.file("store.sqlite.holdfast/snapshots/\(snapshot.id).json")
    let text = try String(contentsOf: description, encoding: .utf8)
    let changed = text.replacingOccurrences(of: #""books" : 3"#, with: #""books" : 4"#)
    #expect(text != changed)
    try Data(changed.utf8).write(to: description)
    #expect(failure { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }?.code == .verificationFailed)
  }

  @Test("a plan is not made on a damaged copy")
  func damagedPlan() throws {
    let page = try RawDatabase.with(url) { raw in try raw.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'books'")[0][0] }
    try Damage.overwritePage(url, try #require(Int(page)))
    #expect(failure { try Store.plan(at: url, schemas: [Shelves.schema], options: .testing) }?.code == .damaged)
  }

  @Test("an index that lacks its rows is found by a whole check, and not by a quick one")
  func index() throws {
    try RawDatabase.with(url) { raw in
      try raw.execute("PRAGMA writable_schema = ON")
      try raw.execute("UPDATE sqlite_schema SET sql = replace(sql, 'added_at)', 'title)') WHERE name = 'books_by_shelf'")
    }
    let store = try folder.store([Shelves.schema])
    #expect(try !store.integrityCheck().findings.filter { $0.part == .file }.isEmpty)
    #expect(try store.integrityCheck(quick: true).findings.filter { $0.part == .file }.isEmpty)
  }

  @Test("an opening that fails leaves no file where none was")
  func unfilled() throws {
    let wrong = StoreSchema("wrong", migrations: [Migration("wrong/001", sql: "CREATE TABLE")])
    #expect(failure { try folder.store([wrong], name: "new.sqlite") } != nil)
    #expect(try !folder.contents().contains { $0.hasPrefix("new.sqlite") })
  }

  @Test("a closed store opens its file for nobody")
  func closed() throws {
    let store = try folder.store([Shelves.schema])
    #expect(try store.titles().count == 3)
    try store.close()
    #expect(failure { try store.titles() }?.code == .closed)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let open = descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
    #expect(open.filter { $0.hasPrefix(url.resolvingSymlinksInPath().path) } == [])
    withExtendedLifetime(store) {}
  }
}
