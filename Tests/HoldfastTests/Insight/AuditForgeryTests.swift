import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// Somebody with the file changes its audit with SQL alone while no app has it open. The check tells, also after the app's next write.
@Suite("A forged audit")
struct AuditForgeryTests {
  private let folder: TemporaryFolder
  private let url: URL
  /// Two bases, and the entries 3 to 7. Entries 1 and 2 are gone where retention has run.
  private static let newest = 7

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
  }

  /// The file of a closed store, by how many entries retention has kept; -1: it has not run.
  private static let files = Result { () throws -> [Int: Data] in
    try [-1, 4, 0].reduce(into: [:]) { files, kept in
      let folder = try TemporaryFolder()
      let store = try folder.auditedBooks()
      if kept >= 0 { _ = try store.write { tx in try tx.removeAudit(keepingLast: kept) } }
      #expect(try store.checkAudit().findings == [] && store.checkAudit().lastEntry == Int64(AuditForgeryTests.newest))
      try store.close()
      files[kept] = try Data(contentsOf: folder.file("store.sqlite"))
    }
  }

  private func fill(keepingLast kept: Int? = nil) throws { try #require(Self.files.get()[kept ?? -1]).write(to: url) }

  /// What the check tells after the forgery, and again after two writes of the app.
  private func findings(after forgery: String) throws -> [[String?]] {
    try RawDatabase.with(url) { try $0.execute(forgery) }
    let store = try folder.store([AuditedBooks.schema])
    defer { try? store.close() }
    var told = [try store.checkAudit().findings.map(\.row)]
    for id in [98, 99] {
      try store.run("INSERT INTO books (id) VALUES (\(id))")
      told.append(try store.checkAudit().findings.map(\.row))
    }
    #expect(try store.integrityCheck().findings.contains { $0.table == "holdfast_audit" } == !told[2].isEmpty)
    return told
  }

  private static let insertion = "INSERT INTO holdfast_audit (time, actor, verb, kind, row, operation, before, after, hash) VALUES"

  /// The forgeries that were accepted before.
  @Test(
    "the app's next write does not sign a forged entry, and the check names the first one that is not proven",
    arguments: [
      // Every entry, and the newest one only, with a name, and as if another program had made the change.
      ("UPDATE holdfast_audit SET actor = 'otto', after = NULL, hash = NULL", "1"),
      ("UPDATE holdfast_audit SET actor = 'otto', after = NULL, hash = NULL WHERE id = 7", "7"),
      ("UPDATE holdfast_audit SET actor = NULL, verb = NULL, after = NULL, hash = NULL WHERE id = 7", "7"),
      ("UPDATE holdfast_audit SET actor = NULL, verb = NULL, hash = NULL WHERE id >= 6", "6"),
      ("UPDATE holdfast_audit SET hash = NULL WHERE id = 4", "4"),
      ("\(insertion) (1, 'otto', NULL, 'books', '1', 'update', NULL, NULL, NULL)", "8"),
      ("\(insertion) (1, NULL, 'test', 'books', '1', 'update', NULL, NULL, NULL)", "8"),
      ("\(insertion) (1, 'otto', 'migrate', 'books', '', 'base', NULL, NULL, NULL)", "8"),
      ("\(insertion) (1, NULL, 'migrate', 'books', '1', 'update', NULL, NULL, NULL)", "8"),
      ("\(insertion) (1, NULL, 'migrate', 'books', '', 'base', NULL, '{}', NULL)", "8"),
      ("\(insertion) (1, NULL, NULL, 'books', '1', 'update', NULL, NULL, x'00')", "8"),
    ])
  func forged(forgery: String, row: String) throws {
    try fill()
    #expect(try findings(after: forgery).map(\.first) == [row, row, row])
  }

  @Test(
    "a beginning that was removed shows, also where the anchor was moved along; so does an end that was cut off",
    arguments: [
      "INSERT OR REPLACE INTO holdfast_audit_anchor SELECT 1, id, hash FROM holdfast_audit WHERE id = 5; DELETE FROM holdfast_audit WHERE id <= 5",
      "INSERT OR REPLACE INTO holdfast_audit_anchor SELECT 1, id, hash FROM holdfast_audit WHERE id = 7; DELETE FROM holdfast_audit",
      "UPDATE holdfast_audit_anchor SET entry = entry + 1", "UPDATE holdfast_audit_anchor SET hash = x'00'",
      "DELETE FROM holdfast_audit_anchor",
      "DELETE FROM holdfast_audit WHERE id > 5; UPDATE sqlite_sequence SET seq = 5 WHERE name = 'holdfast_audit'",
      "DELETE FROM holdfast_audit; DELETE FROM sqlite_sequence", "DELETE FROM holdfast_audit; DELETE FROM holdfast_audit_anchor",
      "UPDATE holdfast_insight SET value = replace(value, '7:', '6:') WHERE kind = 'audit'",
      "UPDATE holdfast_insight SET value = '' WHERE kind = 'audit'",
      "DELETE FROM holdfast_audit WHERE id = 7; UPDATE sqlite_sequence SET seq = 6 WHERE name = 'holdfast_audit'; "
        + "UPDATE holdfast_insight SET value = '6:' || (SELECT lower(hex(hash)) FROM holdfast_audit WHERE id = 6) || substr(value, 67) WHERE kind = 'audit'",
    ])
  func ends(forgery: String) throws {
    try fill(keepingLast: 4)
    let told = try findings(after: forgery)
    #expect(told.allSatisfy { !$0.isEmpty }, "\(told)")
  }

  private static let content = "SELECT id, time, actor, verb, kind, row, operation, before, after, hex(hash) FROM holdfast_audit"

  /// Entries of every kind are changed in every column. What cannot be found is listed in `Documentation/Audit.md`.
  @Test(
    "whatever SQL does to one entry shows, with and without a later write of the app, except what the documentation lists",
    // The bases, an entry between two others and the newest one; behind an anchor the oldest and the newest one.
    arguments: [(nil, [1, 2, 3, newest]), (4, [4, newest])] as [(Int?, [Int])])
  func everyColumn(kept: Int?, entries: [Int]) throws {
    try fill(keepingLast: kept)
    let sound = try Data(contentsOf: url)
    let columns = [
      "time": "time - 1", "actor": "'otto'", "verb": "'other'", "kind": "'loans'", "row": "row || '0'", "operation": "'delete'",
      "before": "'{}'", "after": "'{\"id\":0}'", "hash": "zeroblob(32)", "id": "id + 10",
    ]
    let others = ["actor": "NULL", "verb": "NULL", "hash": "NULL", "operation": "'base'", "after": "NULL", "id": "-id"]
    var missed: [String] = []
    for id in entries {
      let changes = (columns.map { "\($0) = \($1)" } + others.map { "\($0) = \($1)" }).sorted()
      var forgeries = changes + changes.map { "\($0), hash = NULL" }.filter { !$0.hasPrefix("hash") }
      forgeries.append("actor = NULL, verb = NULL, after = '{}', hash = NULL")
      var statements = forgeries.map { "UPDATE holdfast_audit SET \($0) WHERE id = \(id)" }
      statements.append("DELETE FROM holdfast_audit WHERE id = \(id)")
      statements.append(
        "DELETE FROM holdfast_audit WHERE id >= \(id); UPDATE sqlite_sequence SET seq = \(id - 1) WHERE name = 'holdfast_audit'")
      for statement in statements {
        try sound.write(to: url)
        let unchanged = try RawDatabase.with(url) { database in
          let before = try database.rows(Self.content)
          try database.execute(statement)
          return try database.rows(Self.content) == before
        }
        let store = try folder.store([AuditedBooks.schema])
        defer { try? store.close() }
        let before = try store.checkAudit().findings
        try store.run("INSERT INTO books (id) VALUES (8)")
        let after = try store.checkAudit().findings
        try store.close()
        if before.isEmpty != unchanged || after.isEmpty != unchanged { missed.append("\(statement): \(before.count), \(after.count)") }
      }
    }
    #expect(missed == [])
  }

  private static let note = "SELECT value FROM holdfast_insight WHERE kind = 'audit'"

  /// Without the note, the file is as an earlier version leaves it.
  @Test(
    "a chain and an anchor of an earlier version are sound and go on, and a forged entry at their end gets no hash", arguments: [nil, 4, 0])
  func earlier(kept: Int?) throws {
    try fill(keepingLast: kept)
    try RawDatabase.with(url) {
      try $0.execute("DELETE FROM holdfast_insight WHERE kind = 'audit'; UPDATE books SET title = 'theirs' WHERE id = 1")
    }
    let store = try folder.store([AuditedBooks.schema])
    #expect(try store.checkAudit().findings == [])
    #expect(try store.write { tx in try tx.removeAudit(keepingLast: 8) } == (kept == nil ? 1 : 0))
    try store.run("INSERT INTO books (id) VALUES (8)")
    #expect(try store.checkAudit().findings == [] && store.checkAudit().unchained == 0)
    try store.close()
    try RawDatabase.with(url) { database in
      #expect(try database.rows(Self.note).count == 1)
      try database.execute("DELETE FROM holdfast_insight WHERE kind = 'audit'")
    }
    let newest = try #require(RawDatabase.with(url) { try $0.rows("SELECT max(id) FROM holdfast_audit") }.first?.first)
    #expect(try findings(after: "UPDATE holdfast_audit SET hash = NULL WHERE id = \(newest)").map(\.first) == [newest, newest, newest])
  }

  /// The note that such a version leaves as it is tells of an earlier end.
  @Test("what an earlier version writes behind the note is sound and goes on")
  func earlierAgain() throws {
    try fill()
    let old = try #require(RawDatabase.with(url) { try $0.rows(Self.note) }.first?.first)
    let writing = try folder.store([AuditedBooks.schema])
    for id in 8...120 { try writing.run("INSERT INTO books (id) VALUES (\(id))") }
    try writing.close()
    try RawDatabase.with(url) {
      try $0.execute("UPDATE holdfast_insight SET value = '\(old)' WHERE kind = 'audit'; UPDATE books SET title = 'theirs'")
    }
    let store = try folder.store([AuditedBooks.schema])
    #expect(try store.checkAudit().findings == [])
    try store.run("INSERT INTO books (id) VALUES (121)")
    let check = try store.checkAudit()
    #expect(check.findings == [] && check.unchained == 0 && check.lastEntry == Int64(check.entries))
  }

  @Test("a head that was kept elsewhere shows that its entry is another one or gone; retention may remove the entries before it")
  func kept() throws {
    try fill()
    let store = try folder.store([AuditedBooks.schema])
    let head = try #require(try store.checkAudit().head)
    #expect(AuditHead("\(head)") == head && head.entry == 7 && AuditHead("7") == nil && AuditHead("7:00") == nil)
    try store.run("INSERT INTO books (id) VALUES (8)")
    #expect(try store.checkAudit(following: head).findings == [])
    let other = try #require(AuditHead("7:" + String(repeating: "0", count: 64)))
    #expect(try store.checkAudit(following: other).findings.map(\.row) == ["7"])
    #expect(try store.write { tx in try tx.removeAudit(keepingLast: 1) } == 7)
    #expect(try store.checkAudit(following: head).findings == [])
    #expect(try store.checkAudit(following: other).findings.map(\.row) == ["7"])
    let early = try #require(AuditHead("6:\(head.hash)"))
    #expect(try store.checkAudit(following: early).findings.map(\.row) == ["6"])
  }

  @Test("changes of another program and bases of a migration wait for their hash, and get it")
  func others() throws {
    try fill()
    try RawDatabase.with(url) { try $0.execute("UPDATE books SET title = 'theirs' WHERE id = 1; DELETE FROM books WHERE id = 2") }
    let next = Migration("books/002", sql: "ALTER TABLE books ADD COLUMN author TEXT")
    let store = try folder.store([StoreSchema("books", migrations: [AuditedBooks.v1, next], declarations: AuditedBooks.declarations)])
    #expect(try store.checkAudit().findings == [] && store.checkAudit().unchained >= 4)
    try store.write { tx in try tx.recordAccess(to: "keys", id: "hub") }
    let check = try store.checkAudit()
    #expect(check.findings == [] && check.unchained == 0)
  }

  @Test("a lost hash inside a chain of an earlier version is found at its entry")
  func inside() throws {
    try fill()
    let forgery =
      "UPDATE holdfast_audit SET actor = NULL, verb = NULL, hash = NULL WHERE id = 4; DELETE FROM holdfast_insight WHERE kind = 'audit'"
    #expect(try findings(after: forgery).map(\.first) == ["4", "4", "4"])
  }

  @Test("retention does not hide that the anchor was moved, nor sign an end that lost its hash")
  func retained() throws {
    try fill(keepingLast: 4)
    let sound = try Data(contentsOf: url)
    for forgery in [
      "UPDATE holdfast_audit_anchor SET hash = x'00'", "UPDATE holdfast_audit SET verb = NULL, actor = NULL, hash = NULL WHERE id = 7",
    ] {
      try sound.write(to: url)
      try RawDatabase.with(url) { try $0.execute(forgery) }
      let store = try folder.store([AuditedBooks.schema])
      for kept in [3, 2, 0] {
        try store.write { tx in try tx.removeAudit(keepingLast: kept) }
        #expect(try !store.checkAudit().findings.isEmpty, "\(forgery), \(kept)")
      }
      try store.run("INSERT INTO books (id) VALUES (8)")
      #expect(try !store.checkAudit().findings.isEmpty, "\(forgery)")
      try store.close()
    }
  }
}
