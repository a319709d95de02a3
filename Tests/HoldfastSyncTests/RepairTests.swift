import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

/// Conditions that each of two devices keeps, and that their merge breaks.
@Suite("Repairs") struct RepairTests {
  private static func world(repair: BoundSQL?) throws -> SyncedStores {
    let schema = StoreSchema(
      "reading",
      migrations: [
        Migration(
          "reading/001",
          sql: """
            CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY) STRICT;
            CREATE TABLE lists (id TEXT NOT NULL PRIMARY KEY CHECK (id <> ''), last TEXT, note TEXT) STRICT;
            """)
      ],
      invariants: [
        Invariant(
          "the last read book is there", table: "lists", findings: "SELECT id FROM lists WHERE last NOT IN (SELECT id FROM books)",
          repair: repair)
      ],
      declarations: [.synced("books"), .synced("lists")])
    let world = try SyncedStores([schema, schema])
    try world.write(0, "INSERT INTO books VALUES ('one'), ('two')")
    try world.write(0, "INSERT INTO lists VALUES ('l', 'one', NULL)")
    try world.settle()
    return world
  }

  /// One device chooses the book that the other one deletes.
  private static func broken(repair: BoundSQL?) throws -> SyncedStores {
    let world = try Self.world(repair: repair)
    try world.write(0, "UPDATE lists SET last = 'two'")
    try world.write(1, "DELETE FROM books WHERE id = 'two'")
    return world
  }

  private func lists(_ world: SyncedStores) throws -> [[String]] {
    try world.devices.map { try $0.store.rows("SELECT id, last, note FROM lists", columns: 3) }
  }

  private static let forget: BoundSQL = "UPDATE lists SET last = NULL WHERE last NOT IN (SELECT id FROM books)"

  @Test("what a merge breaks is mended on both devices, and the change travels")
  func mended() throws {
    let world = try Self.broken(repair: Self.forget)
    try world.settle()
    #expect(try lists(world) == [["l NULL NULL"], ["l NULL NULL"]])
    #expect(try world.devices.allSatisfy { try $0.store.integrityCheck().isHealthy })
    #expect(try world.exchange(0) + world.exchange(1) == 0)
  }

  @Test("without a repair the findings stay, and sync goes on")
  func unmended() throws {
    let world = try Self.broken(repair: nil)
    try world.settle()
    #expect(try lists(world) == [["l two NULL"], ["l two NULL"]])
  }

  @Test("a repair runs only where a pull has brought nothing more: a device in the midst of a merge keeps its row")
  func onlyCaughtUp() throws {
    let world = try Self.broken(repair: Self.forget)
    try world.exchange(0)
    #expect(try lists(world)[0] == ["l two NULL"])
    try world.exchange(1)
    #expect(try lists(world)[1] == ["l two NULL"])
    // Only a pull that brings nothing shows that the merge is complete.
    try world.exchange(1)
    #expect(try lists(world) == [["l two NULL"], ["l NULL NULL"]])
  }

  @Test("a repair that mends one row at each run is run ten times, and again after the next pull")
  func repeated() throws {
    let world = try Self.world(
      repair: """
        UPDATE lists SET last = NULL WHERE id = (SELECT min(id) FROM lists WHERE last NOT IN (SELECT id FROM books))
        """)
    for number in 10..<22 { try world.write(0, "INSERT INTO lists VALUES (\("l\(number)"), 'two', NULL)") }
    try world.write(1, "DELETE FROM books WHERE id = 'two'")
    for number in [0, 1, 1] { try world.exchange(number) }
    func broken() throws -> Int { try world.devices[1].store.rows("SELECT id FROM lists WHERE last = 'two'").count }
    #expect(try broken() == 2)
    try world.exchange(1)
    #expect(try broken() == 0)
  }

  @Test("a repair that a constraint refuses changes nothing; sync goes on, and says it")
  func refused() throws {
    let world = try Self.broken(repair: "UPDATE lists SET id = '', note = 'x' WHERE last NOT IN (SELECT id FROM books)")
    for number in [0, 1, 0, 0] { try world.exchange(number) }
    #expect(try lists(world) == [["l two NULL"], ["l two NULL"]])
    #expect(world.devices[0].sync.status.lastError?.code == .constraint)
    #expect(world.devices[0].sync.status.pending == 0)
  }
}
