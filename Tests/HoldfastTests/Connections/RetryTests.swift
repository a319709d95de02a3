import Foundation
import GRDBSQLite
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Errors that pass are tried again")
struct RetryTests {
  /// `SQLITE_IOERR_SHMLOCK`, a macro that Swift cannot import.
  private static let failedLock = SQLITE_IOERR | 20 << 8
  let folder: TemporaryFolder
  let lines = LogLines()
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    var options = StoreOptions.testing
    options.logger = lines.logger
    store = try folder.store([Shelves.schema], options: options)
  }

  @Test("an I/O error at the beginning of a transaction is tried again, twice at most, and its closure runs once", arguments: 0...3)
  func beginning(failures: Int) throws {
    var runs = 0
    let error = failure {
      try FailingLocks.within(store, next: failures, code: Self.failedLock) {
        try store.write { tx in
          runs += 1
          try tx.insert(Shelf("one"))
        }
      }
    }
    let expected: StoreError.Code? = failures == 3 ? .inputOutput : nil
    #expect(error?.code == expected)
    #expect(runs == (failures == 3 ? 0 : 1))
    #expect(try store.count("shelves") == runs)
    #expect(try store.statistics().retries == min(failures, 2))
    let told = lines.all.filter { $0 == "info tried again code=input_output what=beginning a transaction" }
    #expect(told.count == min(failures, 2))
  }

  @Test("a journal that cannot be removed is told at opening: a store without a log is not taken for one with a log", arguments: [1, 99])
  func beginningTheLog(failures: Int) throws {
    let journal = folder.file("other.sqlite-journal")
    let other = try FailingRemovals.within(journal, next: failures) { try? folder.store([Shelves.schema], name: "other.sqlite") }
    // Some versions of SQLite try a journal once more that they find left behind.
    #expect(other == nil || failures == 1)
    guard let other else { return }
    try other.fill()
    #expect(DurableFile.stands(folder.file("other.sqlite-wal").path))
    #expect(try other.count("shelves") == 1)
  }

  @Test("a closure that has begun does not run again, whatever it throws")
  func begun() throws {
    var runs = 0
    let error = failure {
      try store.write { _ in
        runs += 1
        throw StoreError(sqliteCode: Self.failedLock, message: "disk I/O error", systemCode: EIO)
      }
    }
    #expect(error?.code == .inputOutput)
    #expect(runs == 1)
    #expect(try store.statistics().retries == 0)
  }

  @Test("an interruption is not tried again, and with a timeout of zero nothing is")
  func notAgain() throws {
    let interrupted = failure { try FailingLocks.within(store, next: 1, code: SQLITE_INTERRUPT) { try store.fill() } }
    #expect(interrupted?.code == .cancelled)
    #expect(try store.statistics().retries == 0)
    let hasty = try folder.store([Shelves.schema], options: .testing.with { $0.busyTimeout = .zero })
    #expect(failure { try FailingLocks.within(hasty, next: 1, code: Self.failedLock) { try hasty.fill() } }?.code == .inputOutput)
    #expect(try hasty.statistics().retries == 0)
  }

  @Test("a checkpoint that meets another connection's checkpoint is tried again: SQLite itself does not wait for it")
  func checkpoint() throws {
    try store.fill()
    #expect(try store.statistics().logBytes > 0)
    _ = try FailingLocks.within(store, next: 1, code: SQLITE_BUSY) { try store.checkpoint(.truncate) }
    #expect(try store.statistics().logBytes == 0)
    #expect(try store.statistics().retries == 1)
  }

  @Test("an opening whose lock becomes free within the timeout is tried again")
  func opening() throws {
    try folder.store([Shelves.schema], name: "other.sqlite").close()
    try RawDatabase.with(folder.file("other.sqlite")) { raw in
      try raw.execute("PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE")
      nonisolated(unsafe) let other = raw
      let asked = Counter()
      var options = StoreOptions.testing
      // Ends the first wait at once, and frees the lock before the second try.
      options.stopsWaiting = {
        let number = asked.next()
        if number == 2 { try? other.execute("ROLLBACK") }
        return number == 1
      }
      #expect(try folder.store([Shelves.schema], name: "other.sqlite", options: options).statistics().retries == 1)
    }
  }
}
