import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A log that was left")
struct LeftLogTests {
  @Test("where there is no room for a copy of a store with a left log, a check says that opening needs none")
  func noRoom() throws {
    let left = try LeftStore()
    let free = try FileManager.default.attributesOfFileSystem(forPath: NSTemporaryDirectory())[.systemFreeSize] as? NSNumber
    try Damage.resize(left.url, to: 2 * #require(free).uint64Value + 1 << 30)
    let error = failure { try Store.check(at: left.url, schemas: [Shelves.schema]) }
    #expect(error?.code == .diskFull)
    #expect(error?.recoverySuggestion?.contains("Open the store for writing") == true)
  }

  @Test("after a kill every commit is there, without a notice or a copy; the log is moved into the file, and a new one begins")
  func afterKill() throws {
    let left = try LeftStore()
    let store = try left.open()
    #expect(try Data(contentsOf: left.log).isEmpty)
    #expect(try store.titles().count == 12)
    #expect(store.notices == [])
    #expect(try left.quarantine() == [])
  }

  @Test(
    "after a flipped bit in the log the store says how many commits are behind it and keeps a copy of the log; check reports it first and changes nothing"
  )
  func flippedBit() throws {
    let left = try LeftStore(since: 5)
    try left.damageFrame(8)
    let before = try left.bytes()
    let report = try Store.check(at: left.url, schemas: [Shelves.schema], options: .testing)
    #expect(report.findings.map(\.part) == [.files])
    #expect(try Store.kinds(at: left.url) == ["shelves": 1])
    let seen = try Store.open(at: left.url, schemas: [Shelves.schema], options: .looking)
    #expect(seen.notices.map(\.kind) == [.brokenLog] && seen.notices.first?.kept == nil)
    #expect(seen.notices.map(\.message) == report.findings.map(\.message))
    try seen.close()
    #expect(try left.bytes() == before)
    let damaged = try Data(contentsOf: left.log)
    let store = try left.open()
    let notice = try #require(store.notices.first)
    #expect(notice.kind == .brokenLog && notice.commitsBehindDamage > 0)
    #expect(try store.titles().count < 18)
    #expect(try left.quarantine() == ["store.sqlite-wal"])
    #expect(try Data(contentsOf: #require(notice.kept).appendingPathComponent("store.sqlite-wal")) == damaged)
    try store.fill(shelf: 9)
    try store.close()
    let again = try left.open()
    #expect(again.notices == [])
    #expect(try again.integrityCheck().findings == [])
  }

  @Test("when all content is in a log that is damaged at its beginning, opening says so and keeps the log")
  func allInTheLog() throws {
    let living = try TemporaryFolder()
    let store = try living.store([Shelves.schema])
    try store.fill()
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    try living.file("store.sqlite").copyStore(to: url)
    try store.close()
    try Damage.overwrite(folder.file("store.sqlite-wal"), at: 32 + 24 + 50, count: 1)
    let log = try Data(contentsOf: folder.file("store.sqlite-wal"))
    #expect(try Store.check(at: url, schemas: [Shelves.schema], options: .testing).findings.map(\.part) == [.files])
    #expect(failure { try folder.store([Shelves.schema], options: .looking) }?.code == .damaged)
    let new = try folder.store([Shelves.schema])
    let notice = try #require(new.notices.first)
    #expect(notice.kind == .brokenLog && notice.commitsBehindDamage > 0)
    #expect(try Data(contentsOf: #require(notice.kept).appendingPathComponent("store.sqlite-wal")) == log)
  }

  @Test(
    "opening sets aside a log without its file, says so, and begins a new store; looking changes nothing", arguments: ["-wal", "-journal"])
  func logWithoutFile(_ suffix: String) throws {
    let left = try LeftStore()
    let orphan = URL(fileURLWithPath: left.url.path + suffix)
    if suffix == "-journal" { try FileManager.default.moveItem(at: left.log, to: orphan) }
    let content = try Data(contentsOf: orphan)
    try FileManager.default.removeItem(at: left.url)
    #expect(failure { try Store.kinds(at: left.url) }?.code == .damaged)
    #expect(try Store.check(at: left.url, schemas: [Shelves.schema]).findings.map(\.part) == [.files])
    #expect(try Data(contentsOf: orphan) == content)
    let store = try left.open()
    let notice = try #require(store.notices.first)
    #expect(notice.kind == .logWithoutFile)
    #expect(try Data(contentsOf: #require(notice.kept).appendingPathComponent("store.sqlite" + suffix)) == content)
    #expect(try store.titles() == [])
  }

  @Test("a restore beside a log without its file keeps the log, and reads it into nothing")
  func restoredBesideALog() throws {
    let left = try LeftStore()
    let before = try left.open()
    let (snapshot, titles) = (try before.snapshot(), try before.titles())
    try before.fill(shelf: 9)
    let content = try Data(contentsOf: left.log)
    try before.close()
    try FileManager.default.removeItem(at: left.url)
    try content.write(to: left.log)
    let kept = try Store.restore(at: left.url, snapshot: snapshot.id)
    #expect(try Data(contentsOf: #require(kept).appendingPathComponent("store.sqlite-wal")) == content)
    let store = try left.open()
    #expect(try store.titles() == titles)
    #expect(try store.integrityCheck().isHealthy)
  }

  /// What another opening holds that sets the log aside.
  private func lockFolder(_ left: LeftStore) throws -> Int32 {
    try FileManager.default.removeItem(at: left.url)
    let folder = URL(fileURLWithPath: left.url.path + ".holdfast")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let descriptor = open(folder.path, O_RDONLY)
    #expect(flock(descriptor, LOCK_EX) == 0)
    return descriptor
  }

  @Test("while another opening moves a left log away, an opening throws busy and changes nothing")
  func heldByAnother() throws {
    let left = try LeftStore()
    let descriptor = try lockFolder(left)
    #expect(failure { try left.open() }?.code == .busy)
    #expect(try !Data(contentsOf: left.log).isEmpty)
    close(descriptor)
    #expect(try left.open().notices.map(\.kind) == [.logWithoutFile])
  }

  @Test("two openings beside a log without its file: the second one waits, and leaves the log of the first one's new store alone")
  func twoOpenings() throws {
    let (left, other) = (try LeftStore(), try LeftStore())
    let descriptor = try lockFolder(left)
    let waits = Flag()
    var options = StoreOptions.testing
    options.stopsWaiting = {
      guard !waits.isRaised else { return false }
      waits.raise()
      // What the first one does: the old log goes, and a new store has a file and a log.
      #expect(throws: Never.self) {
        try FileManager.default.removeItem(at: left.log)
        try FileManager.default.copyItem(at: other.url, to: left.url)
        try FileManager.default.copyItem(at: other.log, to: left.log)
      }
      close(descriptor)
      return false
    }
    let store = try left.folder.store([Shelves.schema], options: options)
    #expect(waits.isRaised && store.notices == [])
    #expect(try store.titles().count == 12)
  }

  @Test("the log of another store is never read into this one")
  func anothersLog() throws {
    let (left, other) = (try LeftStore(before: 2), try LeftStore())
    let file = try Data(contentsOf: left.url)
    try Data(contentsOf: other.log).write(to: left.log)
    let report = try Store.check(at: left.url, schemas: [Shelves.schema], options: .testing)
    #expect(report.findings.map(\.part) == [.files])
    #expect(try Data(contentsOf: left.url) == file)
    let store = try left.open()
    #expect(store.notices.map(\.kind) == [.foreignLog])
    #expect(try store.titles().count == 6)
    #expect(try store.integrityCheck().findings == [])
    #expect(try left.quarantine().contains("store.sqlite-wal"))
  }

  @Test("an old log of the same store is never read into the file, which is newer")
  func staleLog() throws {
    let left = try LeftStore()
    let stale = try Data(contentsOf: left.log)
    for shelf in 10..<13 {
      let store = try left.open()
      try store.fill(shelf: shelf)
      try store.close()
    }
    try stale.write(to: left.log)
    let store = try left.open()
    #expect(store.notices.map(\.kind) == [.foreignLog])
    #expect(try store.titles().count == 21)
    #expect(try store.integrityCheck().findings == [])
  }

  @Test("a log that grew over many checkpoints, restores and openings always belongs to its file")
  func ownLogs() throws {
    let folder = try TemporaryFolder()
    var store = try folder.store([Shelves.schema])
    let snapshot = try store.snapshot()
    var generator = SeededGenerator(seed: 7)
    for step in 1...60 {
      try store.fill(shelf: step)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: try store.checkpoint(.truncate)
      case 1: try store.checkpoint(.passive)
      case 2:
        try RawDatabase.with(folder.file("store.sqlite")) {
          try $0.execute("PRAGMA wal_checkpoint(RESTART); UPDATE shelves SET name = name || 'x'")
        }
      case 3:
        try store.close()
        store = try folder.store([Shelves.schema])
      case 4: if step % 3 == 0 { try store.restore(snapshot: snapshot.id) }
      default: break
      }
      // As a kill would leave it.
      let copy = try TemporaryFolder()
      let file = folder.file("store.sqlite")
      try file.copyStore(to: copy.file("store.sqlite"), with: DurableFile.stands(file.path + "-wal") ? ["", "-wal"] : [""])
      let killed = try copy.store([Shelves.schema])
      #expect(killed.notices == [], "step \(step)")
      #expect(try killed.titles() == store.titles(), "step \(step)")
    }
  }

  @Test("a log that another process has open is not judged")
  func inUse() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let other = try folder.store([Shelves.schema])
    #expect(other.notices == [])
    #expect(try other.titles().count == 3)
    #expect(try Store.check(at: folder.file("store.sqlite"), schemas: [Shelves.schema]).findings == [])
  }

  @Test("a hot journal of a program that was killed is recovered: by looking in a private copy, by opening in the file")
  func hotJournal() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([Shelves.schema])
    try store.fill()
    try store.close()
    let url = folder.file("store.sqlite")
    let left = try TemporaryFolder()
    try RawDatabase.with(url) { raw in
      try raw.execute(
        """
        PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1;
        BEGIN; DELETE FROM books; DELETE FROM shelves; DELETE FROM holdfast_migrations; DELETE FROM holdfast_schemas
        """)
      try raw.execute(
        "CREATE TABLE filler (x); INSERT INTO filler WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT zeroblob(3000) FROM n"
      )
      try url.copyStore(to: left.file("store.sqlite"), with: ["", "-journal"])
      try raw.execute("ROLLBACK")
    }
    let file = left.file("store.sqlite")
    let before = try Data(contentsOf: file)
    #expect(try Store.kinds(at: file) == ["shelves": 1])
    #expect(try Store.check(at: file, schemas: [Shelves.schema]).findings == [])
    #expect(try Data(contentsOf: file) == before)
    #expect(try left.store([Shelves.schema]).titles().count == 3)
  }

  @Test("a new file that lost its first page when the power went is made anew; another's file beside such a journal stays")
  func unfinishedFile() throws {
    var journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
    // No record, a checksum's seed, no page before, sectors of 512 bytes, pages of 4,096.
    journal += [0, 0, 0, 0, 0x58, 0xBD, 0xEB, 0xCA, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x10, 0]
    journal += Data(count: 512 - journal.count)
    for content in [Data(count: 3_584), Data(repeating: 0x41, count: 3_584)] {
      let folder = try TemporaryFolder()
      let url = folder.file("store.sqlite")
      try content.write(to: url)
      try journal.write(to: folder.file("store.sqlite-journal"))
      if content.first == 0 {
        #expect(try Store.kinds(at: url) == [:])
        #expect(try Data(contentsOf: url) == content)
        let store = try folder.store([Shelves.schema])
        try store.fill()
        try store.close()
        #expect(try folder.store([Shelves.schema]).titles().count == 3)
      } else {
        #expect(failure { try folder.store([Shelves.schema]) }?.code == .notADatabase)
        #expect(try Data(contentsOf: url) == content)
      }
    }
  }
}
