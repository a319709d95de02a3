import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The chain of the audit")
struct AuditChainTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
  }

  @Test(
    "an entry that is edited, removed, reordered, put in or cut off shows, in the check of the whole store as well",
    arguments: [
      ("UPDATE holdfast_audit SET after = replace(after, '\"A\"', '\"B\"') WHERE id = 4", "4"),
      ("UPDATE holdfast_audit SET actor = 'otto' WHERE id = 5", "5"), ("UPDATE holdfast_audit SET time = time + 1 WHERE id = 3", "3"),
      ("UPDATE holdfast_audit SET actor = '', verb = 'annatest' WHERE id = 5", "5"),
      ("DELETE FROM holdfast_audit WHERE id = 4", "5"), ("DELETE FROM holdfast_audit WHERE id <= 3", "4"),
      (
        "UPDATE holdfast_audit SET id = -1 WHERE id = 4; UPDATE holdfast_audit SET id = 4 WHERE id = 5; "
          + "UPDATE holdfast_audit SET id = 5 WHERE id = -1", "4"
      ),
      ("DELETE FROM holdfast_audit WHERE id > 5", "5"), ("UPDATE holdfast_audit SET hash = NULL WHERE id = 4", "4"),
      ("DELETE FROM holdfast_audit WHERE id = 4; UPDATE holdfast_audit SET operation = 'purged' WHERE id = 5", "5"),
    ])
  func broken(damage: String, row: String) throws {
    let store = try folder.auditedBooks()
    try RawDatabase.with(url) { try $0.execute(damage) }
    #expect(try store.checkAudit().findings.first?.row == row)
    #expect(try store.integrityCheck().findings.contains { $0.table == "holdfast_audit" && $0.part == .invariants })
    // What comes later does not hide it.
    try store.run("INSERT INTO books (id) VALUES (9)")
    #expect(try store.checkAudit().findings.first?.row == (damage.contains("> 5") ? "8" : row))
  }

  @Test("a hash is made as the documentation says")
  func format() throws {
    let store = try folder.auditedBooks()
    let entries = try store.read { reader in
      try reader.values("SELECT time, coalesce(before, ''), coalesce(after, ''), hash FROM holdfast_audit WHERE id IN (3, 4) ORDER BY id") {
        row in (time: try row.int64(), before: try row.text(), after: try row.text(), hash: try row.data())
      }
    }
    let last = entries[1]
    let fields = "4\nanna4\ntest5\nbooks1\n26\ninsert-\n\(last.after.utf8.count)\n\(last.after)"
    #expect(last.hash == SHA256Hex.bytes(of: entries[0].hash + Data("4\n\(last.time)\n\(fields)".utf8)))
    let check = try store.checkAudit()
    #expect(check.lastEntry == 7 && check.entries == 7 && check.lastHash?.count == 64)
  }

  @Test("retention removes the oldest entries by age and by count, and leaves an anchor from which the chain goes on")
  func anchor() throws {
    let store = try folder.auditedBooks()
    #expect(try store.write { tx in try tx.removeAudit(keepingLast: 4) } == 3)
    #expect(try store.write { tx in try tx.removeAudit(before: Date(timeIntervalSince1970: 0), keepingLast: 9) } == 0)
    try store.run("INSERT INTO books (id) VALUES (9)")
    #expect(try store.auditEntries().map(\.id) == [4, 5, 6, 7, 8] && store.checkAudit().findings == [])
    #expect(try store.write { tx in try tx.removeAudit(before: Date(timeIntervalSinceNow: 1e6)) } == 5)
    let check = try store.checkAudit()
    #expect(check.findings == [] && check.lastEntry == 8 && check.entries == 0)
    try store.run("INSERT INTO books (id) VALUES (10)")
    #expect(try store.auditEntries().map(\.id) == [9] && store.checkAudit().findings == [])
    try RawDatabase.with(url) { try $0.execute("UPDATE holdfast_audit_anchor SET hash = x'00'") }
    #expect(try store.checkAudit().findings.map(\.row) == ["9"])
  }

  @Test("a purged row is in no entry, nor is what hung on it or named it; the chain stays whole")
  func purged() throws {
    let id = UUID()
    let schema = StoreSchema(
      "people",
      migrations: [
        Migration(
          "people/001",
          sql: """
            CREATE TABLE people (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;
            CREATE TABLE notes (id INTEGER PRIMARY KEY, person TEXT REFERENCES people (id) ON DELETE CASCADE, text TEXT) STRICT;
            CREATE TABLE clubs (id INTEGER PRIMARY KEY, leader TEXT) STRICT;
            """)
      ], declarations: [.audit("people"), .audit("notes"), .audit("clubs")])
    let store = try folder.store([schema])
    try store.run(
      "INSERT INTO people VALUES (\(id), 'Quirrenbach')", "INSERT INTO notes VALUES (1, \(id), 'about Quirrenbach')",
      "INSERT INTO clubs VALUES (1, \(id)), (2, 'other')")
    try store.run("UPDATE notes SET text = 'more about Quirrenbach'", "UPDATE clubs SET leader = 'nobody' WHERE id = 1")
    try store.purge(PurgedPerson.self, id: id)
    let check = try store.checkAudit()
    #expect(check.findings == [] && check.purged == 7)
    #expect(try store.auditEntries().filter { $0.operation == .insert }.map(\.row) == ["2"])
    try store.close()
    let bytes = try Data(contentsOf: url)
    #expect(bytes.range(of: Data("Quirrenbach".utf8)) == nil && bytes.range(of: Data(IDCodec.lowercase(id).utf8)) == nil)
  }
}

extension TemporaryFolder {
  /// A store with two bases, and the entries 3 to 7.
  func auditedBooks() throws -> Store {
    let store = try store([AuditedBooks.schema])
    for id in 1...5 { try Audit.$actor.withValue("anna") { try store.run("INSERT INTO books (id, title) VALUES (\(id), 'A')") } }
    #expect(try store.checkAudit().findings == [] && store.auditEntries().map(\.id) == [1, 2, 3, 4, 5, 6, 7])
    return store
  }
}

private struct PurgedPerson: StoredRecord, Codable {
  static let table = "people"
  var id: UUID
}
