import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Metrics of many tasks", .timeLimit(.minutes(10)))
struct ManyVerbsTests {
  private struct OwnError: Error {}
  private static let verbs: [StaticString] = ["play", "pause", "seek", "search", "list"]

  private struct Tally: Equatable {
    var reads = 0
    var writes = 0
    var failed = 0
    var rows = 0
    mutating func add(_ other: Tally) {
      reads += other.reads
      writes += other.writes
      failed += other.failed
      rows += other.rows
    }
  }

  private static let callsOfTask = ProofRun.isLong ? 6_250 : 625

  /// Returns what it did, counted by itself.
  private func run(_ store: Store, seed: UInt64) async throws -> [String: Tally] {
    var random = SeededGenerator(seed: seed)
    var tallies: [String: Tally] = [:]
    for _ in 0..<Self.callsOfTask {
      let verb = Self.verbs[Int.random(in: 0..<Self.verbs.count, using: &random)]
      let (writes, fails) = (Bool.random(using: &random), Int.random(in: 0..<5, using: &random) == 0)
      let rows = Int.random(in: 0...3, using: &random)
      var tally = Tally()
      if writes { tally.writes = 1 } else { tally.reads = 1 }
      do {
        if writes {
          try await store.write(as: verb) { tx in
            for _ in 0..<rows { try tx.execute("INSERT INTO numbers (number) VALUES (1)") }
            if fails { throw OwnError() }
          }
          tally.rows = rows
        } else {
          try await store.read(as: verb) { _ in if fails { throw OwnError() } }
        }
      } catch is OwnError {
        tally.failed = 1
      }
      tallies["\(verb)", default: Tally()].add(tally)
    }
    return tallies
  }

  @Test("the calls of 16 tasks at once are counted as the tasks count them")
  func agrees() async throws {
    let seed = UInt64.random(in: 0...UInt64.max >> 8)
    let schema = StoreSchema(
      "numbers",
      migrations: [
        Migration("numbers/001", sql: "CREATE TABLE numbers (id INTEGER NOT NULL PRIMARY KEY, number INTEGER NOT NULL) STRICT")
      ])
    let store = try Store.temporary(schemas: [schema], options: .production)
    var expected: [String: Tally] = [:]
    try await withThrowingTaskGroup(of: [String: Tally].self) { group in
      for task in 0..<16 { group.addTask { try await run(store, seed: seed + UInt64(task)) } }
      for try await tallies in group {
        for (verb, tally) in tallies { expected[verb, default: Tally()].add(tally) }
      }
    }
    let verbs = store.metrics().verbs
    let counted = verbs.mapValues { Tally(reads: $0.reads, writes: $0.writes, failed: $0.errors["app"] ?? 0, rows: $0.rowsWritten) }
    #expect(counted == expected, "seed \(seed)")
    #expect(verbs.values.allSatisfy { $0.latency.count == $0.reads + $0.writes && $0.lockWait.count == $0.writes }, "seed \(seed)")
    #expect(verbs.values.allSatisfy { $0.latency.p50 <= $0.latency.p95 && $0.latency.p99 <= $0.latency.max }, "seed \(seed)")
    let rows = try await store.read { reader in try reader.count("SELECT count(*) FROM numbers") }
    #expect(rows == expected.values.reduce(0) { $0 + $1.rows })
  }
}
