import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("The audit on the command line")
final class AuditCommandTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try AuditCommandTests.doors(in: bench)
  }

  /// A store of an app that this program does not know: entries 1 to 4.
  private static func doors(in bench: borrowing Workbench) throws -> String {
    let schema = StoreSchema(
      "doors", migrations: [Migration("doors/001", sql: "CREATE TABLE doors (id TEXT NOT NULL PRIMARY KEY, name ANY) STRICT;")],
      declarations: [.audit("doors")])
    let clock = TestClock()
    var options = StoreOptions.testing
    options.now = { clock.now }
    let store = try Store.open(at: bench.url("doors.sqlite"), schemas: [schema], options: options)
    try Audit.$actor.withValue("anna") {
      try store.write(as: "add") { tx in _ = try tx.execute("INSERT INTO doors VALUES ('a', 'front'), ('b', NULL)") }
    }
    try store.write(as: "rename") { tx in _ = try tx.execute("UPDATE doors SET name = 'back' WHERE id = 'a'") }
    try store.close()
    return bench.path("doors.sqlite")
  }

  @Test("the audit of a store is listed, of one row or since a time, and not a byte changes")
  func lists() throws {
    let before = try bench.content()
    let shown = try bench.run("audit", store, "--row", "doors:a", status: 0)
    let lines = shown.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.count == 4 && lines[0] == "TIME ACTOR VERB CHANGE ROW VALUES")
    #expect(lines[2] == #"2026-01-01T00:00:00Z anna add insert doors:a id: "a", name: "front""#)
    #expect(lines[3] == #"2026-01-01T00:00:00Z rename update doors:a name: "front" -> "back""#)
    let all = try bench.run("audit", store, "--json").document["entries"] as? [[String: Any]]
    #expect(all?.compactMap { $0["operation"] as? String } == ["base", "insert", "insert", "update"])
    #expect(Set(all?.first?.keys.map { $0 } ?? []) == Self.members)
    #expect(try bench.run("audit", store, "--since", "2999-01-01").errors.contains("No recorded change fits --row and --since."))
    #expect(try bench.content() == before)
  }

  @Test("a row is found by the beginning of its key; one that could be several is refused with their keys")
  func beginning() throws {
    try RawDatabase.with(bench.url("doors.sqlite")) {
      try $0.execute("INSERT INTO holdfast_audit (time, kind, row, operation, after) VALUES (5, 'doors', 'back1', 'insert', '{}')")
      try $0.execute("INSERT INTO holdfast_audit (time, kind, row, operation, after) VALUES (6, 'doors', 'back2', 'insert', '{}')")
    }
    #expect(try bench.run("audit", store, "--row", "doors:back1").output == bench.run("audit", store, "--row", "doors:BACK1").output)
    try bench.run("audit", store, "--row", "doors:ba", status: 64, errors: "several rows of doors begin with ba: back1, back2")
    #expect(try bench.run("audit", store, "--row", "doors:b").output.contains("doors:b "), "a whole key wins")
  }

  @Test("a head that was kept shows a chain that was computed anew")
  func head() throws {
    let before = try bench.content()
    let shown = try bench.run("audit", store, "--head")
    let kept = shown.output.trimmingCharacters(in: .newlines)
    #expect(shown.status == 0 && kept.hasPrefix("4:") && kept.count == 66, "\(shown.errors)")
    let head = try #require(bench.run("audit", store, "--head", "--json").document["head"] as? [String: Any])
    #expect(head["entry"] as? Int == 4 && head["hash"] as? String == String(kept.dropFirst(2)))
    #expect(try bench.run("audit", store, "--follows", kept).status == 0)
    #expect(try bench.content() == before)
    for (other, entry) in [("4:" + String(repeating: "0", count: 64), 4), ("9:" + kept.dropFirst(2), 9)] {
      let refused = try bench.run("audit", store, "--follows", other)
      #expect(refused.status == 2 && refused.errors.contains("entry \(entry) of the audit") && refused.output == shown.output)
    }
    #expect(try bench.run("audit", store, "--follows", "4:00").status == 64)
    #expect(try bench.run("audit", store, "--head", "--row", "doors:a").status == 64)
    #expect(try bench.run("audit", store, "--follows", kept, "--since", "1 hour ago").status == 64)
    try RawDatabase.with(bench.url("doors.sqlite")) { try $0.execute("UPDATE holdfast_audit SET actor = 'otto' WHERE id = 2") }
    try bench.run("audit", store, "--head", status: 2, errors: "entry 2 of the audit")
    let none = try bench.run("audit", bench.store(), "--head")
    #expect(none.status == 0 && none.output == "" && none.errors.contains("No entry of the audit has a hash."))
  }

  @Test("a time or a row that cannot be read is wrong usage; a library without an audit has no entry")
  func wrong() throws {
    #expect(try bench.run("audit", "x", "--since", "some day").status == 64)
    #expect(try bench.run("audit", "x", "--row", "a").status == 64)
    #expect(try bench.run("audit", "x").status == 66)
    let none = try bench.run("audit", bench.store())
    #expect(none.status == 0 && none.output == "" && none.errors.contains("This store has no audit: its changes were not recorded."))
  }

  private static let members: Set = ["id", "time", "actor", "verb", "table", "row", "operation", "before", "after", "reason"]
}
