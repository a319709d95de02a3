import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Healing of a synced store")
struct HealTests {
  /// Books on many pages. One in the midst is marked.
  private static let many: BoundSQL = """
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 400)
    INSERT INTO books SELECT printf('b%03d', n), iif(n = 200, 'marked', 'title') || hex(zeroblob(50)), 1 FROM n
    """

  /// Damages each page of a closed store that has this text.
  private func damage(_ file: URL, where text: String) throws {
    let content = try Data(contentsOf: file)
    var (pages, from) = (Set<Int>(), content.startIndex)
    while let found = content.range(of: Data(text.utf8), in: from..<content.endIndex) {
      pages.insert(found.lowerBound / 4_096 + 1)
      from = found.upperBound
    }
    #expect(!pages.isEmpty)
    for page in pages.sorted() { try Damage.overwritePage(file, page) }
  }

  @Test(
    "where heal puts rows together, those that it lost come back from the server, and are sent to nobody as deletions; the others merge")
  func rows() throws {
    let world = try Devices(isPlain: true)
    try world.write(0, Self.many)
    try world.settle()
    try world.write(1, "UPDATE books SET title = 'theirs' WHERE id = 'b300'")
    // Unsent: a new row, a change and a deletion.
    try world.write(
      0, "INSERT INTO books VALUES ('new', 'unsent', 1)", "UPDATE books SET pages = 9 WHERE id = 'b001'",
      "DELETE FROM books WHERE id = 'b002'",
      // As in the first pull of a store that was empty, which this one is no more: its past may have what others purge.
      "UPDATE holdfast_sync SET is_resync = 3")
    try world.stores[0].close()
    try damage(world.file(0), where: "marked")
    let report = try Store.heal(at: world.file(0), schemas: [Devices.schema], options: world.options)
    #expect(report.means == .rows, "\(report)")
    try world.reopen(0)
    #expect(try world.stores[0].rows("SELECT is_resync FROM holdfast_sync") == ["1"])
    let left = try world.books(0)
    #expect(left.count < 400 && left.contains("new unsent 1") && !left.contains { $0.hasPrefix("b200") }, "\(left.count)")
    try world.settle()
    let books = try world.books(1)
    #expect(try books.count == 401 && world.books(0) == books)
    #expect(books.contains("b300 theirs 1") && books.contains("new unsent 1") && books.contains { $0.hasPrefix("b200 marked") })
    // No stamp proves that the change and the deletion were later: the server's row wins, and the change is in the list.
    #expect(books.contains { $0.hasPrefix("b001") && $0.hasSuffix(" 1") } && books.contains { $0.hasPrefix("b002") })
    #expect(try world.stores[0].rows("SELECT key FROM holdfast_sync_lost").contains("b001"))
    #expect(try world.stores[0].rows("SELECT count(*) FROM holdfast_sync_row WHERE dirty") == ["0"])
  }

  @Test("a row that the damage took, and that another device purges before the next round, counts as one to forget")
  func purged() throws {
    let world = try Devices(isPlain: true)
    let id = NewID.counting(from: 1)()
    try world.write(0, Self.many, "INSERT INTO books VALUES (\(id), 'secret' || hex(zeroblob(50)), 1)")
    try world.settle()
    try world.stores[0].close()
    try damage(world.file(0), where: "secret")
    let report = try Store.heal(at: world.file(0), schemas: [Devices.schema], options: world.options)
    #expect(report.means == .rows, "\(report)")
    try world.reopen(0)
    try world.stores[1].purge(Devices.Book.self, id: id)
    try world.settle(1)
    try world.settle()
    #expect(try world.stores[0].rows("SELECT count(*) FROM books WHERE title LIKE 'secret%'") == ["0"])
    #expect(try world.stores[0].read { try $0.unforgotten() }.count == 1)
  }

  @Test("where heal puts rows together before a first pull that takes the server's rows has ended, nothing of them is to be sent")
  func takes() throws {
    let world = try Devices(isPlain: true)
    try world.write(0, Self.many, "UPDATE holdfast_sync SET is_resync = 2")
    try world.stores[0].close()
    try damage(world.file(0), where: "marked")
    #expect(try Store.heal(at: world.file(0), schemas: [Devices.schema], options: world.options).means == .rows)
    try world.reopen(0)
    #expect(try world.stores[0].rows("SELECT count(*) > 200, max(dirty) FROM holdfast_sync_row", columns: 2) == ["1 0"])
  }

  @Test("a store that is healed while it is open makes the sync that runs begin anew")
  func whileOpen() throws {
    let world = try Devices()
    try world.write(0, Self.many)
    try world.settle()
    let store = world.stores[0]
    _ = try store.archive()
    try store.checkpoint(.truncate)
    let handle = try FileHandle(forUpdating: world.file(0))
    try handle.seek(toOffset: 7 * 4_096)
    try handle.write(contentsOf: Data(repeating: 0, count: 4_096))
    let report = try store.heal()
    #expect(report.means == .pages, "\(report)")
    #expect(try store.rows("SELECT node FROM holdfast_sync") == ["0"])
    try world.write(1, "UPDATE books SET pages = 2 WHERE id = 'b001'")
    try world.settle()
    #expect(try world.books(0) == world.books(1) && store.rows("SELECT node FROM holdfast_sync") == ["1"])
  }

  @Test(
    "where the damage took the state of the space, heal disconnects the store and says so; connected again, it merges; what waited in lost is counted"
  )
  func disconnected() throws {
    let world = try Devices(isPlain: true)
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try world.settle()
    try world.write(0, "INSERT INTO holdfast_sync_lost VALUES (1, 1, 'books', 'a', '', ''), (2, 1, 'books', 'b', '', '')")
    try world.damage(0, firstPageOf: "holdfast_sync")
    let report = try Store.heal(at: world.file(0), schemas: [Devices.schema], options: world.options)
    #expect(report.means == .rows && report.notes.contains { $0.contains("connected to no space any more") }, "\(report)")
    #expect(report.notes.contains("with that went 2 lost values: only the damaged file in the quarantine has them"), "\(report.notes)")
    let store = try world.folder.store([Devices.schema], name: "0.sqlite", options: world.options)
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%sync%'") == [])
    try store.write { tx in _ = try tx.execute("INSERT INTO books VALUES ('b', 'B', 1)") }
    try store.close()
    try world.reopen(0)
    try world.settle()
    #expect(try world.books(1) == ["a A 1", "b B 1"] && world.books(0) == world.books(1))
  }
}
