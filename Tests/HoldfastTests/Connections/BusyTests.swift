import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("When somebody else writes")
struct BusyTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.store([Shelves.schema])
  }

  @Test("a held lock makes a write busy before its closure has run; the first write after it is not busy", .timeLimit(.minutes(10)))
  func busy() async throws {
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    var ran = false
    #expect(failure { try store.integrityCheck() }?.code == .busy)
    let error = failure { try store.write { _ in ran = true } }
    #expect(error?.code == .busy)
    #expect(!ran)
    #expect(await asyncFailure { try await store.write { tx in try tx.insert(Shelf("never")) } }?.code == .busy)
    #expect(try store.count("shelves") == 0)
    lock.release()
    try store.fill()
    #expect(try store.count("shelves") == 1)
  }

  @Test("opening waits for who writes to a file that keeps no log yet: SQLite itself refuses without waiting")
  func beginningTheLog() throws {
    try folder.store([Shelves.schema], name: "other.sqlite").close()
    try RawDatabase.with(folder.file("other.sqlite")) { raw in
      try raw.execute("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
      nonisolated(unsafe) let other = raw
      let released = Counter()
      var options = StoreOptions.testing
      options.stopsWaiting = {
        if released.next() == 1 { try? other.execute("ROLLBACK") }
        return false
      }
      #expect(try folder.store([Shelves.schema], name: "other.sqlite", options: options).count("shelves") == 0)
      #expect(released.next() > 1)
    }
  }

  @Test("opening waits for a reader of such a file as long as the busy timeout says, not once more with each attempt")
  func beginningTheLogInVain() throws {
    try folder.store([Shelves.schema], name: "other.sqlite").close()
    try RawDatabase.with(folder.file("other.sqlite")) { raw in
      try raw.execute("PRAGMA journal_mode = DELETE; BEGIN; SELECT * FROM shelves")
      let attempts = Counter()
      var options = StoreOptions.testing
      options.stopsWaiting = {
        _ = attempts.next()
        return false
      }
      #expect(failure { try folder.store([Shelves.schema], name: "other.sqlite", options: options) }?.code == .busy)
      // SQLite's own wait is 15 attempts long at this timeout.
      #expect(attempts.next() < 60)
    }
  }

  @Test("a write waits for a lock that becomes free, and runs once", .timeLimit(.minutes(10)))
  func waiting() async throws {
    let patient = try folder.store([Shelves.schema], options: .testing.with { $0.busyTimeout = .seconds(30) })
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    async let runs = patient.write { tx in
      try tx.insert(Shelf("late"))
      return 1
    }
    lock.release()
    #expect(try await runs == 1)
    #expect(try store.count("shelves") == 1)
  }

  @Test("a lock that is not free is logged", .timeLimit(.minutes(10)))
  func logged() throws {
    let lines = LogLines()
    let told = try folder.store([Shelves.schema], options: .testing.with { $0.logger = lines.logger })
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    #expect(failure { try told.fill() }?.code == .busy)
    lock.release()
    #expect(lines.all.last == "warning the write lock was not free verb=fill(books:shelf:)")
  }

  @Test("opening a store whose migration waits for a lock is busy, offers to try again and changes nothing", .timeLimit(.minutes(10)))
  func opening() throws {
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    let next = Shelves.next("ALTER TABLE shelves ADD COLUMN colour TEXT")
    let error = failure { try folder.store([next]) }
    #expect(error?.code == .busy)
    #expect(error?.recoveryOptions == [.retry])
    #expect(error?.recoverySuggestion == "Another process is writing; try again in a moment.")
    lock.release()
    #expect(try folder.store([next]).access == .readWrite)
  }

  @Test("truncating the log is busy while a reader needs it", .timeLimit(.minutes(10)))
  func checkpointBusy() throws {
    try store.fill()
    let other = try folder.store([Shelves.schema])
    try other.read { reader in
      _ = try reader.all(Book.self)
      try store.write { tx in try tx.insert(Shelf("more", number: 2)) }
      #expect(failure { try store.checkpoint(.truncate) }?.code == .busy)
    }
    try store.checkpoint(.truncate)
    #expect(try store.statistics().logBytes == 0)
  }

  @Test("a lock is waited for as long as the options say, and no longer than they allow")
  func lockWait() {
    var options = StoreOptions.testing
    options.busyTimeout = .milliseconds(30)
    #expect((0..<99).first { !LockWait(options).goesOn(attempt: $0) } == 5)
    options.stopsWaiting = { true }
    #expect(!LockWait(options).goesOn(attempt: 0))
  }
}
