import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("One round of a device")
struct RoundTests {
  @Test("the offset of the device's clock is that of the moment when an answer came, however long it waited to be written")
  func arrival() throws {
    let device = try LoneDevice()
    let request = try device.next()
    let came = device.clock.now
    device.clock.now += 60_000
    let page = SyncResponse(.page([], cursor: 0, more: false), now: came + 5_000, epoch: "e1")
    try device.sync.receive(page, to: request, arrived: came)
    #expect(try device.store.rows("SELECT offset FROM holdfast_sync") == ["5000"])
  }

  @Test("between two pages nothing is sent, and a process that ends there pulls both again")
  func twoPages() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"))
    try device.store.add("mine")
    device.sync.beginRound()
    let first = try device.next()
    #expect(first.cursor == 1)
    try device.answer(.pageWith((.note("n2"), 2), cursor: 2, more: true), to: first)
    let second = try device.next()
    #expect(second.verb == .pull && second.cursor == 2)
    let reopened = try SyncDevice(device.store, node: 1) { 1_800_000_000_000 }
    #expect(try reopened.next()?.cursor == 1)
    try device.answer(.pageWith((.note("n3"), 3), cursor: 3), to: second)
    #expect(try device.sent() == ["mine"])
    #expect(try device.store.rows("SELECT cursor FROM holdfast_sync") == ["3"])
  }

  @Test("what another device has pushed meanwhile is seen with the whole of its push, not in the answer to an own one")
  func othersPushes() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"), .note("n2"))
    try device.write("UPDATE notes SET title = 'mine' WHERE id = 'n1'")
    let sent = try #require(try device.pull().first)
    func theirs(_ row: SyncRow) -> SyncRow {
      let edit = [ExactText("body"): SyncRow.Exception(.at(5), [ExactText("\"theirs\"")])]
      return row.merged(with: SyncRow(row.name, generation: 1, birth: row.birth, values: row.values, exceptions: edit))
    }
    let (first, second) = (theirs(sent), theirs(.note("n2")))
    try device.answerPush(.pushed([.init(first, at: 4)], refused: [], cursor: nil))
    #expect(try device.store.rows("SELECT body FROM notes") == ["", ""])
    let pull = try device.next()
    #expect(pull.verb == .pull && pull.cursor == 2)
    try device.answer(.page([.init(second, at: 3), .init(first, at: 4)], cursor: 4, more: false), to: pull)
    #expect(try device.store.rows("SELECT title, body FROM notes", columns: 2) == ["mine theirs", "old theirs"])
    #expect(try device.sync.next() == nil && device.sync.status.pending == 0)
  }

  @Test("a row of the server that the device has seen is taken from any answer: an older edit is then lost, and not sent again and again")
  func olderEdit() throws {
    let device = try LoneDevice()
    let theirs = SyncRow.note("n1", later: ["title": (device.clock.now + 60_000, "theirs")])
    try device.pull(theirs, .note("n2"))
    try device.write("UPDATE notes SET title = 'mine' WHERE id = 'n1'")
    try device.store.edit("UPDATE holdfast_sync_cell SET hlc = \(device.clock.now << 15)")
    #expect(try device.pull().count == 1)
    try device.answerPush(.pushed([.init(SyncRow(line: theirs.line), at: 1)], refused: [], cursor: nil))
    #expect(try device.store.rows("SELECT title FROM notes WHERE id = 'n1'") == ["theirs"])
    #expect(device.sync.status.pending == 0 && device.sync.status.lost == 1)
  }

  @Test("rows of a table that an update of the app brings, in the midst of a pull, do not go with a parent from which they were moved")
  func drainedInThePull() throws {
    let folder = try TemporaryFolder()
    let first = Migration("tree/1", sql: "CREATE TABLE parents (id TEXT NOT NULL PRIMARY KEY) STRICT")
    let second = Migration(
      "tree/2",
      sql: """
        CREATE TABLE children (id TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL REFERENCES parents (id) ON DELETE CASCADE) STRICT
        """)
    let old = try LoneDevice(
      folder.store([StoreSchema("tree", migrations: [first], declarations: [.synced("parents")])], name: "tree.sqlite", options: .testing))
    try old.pull(.texts("parents", "p"), .texts("parents", "q"), .texts("children", "c", ["parent": "p"]))
    old.sync.beginRound()
    let gone = SyncRow.deleted("parents", "p")
    try old.answer(.page([.init(gone, at: 4)], cursor: 4, more: true), to: #require(try old.sync.next()))
    try old.store.close()
    let schema = StoreSchema("tree", migrations: [first, second], declarations: [.synced("parents"), .synced("children")])
    let new = try LoneDevice(folder.store([schema], name: "tree.sqlite", options: .testing))
    #expect(try new.pull(gone, .texts("children", "c", ["parent": "p"], later: ["parent": (2, "q")])) == [])
    #expect(try new.store.rows("SELECT id, parent FROM children", columns: 2) == ["c q"])
  }

  @Test(
    "an answer that was asked before the store was healed is ignored, also after the first of two pages: the device begins from the new state"
  )
  func healed() throws {
    let device = try LoneDevice()
    func heal() throws { try device.store.edit("UPDATE holdfast_sync SET node = 0, epoch = NULL, cursor = 0, is_resync = 1") }
    try device.pull(.note("n1"), .note("n2"))
    device.sync.beginRound()
    let asked = try device.next()
    #expect(asked.cursor == 2)
    try heal()
    try device.answer(.pageWith((.note("n3"), 3), cursor: 3), to: asked)
    #expect(try device.store.rows("SELECT cursor, is_resync FROM holdfast_sync", columns: 2) == ["0 1"])
    let first = try device.next()
    #expect(first.verb == .pull && first.cursor == 0 && first.epoch == nil)
    try device.answer(.pageWith((.note("n1"), 1), cursor: 1, more: true), to: first)
    try heal()
    #expect(try device.sync.next()?.cursor == 0)
    #expect(try device.store.notes() == ["n1 old", "n2 old"] && device.store.rows("SELECT node FROM holdfast_sync") == ["1"])
  }

  @Test("an edit that is made while its row is on the way is sent next, though the server has taken the row")
  func editOnTheWay() throws {
    let device = try LoneDevice()
    try device.write("INSERT INTO notes VALUES ('n1', 'old', '')")
    let sent = try device.pull()
    let push = try device.next()
    #expect(push.verb == .push(sent))
    device.clock.now += 1_000
    try device.write("UPDATE notes SET title = 'new'")
    try device.answer(.pushed(sent.map { .init($0, at: 1) }, refused: [], cursor: 1), to: push)
    let edited = try #require(try device.row("notes", "n1"))
    #expect(edited.current[ExactText("title")] == ExactText("\"new\""))
    #expect(try device.sync.next()?.verb == .push([edited]))
  }
}
