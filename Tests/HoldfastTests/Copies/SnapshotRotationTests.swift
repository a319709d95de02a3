import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Rotation of snapshots")
struct SnapshotRotationTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  var url: URL { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private func open(_ change: (inout SnapshotOptions) -> Void = { _ in }) throws -> Store {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    change(&options.snapshots)
    return try folder.store([Shelves.schema], options: options)
  }

  /// Changes the store, and takes an automatic snapshot of it.
  @discardableResult
  private func take(_ store: Store, shelf: Int, label: String = "automatic") throws -> Snapshot {
    clock.advance()
    try store.fill(books: 1, shelf: shelf)
    return try store.snapshot(label: label, isAutomatic: true)
  }

  private func labels() throws -> [String] { try Snapshot.all(of: url).map(\.label) }

  private static func snapshot(_ time: String) throws -> Snapshot {
    Snapshot(
      id: time, createdAt: try Date("\(time):00Z", strategy: .iso8601), label: "", isAutomatic: true, schemas: [:], rows: [:], findings: [],
      bytes: 1, sha256: time)
  }

  @Test(
    "a rule keeps the newest snapshot of each of the newest periods that have one",
    arguments: [
      (SnapshotPolicy(keepLast: 2), [0, 1]), (SnapshotPolicy(keepLast: 0, keepHourly: 3), [0, 2, 3]),
      (SnapshotPolicy(keepLast: 0, keepDaily: 2), [0, 3]), (SnapshotPolicy(keepLast: 0, keepWeekly: 2), [0, 4]),
      (SnapshotPolicy(keepLast: 0, keepMonthly: 9), [0, 5, 6]), (SnapshotPolicy(keepLast: 1, keepMonthly: 2), [0, 5]),
      (SnapshotPolicy(keepLast: 0), []), (SnapshotPolicy(keepLast: -1, keepDaily: -1), []),
    ] as [(SnapshotPolicy, [Int])])
  func rules(policy: SnapshotPolicy, kept: [Int]) throws {
    // 2026-03-02 is a Monday.
    let times = [
      "2026-03-03T10:40", "2026-03-03T10:10", "2026-03-03T09:59", "2026-03-02T00:00", "2026-03-01T23:59", "2026-02-28T12:00",
      "1969-12-31T12:00",
    ]
    let snapshots = try times.map(Self.snapshot)
    let surplus = Set(policy.surplus(snapshots).map(\.id))
    #expect(times.indices.filter { !surplus.contains(times[$0]) } == kept)
  }

  @Test("the store's policy holds for automatic snapshots only")
  func policy() throws {
    let store = try open { $0.policy = SnapshotPolicy(keepLast: 1, keepDaily: 2) }
    try store.fill()
    try store.snapshot(label: "mine")
    for day in 2..<6 {
      clock.advance(milliseconds: 86_400_000)
      try take(store, shelf: 2 * day, label: "morning \(day)")
      try take(store, shelf: 2 * day + 1, label: "evening \(day)")
    }
    #expect(try labels() == ["evening 5", "evening 4", "mine"])
  }

  @Test("the newest snapshot without findings stays, however many come after it, and cannot be removed")
  func newestSound() throws {
    let store = try open { $0.policy = SnapshotPolicy(keepLast: 1) }
    let sound = try take(store, shelf: 1, label: "sound")
    try store.write { tx in _ = try tx.execute("PRAGMA ignore_check_constraints = ON") }
    try store.write { tx in _ = try tx.execute("UPDATE books SET pages = -1") }
    for shelf in 2..<5 { try take(store, shelf: shelf, label: "with findings") }
    #expect(try labels() == ["with findings", "sound"])
    let newest = SnapshotPolicy(keepLast: 0)
    #expect(try Snapshot.surplus(of: url, keeping: newest, includesByHand: true).map(\.label) == ["with findings"])
    #expect(failure { try Snapshot.remove(Snapshot.all(of: url), of: url) }?.code == .misuse)
    #expect(try labels() == ["with findings", "sound"])
    try Snapshot.remove(Snapshot.surplus(of: url, keeping: newest), of: url)
    #expect(try Snapshot.all(of: url) == [sound])
  }

  @Test("below the cap for all copies, the oldest automatic snapshots give way, and what a person made stays")
  func cap() throws {
    var store = try open()
    try store.fill()
    let mine = try store.snapshot(label: "mine")
    for shelf in 2..<5 { try take(store, shelf: shelf, label: "shelf \(shelf)") }
    #expect(try labels() == ["shelf 4", "shelf 3", "shelf 2", "mine"])
    try store.close()
    // Room for three copies and the descriptions, but the quarantine takes one of them.
    let kept = folder.file("store.sqlite.holdfast/quarantine/20260101T000000000Z")
    try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
    try Data(count: Int(mine.bytes)).write(to: kept.appendingPathComponent("store.sqlite"))
    store = try open { $0.maximumBytes = mine.bytes * 7 / 2 }
    try take(store, shelf: 5, label: "shelf 5")
    #expect(try labels() == ["shelf 5", "mine"])
    let status = try store.snapshotStatus()
    #expect(status.quarantineBytes == mine.bytes && status.archiveBytes == 0 && status.sourceBytes == 0)
    #expect(status.totalBytes <= mine.bytes * 7 / 2 && status.count == 2 && status.newest?.label == "shelf 5")
    try store.close()
    store = try open { $0.maximumBytes = 0 }
    try take(store, shelf: 6, label: "shelf 6")
    #expect(try labels() == ["shelf 6", "mine"])
  }

  @Test("after the clock was set back, the snapshot that was made last is the newest, and the rules go by the order of making")
  func clockSetBack() throws {
    let store = try open { $0.policy = SnapshotPolicy(keepLast: 3) }
    clock.advance(milliseconds: 365 * 86_400_000)
    for shelf in 1..<4 { try take(store, shelf: shelf, label: "ahead \(shelf)") }
    clock.advance(milliseconds: -365 * 86_400_000)
    for shelf in 4..<6 { try take(store, shelf: shelf, label: "right \(shelf)") }
    #expect(try labels() == ["right 5", "right 4", "ahead 3"])
    #expect(try store.snapshotStatus().newest?.label == "right 5")
    #expect(try Snapshot.toRestore(StoreFiles(url))?.label == "right 5")
    // The clock comes to the time of the first ones again: their order stays.
    clock.advance(milliseconds: 366 * 86_400_000)
    try take(store, shelf: 6, label: "right 6")
    #expect(try labels() == ["right 6", "right 5", "right 4"])
  }

  @Test("a restore removes no snapshot, so one can be tried after the other; the next snapshot applies the rules")
  func trying() throws {
    let store = try open { $0.policy = SnapshotPolicy(keepLast: 2) }
    let first = try take(store, shelf: 1, label: "first")
    try store.write { tx in _ = try tx.execute("DELETE FROM books") }
    clock.advance()
    let replaced = try store.restore(snapshot: first.id)
    clock.advance()
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = 'changed'") }
    try store.restore(snapshot: replaced.id)
    #expect(try labels() == ["before restoring \(replaced.id)", "before restoring \(first.id)", "first"])
    try take(store, shelf: 2, label: "next")
    #expect(try labels() == ["next", "before restoring \(replaced.id)"])
  }

  @Test("snapshots go to the folder of the options; without that folder none is made")
  func otherFolder() throws {
    try FileManager.default.createDirectory(at: folder.file("volume"), withIntermediateDirectories: false)
    let store = try open { $0.folder = folder.file("volume") }
    try store.fill()
    let made = try store.snapshot()
    #expect(try store.snapshots() == [made] && Snapshot.all(of: url, in: folder.file("volume")) == [made] && Snapshot.all(of: url) == [])
    #expect(try folder.contents().contains("volume/store.sqlite.snapshots/\(made.id).sqlite"))
    #expect(!FileManager.default.fileExists(atPath: folder.file("store.sqlite.holdfast").path))
    _ = try store.write { tx in try tx.execute("DELETE FROM books") }
    try store.restore(snapshot: made.id)
    #expect(try store.titles().count == 3)
    #expect(try Snapshot.verify(made.id, of: url, options: store.options) == made)
    try FileManager.default.removeItem(at: folder.file("volume"))
    #expect(failure { try store.snapshot() }?.code == .cannotCreate)
    #expect(try !folder.contents().contains("volume"))
  }
}
