import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Replaying the audit", .timeLimit(.minutes(60)))
struct AuditReplayTests {
  private typealias Row = [String: SQLValue]
  private static let keys = ["books": ["id"], "loans": ["book", "number"]]
  private static let columns = ["books": ["id", "title", "pages", "rating", "revision"], "loans": ["book", "number", "name"]]

  @Test("the audit replayed onto an empty store is the audited columns, over random histories")
  func replay() throws {
    for seed in 0..<UInt64(ProofRun.isLong ? 10_000 : 50) {
      let store = try AuditedBooks.inMemory()
      var random = SeededGenerator(seed: seed)
      for _ in 0..<40 {
        let (count, fails) = (Int.random(in: 1...4, using: &random), random.chance(10))
        let statements = (0..<count).map { _ in Self.statement(&random) }
        do {
          try store.write(as: "history") { tx in
            for sql in statements { try tx.execute(sql) }
            if fails { throw CancellationError() }
          }
        } catch let error as StoreError {
          #expect([.constraint, .cancelled].contains(error.code), "seed \(seed): \(error)")
        }
      }
      let replayed = try Self.replayed(store.auditEntries(limit: .max), "seed \(seed)")
      for (table, columns) in Self.columns {
        let rows = try store.read { reader in
          try reader.values("SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: table)") { row in
            var values: Row = [:]
            for column in columns { values[column] = try row.value() }
            return values
          }
        }
        #expect(Set(rows) == Set(replayed[table, default: [:]].values), "seed \(seed), \(table)")
        #expect(rows.count == replayed[table, default: [:]].count, "seed \(seed), \(table)")
      }
      #expect(try store.checkAudit().findings == [], "seed \(seed)")
    }
  }

  private static func statement(_ random: inout SeededGenerator) -> BoundSQL {
    let ids: [SQLValue] = [.text("a"), .text("b/%"), .text("三"), .integer(1), .text("1"), .blob(Data([1]))]
    let titles: [SQLValue] = [
      .null, .integer(1), .real(1), .real(0.1), .text("1"), .text("a"), .text("A"), .text("\u{0}'\""), .blob(Data([0xFF])),
      .real(.infinity),
    ]
    let (id, other, title) = (random.pick(ids), random.pick(ids), random.pick(titles))
    let pages = Int.random(in: 1...5, using: &random)
    let rating = random.chance(50) ? nil : Double.random(in: -1...1, using: &random)
    let name: String? = title == .text("a") ? "A" : nil
    let all: [BoundSQL] = [
      "INSERT INTO books (id, title, pages, rating) VALUES (\(id), \(title), \(pages), \(rating))",
      "INSERT OR REPLACE INTO books (id, title, pages, rating) VALUES (\(id), \(title), \(pages), \(rating))",
      "INSERT OR IGNORE INTO books (id, title, pages) VALUES (\(id), \(title), \(pages)), (\(other), \(title), \(pages + 1))",
      "INSERT INTO books (id, title) VALUES (\(id), \(title)) ON CONFLICT (id) DO UPDATE SET title = excluded.title",
      "UPDATE OR REPLACE books SET title = \(title), pages = \(pages) WHERE id = \(id)", "UPDATE books SET rating = \(rating)",
      "UPDATE OR REPLACE books SET id = \(other) WHERE id = \(id)", "UPDATE books SET cover = x'01', revision = revision + 5",
      "DELETE FROM books WHERE id = \(id)", "DELETE FROM loans WHERE number = \(pages)",
      "INSERT OR REPLACE INTO loans VALUES (\(id), \(pages), \(name))",
      "UPDATE OR REPLACE loans SET number = \(pages) WHERE book = \(id)", "DELETE FROM books",
    ]
    return random.pick(all)
  }

  /// The rows of each table by their keys.
  private static func replayed(_ entries: [AuditEntry], _ hint: Comment) throws -> [String: [[SQLValue]: Row]] {
    var tables: [String: [[SQLValue]: Row]] = [:]
    for entry in entries where entry.operation != .base {
      let key = try #require(keys[entry.table]).map { (entry.after.isEmpty ? entry.before : entry.after)[$0] ?? .null }
      let present = tables[entry.table]?[key]
      // Nothing happened in between that has no entry.
      #expect(entry.before.allSatisfy { name, value in present?[name] == value }, hint)
      switch entry.operation {
      case .insert:
        #expect(present == nil, hint)
        tables[entry.table, default: [:]][key] = entry.after
      case .update: tables[entry.table]?[key]?.merge(entry.after) { _, new in new }
      default: tables[entry.table]?[key] = nil
      }
    }
    return tables
  }
}
