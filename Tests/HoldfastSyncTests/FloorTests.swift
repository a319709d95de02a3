import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// Answers of a server that removes tombstones, as no server of this version does.
@Suite("The floor of tombstones")
struct FloorTests {
  private static func note(_ key: String, _ title: String = "old", generation: Int64 = 1, at time: Int64 = 1) -> SyncRow {
    let values = ["id": key, "title": title, "body": ""].map { (ExactText($0), SyncValue.text(of: .text($1))) }
    return SyncRow(
      SyncRow.Name("notes", key), generation: generation, birth: .at(time), values: RowValues(values))
  }

  private static func deleted(_ key: String) -> SyncRow { SyncRow(SyncRow.Name("notes", key), generation: 2) }

  private static func page(_ rows: (SyncRow, Int64)..., cursor: Int64, more: Bool = false) -> SyncResponse.Outcome {
    .page(rows.map { SyncResponse.Stored($0.0, at: $0.1) }, cursor: cursor, more: more)
  }

  /// A device at the cursor 3, with `n1` to `n3` from the server, an unsent change of `n2`, and a new `n4`.
  private func device() throws -> LoneDevice {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"), Self.note("n2"), Self.note("n3"))
    try device.write("UPDATE notes SET title = 'mine' WHERE id = 'n2'")
    try device.store.add("n4", "new")
    device.sync.beginRound()
    return device
  }

  private func next(_ device: LoneDevice) throws -> SyncRequest { try #require(try device.sync.next()) }

  /// The keys of the rows that the device sends now.
  private func sent(_ device: LoneDevice) throws -> [String] {
    guard case .push(let rows)? = try device.sync.next()?.verb else { return [] }
    return rows.map(\.name.key.text)
  }

  private func lost(_ device: LoneDevice) throws -> [String] {
    try device.store.read { try LostRow.all(in: $0) }.map { entry in
      "\(entry.row.name.key.text) \(entry.row.current[ExactText("title")]?.text ?? "")"
    }
  }

  /// What tells a device that asked from the cursor 3 that the floor is 8.
  private static let tellings: [SyncResponse.Outcome] = [page((note("n9"), 9), cursor: 9), .branched(fork: nil)]

  @Test(
    """
    a device behind the floor pulls everything in its epoch: rows that the server has no more are deleted, unsent changes of them are in lost, \
    and only new rows are sent
    """, arguments: tellings.indices)
  func behind(_ place: Int) throws {
    let device = try self.device()
    try device.answer(Self.tellings[place], to: next(device), floor: 8)
    #expect(try device.store.notes() == ["n1 old", "n2 mine", "n3 old", "n4 new"])
    let request = try next(device)
    #expect(request == SyncRequest(.pull, epoch: "e1", cursor: 0, schema: request.schema))
    try device.answer(Self.page((Self.note("n1"), 1), (Self.note("n9"), 9), cursor: 9), to: request, floor: 8)
    #expect(try device.store.notes() == ["n1 old", "n4 new", "n9 old"])
    #expect(try lost(device) == ["n2 \"mine\""])
    #expect(try sent(device) == ["n4"] && device.sync.status.pending == 1)
  }

  @Test("the answer to a push tells it, too")
  func push() throws {
    let device = try self.device()
    try device.answer(Self.page(cursor: 3), to: next(device))
    let push = try next(device)
    guard case .push(let rows) = push.verb else { throw StoreError(.verificationFailed, "the device sends nothing") }
    try device.answer(.pushed(rows.map { .init($0, at: 9) }, refused: [], cursor: nil), to: push, floor: 8)
    let request = try next(device)
    #expect(request == SyncRequest(.pull, epoch: "e1", cursor: 0, schema: request.schema))
  }

  @Test("a cursor at the floor has seen all; only what a full resync knew at its first page counts, and a floor that rises begins it anew")
  func rises() throws {
    let device = try self.device()
    try device.answer(Self.page(cursor: 3), to: next(device), floor: 3)
    #expect(try sent(device) == ["n2", "n4"])
    device.sync.beginRound()
    try device.answer(Self.page(cursor: 3), to: next(device), floor: 8)
    for floor: Int64 in [8, 10] {
      try device.answer(Self.page((Self.note("n1"), 1), cursor: 1, more: true), to: next(device), floor: floor)
      #expect(try next(device).cursor == 1)
      // Above the cursor, as at the first page; then risen.
      try device.answer(Self.page((Self.note("n5"), 5), cursor: 5, more: true), to: next(device), floor: floor)
      #expect(try next(device).cursor == 5)
      try device.answer(Self.page(cursor: 10), to: next(device), floor: 10)
      #expect(try device.store.notes().count == (floor == 8 ? 5 : 3))
    }
    #expect(try device.store.notes() == ["n1 old", "n4 new", "n5 old"])
    #expect(try sent(device) == ["n4"])
  }

  @Test(
    "such a resync begins anew in another process and another epoch; an unknown epoch makes it one that removes nothing",
    arguments: [
      (false, nil, ["n4"]), (true, 8, ["n4"]), (true, 2, ["n3", "n4"]), (true, nil, ["n2", "n3", "n4"]),
    ] as [(Bool, Int64?, [String])])
  func interrupted(_ hasBranched: Bool, _ fork: Int64?, _ keys: [String]) throws {
    let device = try self.device()
    try device.answer(Self.page(cursor: 9), to: next(device), floor: 8)
    try device.answer(Self.page((Self.note("n1"), 1), cursor: 1, more: true), to: next(device), floor: 8)
    let again = try LoneDevice(device.store)
    again.sync.beginRound()
    #expect(try next(again).epoch == "e1" && next(again).cursor == 0)
    if hasBranched {
      try again.answer(.branched(fork: fork), to: next(again), epoch: "e2", floor: 1)
      #expect(try next(again).epoch == (fork == nil ? nil : "e2") && next(again).cursor == 0)
    }
    try again.answer(Self.page((Self.note("n1"), 1), cursor: 9), to: next(again), epoch: hasBranched ? "e2" : "e1", floor: 8)
    #expect(try sent(again) == keys)
    #expect(try lost(again) == (keys.contains("n2") ? [] : ["n2 \"mine\""]))
  }

  @Test("a tombstone at the floor or below yields to a new row with its key, whose generations begin anew; one above it wins, and is sent")
  func keyUsedAgain() throws {
    for floor: Int64 in [3, 2] {
      let device = try LoneDevice()
      try device.pull(Self.note("n1"), Self.note("n2"), Self.deleted("n1"))
      device.sync.beginRound()
      try device.answer(Self.page((Self.note("n1", "again", at: 5), 4), cursor: 4), to: next(device), floor: floor)
      #expect(try device.store.notes() == (floor == 3 ? ["n1 again", "n2 old"] : ["n2 old"]))
      #expect(try sent(device) == (floor == 3 ? [] : ["n1"]))
    }
  }

  @Test("behind the floor a later generation yields to a new row with its key; a row that was inserted again here is new, and is sent")
  func generations() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1", generation: 3), Self.note("n2"), Self.note("n3"), Self.deleted("n3"))
    try device.write("DELETE FROM notes WHERE id = 'n2'")
    try device.write("INSERT INTO notes VALUES ('n2', 'again', ''), ('n3', 'again', '')")
    device.sync.beginRound()
    try device.answer(Self.page(cursor: 9), to: next(device), floor: 8)
    try device.answer(Self.page((Self.note("n1", "theirs", at: 5), 9), cursor: 9), to: next(device), floor: 8)
    #expect(try device.store.notes() == ["n1 theirs", "n2 again", "n3 again"])
    #expect(try sent(device) == ["n2", "n3"] && lost(device) == [])
  }

  @Test("a row of a table that this version does not know goes, too, when a device behind the floor does not get it again")
  func unknownTable() throws {
    let device = try LoneDevice()
    try device.pull(.book("a", at: 1), .book("b", at: 1))
    device.sync.beginRound()
    try device.answer(Self.page(cursor: 9), to: next(device), floor: 8)
    try device.answer(Self.page((.book("b", at: 1), 2), cursor: 9), to: next(device), floor: 8)
    #expect(try device.row("books", "a") == nil && device.row("books", "b") != nil)
    #expect(try sent(device) == [])
  }

  @Test("an update of the app within such a resync brings the rows of a table that was unknown; those that do not come again go, too")
  func updated() throws {
    let folder = try TemporaryFolder()
    let (a, b) = (SyncRow.book("a", at: 1, ["id": "\"a\""]), SyncRow.book("b", at: 1, ["id": "\"b\""]))
    let old = try LoneDevice(folder.store([SyncedNotes.schema]))
    try old.pull(a, b)
    old.sync.beginRound()
    try old.answer(Self.page(cursor: 9), to: next(old), floor: 8)
    try old.store.close()
    let books = Migration("notes/002-books", sql: "CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY) STRICT")
    let newer = StoreSchema(
      "notes", migrations: SyncedNotes.schema.migrations + [books], declarations: [.synced("notes"), .synced("books")])
    let device = try LoneDevice(folder.store([newer]))
    #expect(try device.store.rows("SELECT id FROM books ORDER BY id") == ["a", "b"])
    device.sync.beginRound()
    try device.answer(Self.page((b, 2), cursor: 9), to: next(device), floor: 8)
    #expect(try device.store.rows("SELECT id FROM books") == ["b"] && sent(device) == [])
  }

  private static func item(_ key: String, parent: String? = nil, before: String? = nil) -> SyncRow {
    let values = ["id": key, "title": "old", "parent_id": parent, "before_id": before].compactMapValues { $0 }
    return SyncRow(
      SyncRow.Name("items", key), generation: 1, birth: .at(1),
      values: RowValues(values.map { (ExactText($0), SyncValue.text(of: .text($1))) }))
  }

  @Test("what a gone row takes along is sent only where the server has it; what it clears in gone rows is no change, and none of lost")
  func gone() throws {
    let sql = """
      CREATE TABLE items (
        id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, parent_id TEXT REFERENCES items (id) ON DELETE CASCADE,
        before_id TEXT REFERENCES items (id) ON DELETE SET NULL) STRICT
      """
    let device = try LoneDevice(
      StoreSchema("items", migrations: [Migration("items/001", sql: sql)], declarations: [.synced("items")]))
    let there = Self.item("e", parent: "a")
    try device.pull(Self.item("a"), Self.item("b", parent: "a"), Self.item("c", parent: "a"), Self.item("d", before: "a"), there)
    try device.write("UPDATE items SET title = 'mine' WHERE id = 'c'")
    device.sync.beginRound()
    try device.answer(Self.page(cursor: 9), to: next(device), floor: 8)
    try device.answer(Self.page((there, 5), cursor: 9), to: next(device), floor: 8)
    #expect(try device.store.rows("SELECT id FROM items") == [] && lost(device) == ["c \"mine\""])
    #expect(try sent(device) == ["e"])
  }
}
