import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("What a store tells")
struct LoggingTests {
  @Test("opening, migrating, snapshots and restoring are one line each, without values")
  func lines() throws {
    let folder = try TemporaryFolder()
    let lines = LogLines()
    var options = StoreOptions.testing
    options.logger = lines.logger
    options.now = { Date(timeIntervalSince1970: 1_700_000_000) }
    let store = try folder.store([Shelves.schema], options: options)
    try store.write { tx in try tx.insert(Shelf("SECRET")) }
    let snapshot = try store.snapshot()
    try store.restore(snapshot: snapshot.id)
    try store.close()
    let path = folder.file("store.sqlite").path
    let told = lines.all.map { $0.replacingOccurrences(of: " bytes=\(snapshot.bytes)", with: "") }
    #expect(
      told == [
        "info migrated migration=holdfast/001-import-ledger",
        "info migrated migration=shelves/001-first",
        "info opened access=readWrite durability=fast path=\(path)",
        "info snapshot findings=0 id=20231114T221320Z-1",
        "notice replaced by=restored the snapshot 20231114T221320Z-1",
      ])
    #expect(!lines.all.contains { $0.contains("SECRET") })
  }

  @Test("an opening that fails and damage that is found are logged as errors, with the code only")
  func failures() throws {
    let folder = try TemporaryFolder()
    let lines = LogLines()
    try Data("SECRET".utf8).write(to: folder.file("store.sqlite"))
    #expect(failure { try folder.store([Shelves.schema], options: .testing.with { $0.logger = lines.logger }) }?.code == .notADatabase)
    #expect(lines.all == ["error opening failed code=not_a_database path=\(folder.file("store.sqlite").path)"])
  }

  @Test("the trace gets every statement, raw steps included, and no values")
  func trace() throws {
    let statements = TracedStatements()
    let store = try Shelves.temporary(options: .testing.with { $0.trace = { statements.append($0) } })
    _ = statements.take()
    try store.write { tx in
      try tx.insert(Shelf("SECRET"))
      try tx.execute("UPDATE shelves SET name = \("SECRET 2")")
    }
    _ = try store.read { reader in try reader.all(Shelf.self, "WHERE name = \("SECRET 2")") }
    #expect(
      statements.take() == [
        "INSERT INTO shelves (id, name, created_at) VALUES (?, ?, ?)",
        "UPDATE shelves SET name = ?",
        "SELECT id, name, created_at FROM shelves WHERE name = ?",
      ])
  }
}
