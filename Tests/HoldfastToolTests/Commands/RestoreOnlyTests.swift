import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Restore --only")
final class RestoreOnlyTests {
  let bench: Workbench
  let store: String
  let snapshot: String

  init() throws {
    bench = try Workbench()
    (store, snapshot) = try RestoreOnlyTests.shop(in: bench)
  }

  /// A store of an app that this program does not know, and a snapshot of it. Since then row 7 is gone, and all other rows have changed.
  private static func shop(in bench: borrowing Workbench) throws -> (store: String, snapshot: String) {
    let tables = """
      CREATE TABLE loans (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
      CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL) STRICT;
      CREATE TABLE tokens (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL) STRICT;
      """
    let schema = StoreSchema(
      "shop", migrations: [Migration("shop/001", sql: tables)], declarations: [.audit("loans")], neverExported: ["tokens"])
    let store = try Store.open(at: bench.url("shop.sqlite"), schemas: [schema])
    try store.write { tx in
      try tx.execute("INSERT INTO loans VALUES (70, 'then')")
      try tx.execute("INSERT INTO items VALUES ('7C9E6679-7425-40DE-944B-E07FC1F90AE7', 'then')")
      try tx.execute("INSERT INTO tokens VALUES ('token-1', 'marked-then'), ('token-2', 'marked-then')")
    }
    let snapshot = try store.snapshot().id
    try store.write { tx in for table in ["loans", "items", "tokens"] { try tx.execute("UPDATE \(raw: table) SET title = 'marked-now'") } }
    try store.close()
    return (bench.path("shop.sqlite"), snapshot)
  }

  @Test("a number is whole: 7 is not 70, in restore and in audit; the document and the question name the row")
  func numbers() throws {
    func only(_ row: String, _ more: String...) throws -> Finished {
      let arguments = ["restore", store, "--snapshot", snapshot, "--only", row, "--changed"]
      return try bench.run(arguments + more)
    }
    #expect(try only("loans:7", "--yes").status == 66)
    #expect(try bench.run("query", store, "SELECT title FROM loans").output.contains("marked-now"))
    #expect(try !bench.run("audit", store, "--row", "loans:7").output.contains("loans:70"))
    #expect(try bench.run("audit", store, "--row", "loans:70").output.contains("loans:70"))
    let asked = try only("loans:70")
    #expect(asked.status == 64 && asked.errors.contains("This brings back loans:70 into "), "\(asked.errors)")
    let done = try only("loans:70", "--yes", "--json")
    #expect(done.document["row"] as? String == "loans:70" && done.document["taken_back"] as? [String: Int] == ["loans": 1])
  }

  @Test("a row of a table that is never exported comes back by its whole id, and neither its values nor other ids are shown")
  func hidden() throws {
    for row in ["token", "token-1"] {
      for more in [[], ["--changed", "--dry-run"], ["--changed", "--dry-run", "--json"]] {
        let arguments = ["restore", store, "--snapshot", snapshot, "--only", "tokens:\(row)"] + more
        let shown = try bench.run(arguments)
        #expect(shown.status == (row == "token" ? 66 : 0), "\(shown.output)\(shown.errors)")
        #expect(!(shown.output + shown.errors).contains("marked-") && !(shown.output + shown.errors).contains("token-2"))
      }
    }
    let done = try bench.run("restore", store, "--snapshot", snapshot, "--only", "tokens:token-1", "--changed", "--yes", "--json")
    #expect(done.document["taken_back"] as? [String: Int] == ["tokens": 1] && !done.output.contains("marked-"), "\(done.output)")
  }

  @Test("a whole id in upper case is found as its beginning is", arguments: ["7C9E6679", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"])
  func upperCase(id: String) throws {
    let found = try bench.run("restore", store, "--snapshot", snapshot, "--only", "items:\(id)", "--changed", "--dry-run", "--json")
    #expect(found.document["row"] as? String == "items:7C9E6679-7425-40DE-944B-E07FC1F90AE7", "\(found.output)\(found.errors)")
  }

  @Test("the snapshot of the present state lies in the folder of --folder, and the printed command finds it there")
  func folder() throws {
    let folder = bench.path("my snapshots")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let id = try bench.snapshot(store, "--folder", folder)
    try RawDatabase.with(bench.url("shop.sqlite"), key: nil) { try $0.execute("UPDATE items SET title = 'later'") }
    let done = try bench.run(
      "restore", store, "--folder", folder, "--snapshot", id, "--only", "items:7C9E6679", "--changed", "--yes", "--json")
    let undo = try #require(done.document["undo"] as? String, "\(done.output)\(done.errors)")
    #expect(try bench.run("query", store, "SELECT title FROM items").output.contains("marked-now"))
    #expect(try bench.shell("\"$1\"\(undo.dropFirst("holdfast".count)) --yes").status == 0)
    #expect(try bench.run("query", store, "SELECT title FROM items").output.contains("later"))
  }
}
