import Foundation
import GRDB
import GRDBSQLite
import HoldfastTesting
import Synchronization
import Testing

@testable import Holdfast

@Suite("A connection")
struct ConnectionTests {
  let store: Store

  init() throws {
    store = try Shelves.temporary()
    try store.fill()
  }

  @Test("a transaction that could not be rolled back ends no process, and whoever comes next rolls it back")
  func settles() throws {
    let doors: [(Store) throws -> Void] = [
      { _ = try $0.write { tx in try tx.count("SELECT count(*) FROM books") } },
      { try $0.vacuum() },
      { _ = try $0.integrityCheck() },
    ]
    for door in doors {
      try store.onWriter { db in try db.execute(sql: "BEGIN IMMEDIATE; DELETE FROM books") }
      try door(store)
      #expect(try store.titles().count == 3)
    }
    try store.readers?.read { db in try db.execute(sql: "BEGIN; SELECT 1") }
    #expect(try store.titles().count == 3)
  }

  @Test("who calls the store in the midst of a commit is refused, and no process ends")
  func calledInside() throws {
    let codes = Mutex<[StoreError.Code?]>([])
    store.commitWork.addAfter { [store] in
      let found = failure { try store.write { tx in _ = try tx.count("SELECT 1") } }?.code
      codes.withLock { $0.append(found) }
    }
    try store.fill(shelf: 2)
    #expect(codes.withLock { $0 } == [.misuse])
  }

  @Test("a store whose file is replaced while it is opened is busy: commits would go into the old file")
  func replacedMeanwhile() throws {
    let folder = try TemporaryFolder()
    try folder.store([Shelves.schema]).close()
    try folder.store([Shelves.schema], name: "new.sqlite").close()
    let files = try StoreFiles(folder.file("store.sqlite"))
    let lock = Mutex(try FileLock(files))
    let waits = Flag()
    var options = StoreOptions.testing
    // Asked where the opening waits for the lock of the old file.
    options.stopsWaiting = {
      guard !waits.isRaised else { return false }
      waits.raise()
      lock.withLock { lock in
        #expect(lock != nil)
        #expect(throws: Never.self) { try DurableFile.move(folder.file("new.sqlite"), over: files.url) }
        lock = nil
      }
      return false
    }
    let error = failure { try ConnectionFactory(files, options).writer().close() }
    #expect(waits.isRaised)
    #expect(error?.code == .busy && error?.recoveryOptions.contains(.retry) == true)
    try folder.store([Shelves.schema]).close()
  }

  @Test(
    "a store whose file is replaced, moved or removed while it is open takes no more writes: no commit is acknowledged that is not there",
    arguments: ["replaced", "moved", "removed"])
  func lostMeanwhile(how: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let new = folder.file("new.sqlite")
    try folder.store([Shelves.schema], name: "new.sqlite").close()
    func lose() throws {
      switch how {
      case "replaced": try DurableFile.move(new, over: url)
      case "moved": try FileManager.default.moveItem(at: url, to: folder.file("elsewhere.sqlite"))
      default: try FileManager.default.removeItem(at: url)
      }
    }
    let within = failure {
      try store.write { tx in
        try tx.insert(Shelf("lost", number: 2))
        try lose()
      }
    }
    #expect(within?.code == .inputOutput)
    let later = failure { try store.fill(shelf: 3) }
    #expect(later?.code == .inputOutput && later?.recoverySuggestion == "Close the store, and open it again.")
    // The first read makes a new connection, which would open another file.
    #expect(failure { try store.titles() } != nil)
  }

  @Test(
    "no error of a connection with a key tells the key, neither its bytes nor their digits",
    arguments: ["the key is refused", "the file is no database", "the attached file is no database"])
  func keyIsNotTold(why: String) throws {
    let folder = try TemporaryFolder()
    let (sound, other) = (folder.file("store.sqlite"), folder.file("other.sqlite"))
    try folder.store([Shelves.schema]).close()
    try Data(repeating: 0x41, count: 8_192).write(to: other)
    let key = try StoreKey(Data("secretsecretsecretsecretsecretse".utf8))
    // The factory takes it even with an SQLite that cannot encrypt; a store asks `Encryption.probe` first.
    let options = StoreOptions.testing.with { $0.key = key }
    do {
      switch why {
      case "the key is refused":
        let connection = try ConnectionFactory.probe()
        defer { withExtendedLifetime(connection) {} }
        // Shorter than the statement that gives the key.
        sqlite3_limit(connection.handle, SQLITE_LIMIT_SQL_LENGTH, 10)
        try Encryption.give(key, to: connection.handle, "in memory")
      case "the file is no database": try ConnectionFactory(other.path, options).writer().close()
      default: _ = try ConnectionFactory(sound.path, options).still(beside: other.path)
      }
      Issue.record("nothing was thrown")
    } catch {
      // With the cause.
      let told = "\(error) \(StoreError(error))".lowercased()
      #expect(!told.contains("secret") && !told.contains("736563726574"))
    }
  }

  @Test("ROLLBACK is compiled before a transaction begins: one that fails for want of memory can still be rolled back")
  func rollbackIsReady() throws {
    try store.write { tx in
      let rollback = tx.connection.rollbackWriting
      let statement = rollback.spare.take()
      rollback.spare.give(try #require(statement))
    }
  }
}
