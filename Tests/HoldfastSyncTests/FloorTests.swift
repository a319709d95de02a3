import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// Answers of a server that removes tombstones, as no server of this version does.
@Suite("The floor of tombstones")
struct FloorTests {
  /// A device at the cursor 3, with `n1` to `n3` from the server, an unsent change of `n2`, and a new `n4`.
  private func device() throws -> LoneDevice {
    let device = try LoneDevice()
    try device.pull(.note("n1"), .note("n2"), .note("n3"))
    try device.write("UPDATE notes SET title = 'mine' WHERE id = 'n2'")
    try device.store.add("n4", "new")
    device.sync.beginRound()
    return device
  }

  private func lost(_ device: LoneDevice) throws -> [String] {
    try device.lost().map { entry in
      "\(entry.row.name.key.text) \(entry.row.current[ExactText("title")]?.text ?? "")"
    }
  }

  /// What tells a device that asked from the cursor 3 that the floor is 8.
  private static let tellings: [SyncResponse.Outcome] = [.pageWith((.note("n9"), 9), cursor: 9), .branched(fork: nil)]

  @Test(
    """
    a device behind the floor pulls everything in its epoch: rows that the server has no more are deleted, unsent changes of them are in lost, \
    and only new rows are sent
    """, arguments: tellings.indices)
  func behind(_ place: Int) throws {
    let device = try self.device()
    try device.answer(Self.tellings[place], to: device.next(), floor: 8)
    #expect(try device.store.notes() == ["n1 old", "n2 mine", "n3 old", "n4 new"])
    let request = try device.next()
    #expect(request == SyncRequest(.pull, epoch: "e1", cursor: 0, schema: request.schema))
    try device.answer(.pageWith((.note("n1"), 1), (.note("n9"), 9), cursor: 9), to: request, floor: 8)
    #expect(try device.store.notes() == ["n1 old", "n4 new", "n9 old"])
    #expect(try lost(device) == ["n2 \"mine\""])
    #expect(try device.sent() == ["n4"] && device.sync.status.pending == 1)
  }

  @Test("the answer to a push tells it, too")
  func push() throws {
    let device = try self.device()
    try device.answer(.pageWith(cursor: 3), to: device.next())
    let push = try device.next()
    guard case .push(let rows) = push.verb else { throw StoreError(.verificationFailed, "the device sends nothing") }
    try device.answer(.pushed(rows.map { .init($0, at: 9) }, refused: [], cursor: nil), to: push, floor: 8)
    let request = try device.next()
    #expect(request == SyncRequest(.pull, epoch: "e1", cursor: 0, schema: request.schema))
  }

  @Test("a cursor at the floor has seen all; only what a full resync knew at its first page counts, and a floor that rises begins it anew")
  func rises() throws {
    let device = try self.device()
    try device.answer(.pageWith(cursor: 3), to: device.next(), floor: 3)
    #expect(try device.sent() == ["n2", "n4"])
    device.sync.beginRound()
    try device.answer(.pageWith(cursor: 3), to: device.next(), floor: 8)
    for floor: Int64 in [8, 10] {
      try device.answer(.pageWith((.note("n1"), 1), cursor: 1, more: true), to: device.next(), floor: floor)
      #expect(try device.next().cursor == 1)
      // Above the cursor, as at the first page; then risen.
      try device.answer(.pageWith((.note("n5"), 5), cursor: 5, more: true), to: device.next(), floor: floor)
      #expect(try device.next().cursor == 5)
      try device.answer(.pageWith(cursor: 10), to: device.next(), floor: 10)
      #expect(try device.store.notes().count == (floor == 8 ? 5 : 3))
    }
    #expect(try device.store.notes() == ["n1 old", "n4 new", "n5 old"])
    #expect(try device.sent() == ["n4"])
  }

  @Test(
    "such a resync begins anew in another process and another epoch; an unknown epoch makes it one that removes nothing",
    arguments: [
      (false, nil, ["n4"]), (true, 8, ["n4"]), (true, 2, ["n3", "n4"]), (true, nil, ["n2", "n3", "n4"]),
    ] as [(Bool, Int64?, [String])])
  func interrupted(_ hasBranched: Bool, _ fork: Int64?, _ keys: [String]) throws {
    let device = try self.device()
    try device.answer(.pageWith(cursor: 9), to: device.next(), floor: 8)
    try device.answer(.pageWith((.note("n1"), 1), cursor: 1, more: true), to: device.next(), floor: 8)
    let again = try LoneDevice(device.store)
    again.sync.beginRound()
    #expect(try again.next().epoch == "e1" && again.next().cursor == 0)
    if hasBranched {
      try again.answer(.branched(fork: fork), to: again.next(), epoch: "e2", floor: 1)
      #expect(try again.next().epoch == (fork == nil ? nil : "e2") && again.next().cursor == 0)
    }
    try again.answer(.pageWith((.note("n1"), 1), cursor: 9), to: again.next(), epoch: hasBranched ? "e2" : "e1", floor: 8)
    #expect(try again.sent() == keys)
    #expect(try lost(again) == (keys.contains("n2") ? [] : ["n2 \"mine\""]))
  }

  @Test("a tombstone at the floor or below yields to a new row with its key, whose generations begin anew; one above it wins, and is sent")
  func keyUsedAgain() throws {
    for floor: Int64 in [3, 2] {
      let device = try LoneDevice()
      try device.pull(.note("n1"), .note("n2"), .deleted("notes", "n1"))
      device.sync.beginRound()
      try device.answer(.pageWith((.note("n1", "again", at: 5), 4), cursor: 4), to: device.next(), floor: floor)
      #expect(try device.store.notes() == (floor == 3 ? ["n1 again", "n2 old"] : ["n2 old"]))
      #expect(try device.sent() == (floor == 3 ? [] : ["n1"]))
    }
  }

  @Test("behind the floor a later generation yields to a new row with its key; a row that was inserted again here is new, and is sent")
  func generations() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1", generation: 3), .note("n2"), .note("n3"), .deleted("notes", "n3"))
    try device.write("DELETE FROM notes WHERE id = 'n2'")
    try device.write("INSERT INTO notes VALUES ('n2', 'again', ''), ('n3', 'again', '')")
    device.sync.beginRound()
    try device.answer(.pageWith(cursor: 9), to: device.next(), floor: 8)
    try device.answer(.pageWith((.note("n1", "theirs", at: 5), 9), cursor: 9), to: device.next(), floor: 8)
    #expect(try device.store.notes() == ["n1 theirs", "n2 again", "n3 again"])
    #expect(try device.sent() == ["n2", "n3"] && lost(device) == [])
  }

  @Test("a row of a table that this version does not know goes, too, when a device behind the floor does not get it again")
  func unknownTable() throws {
    let device = try LoneDevice()
    try device.pull(.book("a", at: 1), .book("b", at: 1))
    device.sync.beginRound()
    try device.answer(.pageWith(cursor: 9), to: device.next(), floor: 8)
    try device.answer(.pageWith((.book("b", at: 1), 2), cursor: 9), to: device.next(), floor: 8)
    #expect(try device.row("books", "a") == nil && device.row("books", "b") != nil)
    #expect(try device.sent() == [])
  }

  @Test("an update of the app within such a resync brings the rows of a table that was unknown; those that do not come again go, too")
  func updated() throws {
    let folder = try TemporaryFolder()
    let (a, b) = (SyncRow.book("a", at: 1, ["id": "\"a\""]), SyncRow.book("b", at: 1, ["id": "\"b\""]))
    let old = try LoneDevice(folder.store([SyncedNotes.schema]))
    try old.pull(a, b)
    old.sync.beginRound()
    try old.answer(.pageWith(cursor: 9), to: old.next(), floor: 8)
    try old.store.close()
    let books = Migration("notes/002-books", sql: "CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY) STRICT")
    let newer = StoreSchema(
      "notes", migrations: SyncedNotes.schema.migrations + [books], declarations: [.synced("notes"), .synced("books")])
    let device = try LoneDevice(folder.store([newer]))
    #expect(try device.store.rows("SELECT id FROM books ORDER BY id") == ["a", "b"])
    device.sync.beginRound()
    try device.answer(.pageWith((b, 2), cursor: 9), to: device.next(), floor: 8)
    #expect(try device.store.rows("SELECT id FROM books") == ["b"] && device.sent() == [])
  }

  @Test("what a gone row takes along is sent only where the server has it; what it clears in gone rows is no change, and none of lost")
  func gone() throws {
    let device = try LoneDevice(
      """
      CREATE TABLE items (
        id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, parent_id TEXT REFERENCES items (id) ON DELETE CASCADE,
        before_id TEXT REFERENCES items (id) ON DELETE SET NULL) STRICT
      """, syncing: "items")
    func item(_ key: String, _ references: [String: String] = [:]) -> SyncRow {
      .texts("items", key, references.merging(["title": "old"]) { $1 })
    }
    let there = item("e", ["parent_id": "a"])
    try device.pull(item("a"), item("b", ["parent_id": "a"]), item("c", ["parent_id": "a"]), item("d", ["before_id": "a"]), there)
    try device.write("UPDATE items SET title = 'mine' WHERE id = 'c'")
    device.sync.beginRound()
    try device.answer(.pageWith(cursor: 9), to: device.next(), floor: 8)
    try device.answer(.pageWith((there, 5), cursor: 9), to: device.next(), floor: 8)
    #expect(try device.store.rows("SELECT id FROM items") == [] && lost(device) == ["c \"mine\""])
    #expect(try device.sent() == ["e"])
  }
}
