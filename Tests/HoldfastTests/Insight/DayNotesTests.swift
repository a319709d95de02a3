import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("What a store keeps by day", .timeLimit(.minutes(10)))
struct DayNotesTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func open(metrics: Bool = true, threshold: Duration? = nil) throws -> Store {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    options.metrics = metrics
    options.slowStatementThreshold = threshold
    return try folder.store([Shelves.schema], options: options)
  }
  private func nextDay() { clock.advance(milliseconds: 86_400_000) }
  private func add(_ shelf: Int, to store: Store) throws {
    try store.write(as: "add") { tx in try tx.insert(Shelf("shelf \(shelf)", number: shelf)) }
  }

  @Test("the first commit of a later day takes the sizes along, once; a store that is only read stays as it is")
  func sizes() async throws {
    for shelf in 1...2 {
      let store = try open()
      try add(shelf, to: store)
      #expect(try await store.keptMetrics().days.isEmpty, "the day on which it was made")
      try store.close()
    }
    nextDay()
    let file = folder.file("store.sqlite")
    let before = try Data(contentsOf: file)
    let reading = try open()
    #expect(try reading.count("shelves") == 2)
    try await reading.write { _ in }
    try reading.close()
    #expect(try Data(contentsOf: file) == before)
    let store = try open()
    for shelf in 3...4 { try add(shelf, to: store) }
    let days = try await store.keptMetrics().days
    #expect(days.map(\.day) == ["2026-01-02"] && days.first?.verbs == [:])
    let sizes = try #require(days.first?.bytes)
    #expect(sizes.keys.sorted() == ["archive", "database", "free", "log", "quarantine", "snapshots"])
    #expect(sizes["database"] == Int64(before.count) && sizes["archive"] == 0)
  }

  @Test("a minute after opening the next commit takes the calls along; those of several openings and days add up")
  func calls() throws {
    for (shelf, day) in [(1, 1), (2, 1), (3, 2)] {
      let store = try open()
      #expect(failure { try store.write(as: "fail") { _ in throw StoreError(.invalidValue, "as the test says") } }?.verb == "fail")
      try add(shelf * 10, to: store)
      store.dayNotes?.due = 0
      try store.write(as: "idle") { _ in }
      try add(shelf * 10 + 1, to: store)
      try add(shelf * 10 + 2, to: store)
      let metrics = try store.keptMetrics()
      #expect(metrics.days.last?.day == "2026-01-0\(day)" && metrics.verbs["fail"]?.errors == ["invalid_value": shelf])
      try store.close()
      if shelf == 2 { nextDay() }
    }
    let metrics = try open().keptMetrics()
    #expect(metrics.days.map { $0.verbs["add"]?.writes } == [2, 1], "the calls after the note are lost")
    let add = try #require(metrics.verbs["add"])
    #expect(add.writes == 3 && add.rowsWritten == 3 && add.latency.count == 3 && add.lockWait.count == 3)
    #expect(add.latency.p95 > .zero && add.latency.p95 <= add.latency.max && add.latency.max <= add.latency.total)
    #expect(metrics.verbs["idle"]?.writes == 3 && metrics.days.last?.verbs["fail"]?.errors == ["invalid_value": 1])
  }

  @Test("what one note has kept, the next note of the same opening does not add again")
  func onlyOnce() throws {
    let store = try open()
    try add(1, to: store)
    for shelf in 2...4 {
      store.dayNotes?.due = 0
      try add(shelf, to: store)
    }
    // The last call is counted when it is over.
    #expect(try store.keptMetrics().verbs["add"]?.writes == 3)
  }

  @Test("the slowest statements and the last errors of a day come along without values; those of several openings make one list")
  func latest() throws {
    let select: BoundSQL = "SELECT count(*) FROM shelves WHERE created_at = \("SECRET")"
    for (opening, day) in [(1, 1), (2, 1), (3, 2)] {
      let store = try open(threshold: .zero)
      for _ in 1...12 { _ = failure { try store.write(as: "fail") { _ in throw StoreError(.invalidValue, "SECRET") } } }
      try add(opening * 10, to: store)
      for _ in 1...6 { #expect(try store.read { try $0.count(select) } == 0) }
      for shelf in 1...2 {
        store.dayNotes?.due = 0
        try add(opening * 10 + shelf, to: store)
      }
      let last = try #require(try store.keptMetrics().days.last)
      #expect(last.day == "2026-01-0\(day)" && last.lastErrors.count == (opening == 2 ? 20 : 12))
      #expect(last.slowest.first { $0.sql == select.text }?.count == (opening == 2 ? 12 : 6))
      try store.close()
      if opening == 2 { nextDay() }
    }
    let store = try open()
    let kept = try store.keptMetrics()
    #expect(kept.lastErrors.count == 20 && Set(kept.lastErrors.map(\.code)) == ["invalid_value"] && kept.lastErrors.last?.time == clock.now)
    #expect(kept.slowest.map(\.longest) == kept.slowest.map(\.longest).sorted(by: >))
    let found = try #require(kept.slowest.first { $0.sql == select.text })
    #expect(found.count == 18 && found.plan == ["SCAN shelves"] && found.total > found.longest)
    #expect(kept.slowest.first { $0.sql.hasPrefix("INSERT INTO") }?.count == 9)
    let texts = try store.read { try $0.values("SELECT value FROM holdfast_insight") { row in try row.text() } }
    #expect(texts.count >= 4 && texts.allSatisfy { !$0.contains("SECRET") })
  }

  @Test("slow statements of a commit that fails are kept by the next one")
  func commitFails() throws {
    let store = try open(threshold: .zero)
    #expect(try store.count("shelves") == 0)
    _ = failure { try store.write(as: "fail") { _ in throw StoreError(.invalidValue, "as the test says") } }
    store.dayNotes?.due = 0
    // The row's foreign key is checked at COMMIT, after the notes were written.
    let orphan = failure {
      try store.write(as: "orphan") { tx in
        try tx.execute("PRAGMA defer_foreign_keys = ON")
        try tx.execute(
          "INSERT INTO books (id, shelf_id, title, finished, added_at, extra) VALUES ('a', 'no shelf', 'Emma', 0, 0, '{}')")
      }
    }
    #expect(orphan != nil)
    #expect(try store.keptMetrics().days.isEmpty)
    try add(1, to: store)
    #expect(try store.keptMetrics().lastErrors.map(\.verb) == ["fail", "orphan"])
  }

  @Test("in the archive the notes are no commit, no row and no table, and a comparison of two moments leaves them out")
  func archive() throws {
    let notes = try ArchivedNotes()
    func open() throws -> Store { try notes.open { [clock] options in options.now = { clock.now } } }
    try open().close()
    nextDay()
    let store = try open()
    let before = try store.moment()
    try notes.add(1, to: store)
    store.dayNotes?.due = 0
    try notes.add(2, to: store)
    let day = try store.keptMetrics().days.first
    #expect(day?.bytes.isEmpty == false && day?.verbs.isEmpty == false)
    let commits = try store.archive().history().compactMap(\.details)
    #expect(commits.map(\.rowsChanged).suffix(2) == [1, 1] && commits.map(\.tables).suffix(2) == [["notes"], ["notes"]])
    #expect(try store.differences(from: before, to: .time(.distantFuture)).map(\.table) == ["notes"])
  }

  @Test("the newest 400 days with sizes stay, and 30 with calls; a clock that was ahead removes no others")
  func retention() throws {
    try open().close()
    let store = try open()
    try store.write { tx in
      for (kind, days) in [("bytes", 405), ("verb", 35), ("slow", 35), ("errors", 35)] {
        try tx.execute(
          """
          WITH RECURSIVE n (day) AS (SELECT 0 UNION ALL SELECT day + 1 FROM n LIMIT \(days))
          INSERT INTO holdfast_insight SELECT \(kind), date('2020-01-01', day || ' days'), 'database', '1' FROM n
          """)
      }
      try tx.execute("INSERT INTO holdfast_insight VALUES ('bytes', '2099-01-01', 'database', '1')")
    }
    store.dayNotes?.due = 0
    try add(1, to: store)
    let kinds = try store.rows("SELECT kind || count(DISTINCT day) || min(day) FROM holdfast_insight GROUP BY kind ORDER BY kind")
    #expect(kinds == ["bytes4002020-01-08", "errors302020-01-06", "slow302020-01-06", "verb312020-01-06"])
  }

  @Test("nothing is kept when metrics are off, and what cannot be kept fails no commit")
  func neverInTheWay() throws {
    try open().close()
    nextDay()
    let off = try open(metrics: false)
    try add(1, to: off)
    #expect(off.dayNotes == nil)
    #expect(try off.keptMetrics().days.isEmpty)
    try off.close()
    let store = try open()
    try store.write { tx in _ = try tx.execute("DROP TABLE holdfast_insight") }
    store.dayNotes?.due = 0
    try add(2, to: store)
    #expect(try store.count("shelves") == 2)
  }
}
