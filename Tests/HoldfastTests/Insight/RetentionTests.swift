import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Retention", .timeLimit(.minutes(10))) struct RetentionTests {
  private let folder: TemporaryFolder
  private let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private static func schema(_ policy: RetentionPolicy) -> StoreSchema {
    StoreSchema(
      "events",
      migrations: [
        Migration(
          "events/001",
          sql: """
            CREATE TABLE events (id INTEGER PRIMARY KEY, at INTEGER, sent INTEGER NOT NULL DEFAULT 1) STRICT;
            CREATE INDEX events_at ON events (at);
            CREATE TABLE pairs (id INTEGER PRIMARY KEY, at INTEGER) STRICT, WITHOUT ROWID;
            CREATE TABLE needs (event INTEGER REFERENCES events (id)) STRICT;
            """)
      ], declarations: [.audit("events")], retention: [policy])
  }
  private static func policy(_ limits: RetentionLimits = .init(maxAgeSeconds: 10 * 86_400)) -> RetentionPolicy {
    RetentionPolicy("events", time: "at", ofRows: "sent = 1", keeps: limits)
  }

  private func open(_ policy: RetentionPolicy = policy(), _ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    change(&options)
    return try folder.store([Self.schema(policy)], options: options)
  }
  /// Events of which the last is of now, and the others are each a day older.
  private func add(_ days: Int, sent: Bool = true, to store: Store) throws {
    let now = try #require(DateCodec.milliseconds(clock.now))
    try store.write { tx in
      for day in 0..<days { try tx.execute("INSERT INTO events (at, sent) VALUES (\(now - Int64(day) * 86_400_000), \(sent))") }
    }
  }
  private func nextDay() { clock.advance(milliseconds: 86_400_000) }

  @Test("rows that are too old go, and what may not go stays; what went is kept by day")
  func age() throws {
    let store = try open()
    try add(15, to: store)
    try add(15, sent: false, to: store)
    // No time, a time in seconds, and one that was just set back.
    try store.write { _ = try $0.execute("INSERT INTO events (at) VALUES (NULL), (1700000000), (-1)") }
    let report = try store.applyRetention()
    #expect(report == RetentionReport(removed: ["events": 4]), "one that is just as old stays")
    #expect(try store.count("events") == 29)
    nextDay()
    #expect(try store.applyRetention().removed == ["events": 1])
    #expect(try store.applyRetention().removed == [:])
    #expect(try store.keptMetrics().days.map(\.removed) == [["events": 4], ["events": 1]])
  }

  @Test("of too many the oldest go, in small transactions that let other writers through")
  func count() throws {
    let store = try open(Self.policy(.init(maxCount: 100)))
    try add(1_250, to: store)
    try add(10, sent: false, to: store)
    #expect(try store.applyRetention().removed == ["events": 1_160])
    #expect(store.metrics().verbs["applyRetention"]?.writes == 3, "500 rows at most in each")
    #expect(try store.count("events") == 100)
  }

  @Test("a clock that jumps ahead removes nothing until it has gone on for three days", arguments: [365, 40])
  func jump(days: Int64) throws {
    let store = try open()
    try add(5, to: store)
    #expect(try store.applyRetention().isClockTrusted)
    clock.advance(milliseconds: days * 86_400_000)
    for _ in 0..<3 {
      #expect(try store.applyRetention() == RetentionReport(isClockTrusted: false))
      nextDay()
    }
    clock.advance(milliseconds: -(days + 3) * 86_400_000)
    #expect(try store.applyRetention() == RetentionReport())
    #expect(try store.count("events") == 5)
    clock.advance(milliseconds: days * 86_400_000)
    for _ in 0..<3 {
      #expect(try !store.applyRetention().isClockTrusted)
      nextDay()
    }
    #expect(try store.applyRetention() == RetentionReport(removed: ["events": 5]))
  }

  @Test("the app's limits take the place of the schema's, also none", arguments: [nil, .nan, .infinity, 1e300] as [Double?])
  func limits(age: Double?) throws {
    let store = try open { $0.retention.limits["events"] = RetentionLimits(maxAgeSeconds: age) }
    try add(15, to: store)
    #expect(try store.applyRetention().removed == [:])
  }

  @Test("the audit has limits of its own, and its chain stays whole")
  func audit() throws {
    let store = try open { $0.retention.audit.maxCount = 5 }
    try add(1_200, to: store)
    let removed = try #require(try store.applyRetention().removed["holdfast_audit"])
    #expect(try store.auditEntries().last?.id == Int64(removed) + 5)
    #expect(try store.checkAudit().findings.isEmpty)
    #expect(try store.auditEntries().count == 5)
  }

  @Test("a policy that does not fit its table is refused at opening")
  func misfits() throws {
    let limits = RetentionLimits(maxCount: 1)
    let misfits = [
      RetentionPolicy("event", time: "at", keeps: limits), RetentionPolicy("events", time: "time", keeps: limits),
      RetentionPolicy("events", time: "at", ofRows: "send = 1", keeps: limits), RetentionPolicy("pairs", time: "at", keeps: limits),
    ]
    for misfit in misfits {
      #expect(failure { _ = try open(misfit) }?.code == .misuse, "\(misfit)")
      #expect(failure { _ = try Store.inMemory(schemas: [Self.schema(misfit)]) }?.code == .misuse)
    }
    #expect(failure { _ = try open { $0.retention.limits["pairs"] = limits } }?.code == .misuse)
  }

  @Test("a row that another one needs stays with an error, and the other tables are looked at")
  func needed() throws {
    let store = try open { $0.retention.audit.maxCount = 1 }
    try add(15, to: store)
    try store.write { _ = try $0.execute("INSERT INTO needs SELECT id FROM events ORDER BY at LIMIT 1") }
    #expect(failure { () throws -> RetentionReport in try store.applyRetention() }?.code == .constraint)
    #expect(try store.count("events") == 15)
    #expect(try store.auditEntries().count == 1)
  }

  @Test("an open store applies it when it is idle after a commit; not in a copy, nor when it is switched off")
  func automatic() async throws {
    let store = try open {
      $0.retention.isAutomatic = true
      $0.retention.idle = .zero
    }
    try add(15, to: store)
    #expect(await eventually { (try? store.count("events")) == 11 })
    store.retentionSchedule?.settle()
    #expect(!store.options.forCopy.retention.isAutomatic)
    try store.close()
    #expect(try open().retentionSchedule == nil)
  }
}
