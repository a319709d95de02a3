import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// Two items with one slug cannot stand together: the one that was inserted first stands, the other is parked.
@Suite("Constraints that say what to do about a conflict")
struct ConflictRuleTests {
  private static func device(_ rule: String, _ more: String = "") throws -> LoneDevice {
    try LoneDevice(
      """
      CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY \(rule), slug TEXT UNIQUE \(rule)) STRICT;
      CREATE TABLE drafts (
        id TEXT NOT NULL PRIMARY KEY \(rule), item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE) STRICT;
      CREATE TABLE slugs (slug TEXT NOT NULL PRIMARY KEY) STRICT;
      \(more)
      """, syncing: "items")
  }

  private static let rules = ["REPLACE", "IGNORE", "FAIL", "ROLLBACK"].map { "ON CONFLICT \($0)" }

  @Test("of two rows with one unique value the older stands and the other waits, whatever the constraint says", arguments: rules)
  func parked(_ rule: String) throws {
    for keys in [["a", "b"], ["b", "a"]] {
      let device = try Self.device(rule)
      for key in keys { try device.pull(.item(key, at: key == "a" ? 1 : 2, slug: "x")) }
      #expect(try device.store.rows("SELECT id FROM items") == ["a"])
      #expect(try device.store.rows("SELECT key FROM holdfast_sync_parked") == ["b"])
      try device.pull(.item("c", at: 3, slug: "y"), .deleted("items", "a"))
      #expect(try device.store.rows("SELECT id FROM items ORDER BY id") == ["b", "c"] && device.sync.status.pending == 0)
    }
  }

  @Test("a kept row that comes back replaces no other one: it is in the list of what was lost", arguments: rules)
  func kept(_ rule: String) throws {
    let device = try Self.device(rule)
    try device.pull(.item("b", at: 2, slug: "x"))
    try device.write("INSERT INTO drafts VALUES ('d1', 'b')")
    try device.pull(.item("a", at: 1, slug: "x"), .item("c", at: 3, slug: "y"))
    try device.write("INSERT INTO drafts VALUES ('d1', 'c')")
    try device.pull(.deleted("items", "a"))
    #expect(try device.store.rows("SELECT item_id FROM drafts") == ["c"] && device.sync.status.lost == 1)
  }

  @Test("where no constraint says something, what a trigger says counts")
  func triggers() throws {
    let device = try Self.device(
      "", "CREATE TRIGGER items_slug AFTER INSERT ON items BEGIN INSERT OR IGNORE INTO slugs VALUES (lower(new.slug)); END")
    try device.pull(.item("a", at: 1, slug: "x"), .item("b", at: 2, slug: "X"))
    #expect(
      try device.store.rows("SELECT id FROM items ORDER BY id") == ["a", "b"] && device.store.rows("SELECT slug FROM slugs") == ["x"])
  }
}
