import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The line of a store's logs")
struct LogLineTests {
  let folder: TemporaryFolder
  let url: URL
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    store = try folder.store([Shelves.schema])
  }

  private var log: URL { URL(fileURLWithPath: url.path + "-wal") }

  private func mark(_ url: URL) throws -> String? {
    try RawDatabase.with(url) { raw in try raw.rows("SELECT log_mark FROM holdfast_store").first?.first }
  }

  /// The file as it is now, beside this log, in a folder of its own.
  private func left(_ log: Data) throws -> (folder: TemporaryFolder, store: Store) {
    let left = try TemporaryFolder()
    try FileManager.default.copyItem(at: url, to: left.file("store.sqlite"))
    try log.write(to: left.file("store.sqlite-wal"))
    return (left, try left.store([Shelves.schema]))
  }

  /// Expects that the log is the file's own, and that both together have the books of the store.
  private func expectOwnLog(books: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let killed = try left(Data(contentsOf: log))
    #expect(killed.store.notices == [], sourceLocation: sourceLocation)
    #expect(try killed.store.titles().count == books && killed.store.titles() == store.titles(), sourceLocation: sourceLocation)
  }

  /// Changes no title.
  private func touch(_ store: Store) throws {
    try store.write { tx in _ = try tx.execute("UPDATE shelves SET created_at = created_at + 1") }
  }

  /// Attaches a database of its own, with a log.
  private func attachSecond() throws -> URL {
    let second = folder.file("second.sqlite")
    try Data().write(to: second)
    try RawDatabase.with(second) { raw in try raw.execute("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)") }
    _ = try store.write { tx in try tx.execute("ATTACH \(second.path) AS second") }
    return second
  }

  @Test("an old log is foreign, and a log that started again while the store was open is not")
  func restarted() throws {
    for shelf in 1...3 { try store.fill(shelf: shelf) }
    try store.checkpoint(.restart)
    for shelf in 4...5 { try store.fill(shelf: shelf) }
    let stale = try Data(contentsOf: log)
    try store.checkpoint(.restart)
    for shelf in 6...7 { try store.fill(shelf: shelf) }
    try store.checkpoint(.restart)
    let killed = try left(stale)
    #expect(killed.store.notices.map(\.kind) == [.foreignLog])
    #expect(try killed.store.titles().count == 21)
  }

  @Test("a migration that begins a log marks it; the one that creates the store writes one mark")
  func migrated() throws {
    #expect(try store.count("holdfast_store WHERE previous_log_mark IS NOT NULL") == 0)
    try store.close()
    let before = try #require(try mark(url))
    let next = Migration("shelves/002-notes", sql: "CREATE TABLE notes (text TEXT)")
    let migrated = try folder.store([StoreSchema("shelves", migrations: [Shelves.v1, next])])
    #expect(try migrated.count("holdfast_store WHERE previous_log_mark = '\(before)'") == 1)
  }

  @Test("transactions that write nothing put no second mark into a log")
  func idle() throws {
    try store.fill(shelf: 1)
    try store.checkpoint(.restart)
    for shelf in 2...6 {
      try store.fill(shelf: shelf)
      try store.write { _ in }
    }
    try expectOwnLog(books: 18)
  }

  @Test("a transaction that changes nothing writes nothing where it would begin a log, and the next one marks the log")
  func nothingChanged() throws {
    try store.fill(shelf: 1)
    try store.checkpoint(.truncate)
    let before = try mark(url)
    try store.write { _ in }
    #expect(try DurableFile.size(log.path) == 0 && mark(url) == before)
    try store.fill(shelf: 2)
    #expect(try mark(url) != before)
  }

  @Test("two stores on one file that both see the log grow shorter put no two marks into it")
  func twoWriters() throws {
    let other = try folder.store([Shelves.schema])
    for shelf in 1...2 { try store.fill(shelf: shelf) }
    for shelf in 3...4 { try other.fill(shelf: shelf) }
    try other.checkpoint(.restart)
    for _ in 1...2 {
      try touch(store)
      try touch(other)
    }
    try expectOwnLog(books: 12)
  }

  @Test("a transaction that writes nothing does not hide that the other store began the log", arguments: [true, false])
  func emptyTransaction(throwing: Bool) throws {
    let other = try folder.store([Shelves.schema])
    try store.fill()
    for _ in 1...6 { try touch(store) }
    try other.checkpoint(.truncate)
    try touch(other)
    _ = try? store.write { _ in if throwing { throw CancellationError() } }
    for _ in 1...2 { try touch(store) }
    try expectOwnLog(books: 3)
  }

  @Test("a transaction that writes to an attached database as well puts no second mark into the log")
  func attached() throws {
    try store.fill()
    // Into the file, with its mark.
    try store.checkpoint(.truncate)
    _ = try attachSecond()
    for shelf in 2...4 {
      try store.write { tx in
        try tx.execute("INSERT INTO second.notes VALUES ('x')")
        try tx.execute("UPDATE shelves SET created_at = created_at + 1")
      }
      try store.fill(shelf: shelf)
    }
    try expectOwnLog(books: 12)
  }

  @Test("the log of an attached database is moved into its file when it has grown")
  func attachedGrown() throws {
    let second = try attachSecond()
    _ = try store.write { tx in try tx.execute("INSERT INTO second.notes VALUES (zeroblob(5000000))") }
    #expect(DurableFile.size(second.path) > 5_000_000)
  }

  @Test("when the transaction that begins a log is rolled back, the next one marks it")
  func rolledBack() throws {
    try store.fill()
    try store.close()
    let before = try mark(url)
    let again = try folder.store([Shelves.schema])
    let lost = failure {
      try again.write { tx in
        try tx.insert(Shelf("lost", number: 2))
        throw CancellationError()
      }
    }
    #expect(lost?.code == .cancelled)
    try again.fill(shelf: 3)
    try again.fill(shelf: 4)
    #expect(try mark(url) != before)
  }

  @Test("when a large transaction that begins a log is rolled back, and its pages stay in the log, the next one marks it")
  func largeRolledBack() throws {
    try store.fill()
    try store.close()
    let before = try mark(url)
    let again = try folder.store([Shelves.schema])
    _ = try? again.write { tx in
      try tx.execute("CREATE TABLE large (bytes BLOB)")
      for _ in 0..<40 { try tx.execute("INSERT INTO large VALUES (randomblob(100000))") }
      throw CancellationError()
    }
    #expect(DurableFile.size(log.path) > 0)
    try again.fill(shelf: 3)
    #expect(try mark(url) != before)
  }

  @Test("when the second transaction of a log is rolled back, the next one marks the log; a check writes nothing into it")
  func secondRolledBack() throws {
    try store.fill(shelf: 1)
    try store.checkpoint(.restart)
    // Begins the log anew, which is known afterwards.
    try store.fill(shelf: 2)
    let before = try mark(url)
    #expect(try store.integrityCheck().isHealthy)
    _ = try? store.write { tx in throw CancellationError() }
    #expect(try mark(url) == before)
    try store.fill(shelf: 3)
    #expect(try mark(url) != before)
  }

  @Test("when the header of a log is damaged, the store says how many commits are in the log and keeps it")
  func damagedHeader() throws {
    let left = try LeftStore(before: 1, since: 3)
    try Damage.flip(left.log, at: 18)
    let opened = try left.open()
    #expect(opened.notices.map(\.kind) == [.brokenLog])
    #expect(opened.notices.allSatisfy { $0.commitsBehindDamage >= 3 })
    #expect(try left.quarantine() == ["store.sqlite-wal"])
    #expect(try opened.titles().count == 3)
  }

  @Test("looking at a file, and reading it, go past the log of another store")
  func lookPastAnothersLog() throws {
    let other = try TemporaryFolder()
    let records = StoreSchema("records", sql: "CREATE TABLE records (id TEXT) STRICT")
    let living = try other.store([records])
    let log = try Data(contentsOf: other.file("store.sqlite-wal"))
    let (left, another) = (try LeftStore(before: 2), try LeftStore())
    try log.write(to: left.log)
    #expect(try Store.kinds(at: left.url) == ["shelves": 1])
    try living.close()
    try Data(contentsOf: another.log).write(to: left.log)
    #expect(try left.folder.store([Shelves.schema], options: .looking).titles().count == 6)
  }

  @Test("a log that begins after another connection has emptied it is marked")
  func emptiedByAnother() throws {
    try store.fill()
    let other = try folder.store([Shelves.schema])
    try other.fill(shelf: 2)
    try other.checkpoint(.truncate)
    let before = try mark(url)
    try store.fill(shelf: 3)
    #expect(try mark(url) != before)
  }

  @Test("no log is read into a snapshot that somebody has copied over the store")
  func copiedOver() throws {
    try store.fill(shelf: 1)
    let snapshot = try store.snapshot()
    try store.fill(shelf: 2)
    try store.close()
    let again = try folder.store([Shelves.schema])
    for shelf in 3...5 { try again.fill(shelf: shelf) }
    let left = try TemporaryFolder()
    try FileManager.default.copyItem(at: log, to: left.file("store.sqlite-wal"))
    try FileManager.default.copyItem(
      at: folder.file("store.sqlite.holdfast/snapshots/\(snapshot.id).sqlite"), to: left.file("store.sqlite"))
    let opened = try left.store([Shelves.schema])
    #expect(opened.notices.map(\.kind) == [.foreignLog])
    #expect(try opened.titles().count == 3)
    #expect(try opened.integrityCheck().isHealthy)
  }

  @Test("a read without a lock throws busy when another connection writes to the file, and never calls the file damaged")
  func readWithoutLock() throws {
    let (left, another) = (try LeftStore(before: 2), try LeftStore())
    try Data(contentsOf: another.log).write(to: left.log)
    let reading = try left.folder.store([Shelves.schema], options: .looking)
    #expect(try reading.titles().count == 6)
    let writing = try left.open()
    let error = failure {
      try reading.read { reader in
        _ = try reader.all(Book.self)
        try writing.fill(shelf: 9)
      }
    }
    #expect(error?.code == .busy && error?.recoveryOptions.contains(.retry) == true)
    #expect(failure { try reading.titles() }?.code == .busy)
  }

  @Test("the log does not grow without a bound")
  func bounded() throws {
    try store.fill()
    for number in 0..<60 {
      try store.write { tx in
        var book = Book("large", number: 500 + number)
        book.cover = Data(repeating: 7, count: 200_000)
        try tx.insert(book)
      }
    }
    #expect(try store.statistics().logBytes < 6_000_000)
  }

  @Test("what stood behind the damage of a log is no part of the next one, also after another kill")
  func killedAgain() throws {
    let left = try LeftStore(since: 5)
    try left.damageFrame(8)
    let store = try left.open()
    #expect(store.notices.map(\.kind) == [.brokenLog])
    try store.fill(shelf: 9)
    let copy = try TemporaryFolder()
    try left.url.copyStore(to: copy.file("store.sqlite"))
    let again = try copy.store([Shelves.schema])
    #expect(again.notices == [])
    #expect(try again.titles() == store.titles())
  }
}
