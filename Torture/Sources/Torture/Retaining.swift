import Foundation
import Holdfast

/// The workload `retention`: a store removes old events that were sent, in two transactions, and old entries of the audit.
enum Retaining {
  static let schemas = [Library.old, events]
  private static let count = 1_300
  private static let old = 1_200
  private static let removable = 800
  private static let keptEntries = 5

  private static let events = LibrarySchema(
    "events",
    migrations: [
      Migration(
        "events/001",
        sql: """
          CREATE TABLE events (id INTEGER NOT NULL PRIMARY KEY, at INTEGER NOT NULL, sent INTEGER NOT NULL) STRICT;
          CREATE INDEX events_by_time ON events (at);
          """)
    ],
    retention: [RetentionPolicy("events", time: "at", ofRows: "sent = 1", keeps: RetentionLimits(maxAgeSeconds: 30 * 86_400))])

  static func prepare(_ url: URL, _ options: StoreOptions, seed: UInt64) throws {
    let store = try Store.open(at: url, schemas: schemas, options: options)
    for number in 1...Workload.prepared { try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) } }
    let now = Int64(options.now().timeIntervalSince1970 * 1_000)
    try store.write { tx in
      for id in 1...count {
        let time = id <= old ? now - 100 * 86_400_000 + Int64(id) : now - Int64(id)
        _ = try tx.execute("INSERT INTO events (id, at, sent) VALUES (\(id), \(time), \(id.isMultiple(of: 3) ? 0 : 1))")
      }
    }
    try store.close()
  }

  static func run(_ url: URL, _ options: StoreOptions, seed: UInt64, _ acks: Acks) throws {
    var options = options
    options.retention.audit.maxCount = keptEntries
    let store = try Store.open(at: url, schemas: schemas, options: options)
    acks.tell("opened")
    if Sabotage.current == .forgets {
      try store.write { tx in
        _ = try tx.execute("DELETE FROM holdfast_audit WHERE row = '8'")
        _ = try tx.execute("DELETE FROM events WHERE id = 1")
      }
    }
    try store.applyRetention()
    acks.tell("retained")
    let number = Workload.prepared + 1
    try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
    acks.tell("commit \(number)")
    try store.close()
    acks.tell("closed")
  }

  /// What must not be, whenever the process ended.
  ///
  /// - Parameter areNotesKept: false where the clock has gone on by more than 30 days.
  static func problems(_ store: Store, isEnded: Bool, areNotesKept: Bool = true) throws -> [String] {
    let (kept, left) = try store.read { reader in
      (
        try reader.count("SELECT count(*) FROM events WHERE sent = 0 OR id > \(old)"),
        try reader.count("SELECT count(*) FROM events WHERE sent = 1 AND id <= \(old)")
      )
    }
    let gone = removable - left
    var problems: [String] = []
    if kept != count - removable { problems.append("\(kept) of \(count - removable) rows are there that must stay") }
    if ![0, 500, removable].contains(gone) { problems.append("half a transaction: \(gone) rows are gone") }
    let noted = try store.keptMetrics().days.reduce(0) { $0 + ($1.removed["events"] ?? 0) }
    if areNotesKept, noted != gone { problems.append("\(gone) rows are gone, and \(noted) are noted") }
    if isEnded, gone != removable { problems.append("retention has ended, and \(left) rows are still there") }
    return problems
  }
}
