import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Scheduled snapshots and drills", .timeLimit(.minutes(10)))
struct SnapshotScheduleTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  var url: URL { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func open(_ schema: StoreSchema = Shelves.schema, _ change: (inout SnapshotOptions) -> Void) throws -> Store {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    change(&options.snapshots)
    let store = try folder.store([schema], options: options)
    store.schedule?.settle()
    return store
  }

  @Test("a snapshot is taken after every so many commits")
  func everyCommits() throws {
    let store = try open { $0.everyCommits = 3 }
    var counts: [Int] = []
    for shelf in 1..<7 {
      clock.advance()
      try store.fill(books: 1, shelf: shelf)
      store.schedule?.settle()
      counts.append(try store.snapshots().count)
    }
    #expect(counts == [0, 0, 1, 1, 1, 2])
    #expect(try store.snapshots().allSatisfy { $0.isAutomatic && $0.label == "scheduled" })
  }

  @Test("a snapshot is taken on opening when the last look is old enough; an unchanged store needs no second copy")
  func onOpen() throws {
    func opening(after hours: Int64, changing shelf: Int? = nil) throws -> Int {
      clock.advance(milliseconds: hours * 3_600_000)
      let store = try open { $0.onOpen = .seconds(86_400) }
      if let shelf { try store.fill(books: 1, shelf: shelf) }
      try store.close()
      return try Snapshot.all(of: url).count
    }
    #expect(try opening(after: 0, changing: 1) == 0, "a new store holds nothing")
    #expect(try opening(after: 1) == 1)
    #expect(try opening(after: 23, changing: 2) == 1)
    #expect(try opening(after: 1) == 2)
    #expect(try opening(after: 30) == 2)
    #expect(SnapshotTimes(try StoreFiles(url)).lookedAt == clock.now)
  }

  @Test("a snapshot is taken when commits are followed by none for a while")
  func idle() throws {
    let asked = DispatchSemaphore(value: 0)
    var options = StoreOptions.testing
    options.snapshots.idle = .zero
    options.now = {
      asked.signal()
      return Date(timeIntervalSince1970: 1_700_000_000)
    }
    let store = try folder.store([Shelves.schema], options: options)
    while asked.wait(timeout: .now()) == .success {}
    try store.fill()
    // A snapshot asks for the time first.
    asked.wait()
    store.schedule?.settle()
    #expect(try store.snapshots().count == 1)
  }

  @Test("a scheduled snapshot that fails fails no commit; the status and the log tell it until one succeeds")
  func failing() throws {
    let log = LogLines()
    var options = StoreOptions.testing
    (options.snapshots.everyCommits, options.snapshots.folder, options.logger) = (1, folder.file("volume"), log.logger)
    let store = try folder.store([Shelves.schema], options: options)
    try store.fill()
    store.schedule?.settle()
    #expect(try store.snapshotStatus().lastError?.contains("volume for snapshots") == true)
    #expect(log.all.contains { $0.hasPrefix("error a scheduled snapshot failed code=cannot_create") })
    try FileManager.default.createDirectory(at: folder.file("volume"), withIntermediateDirectories: false)
    try store.fill(shelf: 2)
    store.schedule?.settle()
    let status = try store.snapshotStatus()
    #expect(status.lastError == nil && status.count == 1 && status.newestSound == status.newest)
  }

  @Test("after closing nothing is scheduled any more, and the store is one file")
  func closing() throws {
    let store = try open {
      $0.everyCommits = 1
      $0.idle = .zero
    }
    for shelf in 1..<20 { try store.fill(books: 1, shelf: shelf) }
    try store.close()
    let snapshots = try Snapshot.all(of: url)
    store.schedule?.committed()
    store.schedule?.settle()
    #expect(try Snapshot.all(of: url) == snapshots)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("store.sqlite-") } == [])
  }

  @Test("drills follow their schedule, after opening too")
  func scheduledDrill() throws {
    var store = try open { _ in }
    try store.fill()
    try store.snapshot()
    try store.close()
    store = try open { $0.drill = .seconds(86_400) }
    let first = try #require(try store.snapshotStatus().lastDrill)
    #expect(first == clock.now)
    try store.close()
    clock.advance(milliseconds: 3_600_000)
    store = try open { $0.drill = .seconds(86_400) }
    #expect(try store.snapshotStatus().lastDrill == first)
    try store.close()
    clock.advance(milliseconds: 86_400_000)
    store = try open { $0.drill = .seconds(86_400) }
    #expect(try store.snapshotStatus().lastDrill == clock.now)
  }

  @Test("a drill restores the newest sound snapshot, migrates and checks it, and leaves no file but the time")
  func drill() throws {
    var store = try open { _ in }
    try store.fill()
    let made = try store.snapshot()
    try store.fill(shelf: 2)
    try store.close()
    let next = Migration("shelves/002-notes", sql: "CREATE TABLE notes (text TEXT) STRICT")
    let schema = StoreSchema("shelves", migrations: [Shelves.v1, next])
    store = try open(schema) { _ in }
    try store.fill(shelf: 3)
    let before = try folder.contents()
    let drill = try store.drill(snapshot: made.id)
    #expect(drill.snapshot == made && drill.hasPassed && drill.endedAt == clock.now)
    // This version declares no records; the earlier one told the kinds of their columns.
    #expect(drill.report.checked == IntegrityReport.Part.allCases.filter { $0 != .records })
    #expect(try Set(folder.contents()).subtracting(before) == ["store.sqlite.holdfast/snapshots/state"])
    #expect(try Snapshot.lastDrill(of: url) == clock.now)
    #expect(try store.snapshots().count == 2, "the state is no snapshot")
    try store.close()
    #expect(try Store.drill(at: url, schemas: [schema]).snapshot.label == "before migration")
  }

  @Test("a drill fails for findings and for a copy that has changed, and the last time that passed stays")
  func failedDrill() throws {
    let store = try open { _ in }
    #expect(failure { try store.drill() }?.code == .notFound)
    try store.fill()
    let sound = try store.snapshot()
    #expect(try store.drill().hasPassed)
    let passed = clock.now
    clock.advance()
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = ''") }
    let broken = try store.snapshot()
    let drill = try store.drill(snapshot: broken.id)
    #expect(!drill.hasPassed && drill.report.findings.map(\.part) == [.invariants, .invariants, .invariants])
    let copy = folder.file("store.sqlite.holdfast/snapshots/\(sound.id).sqlite")
    try Data(contentsOf: copy).dropLast(4096).write(to: copy)
    #expect(failure { try store.drill(snapshot: sound.id) }?.code == .verificationFailed)
    #expect(failure { try Snapshot.verify(sound.id, of: url) }?.code == .verificationFailed)
    #expect(try store.snapshotStatus().lastDrill == passed)
  }
}
