import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

@Suite("A server's store that was healed")
struct HealedServerTests {
  private static let now: Int64 = 1_800_000_000_000

  /// Books on many pages. Two in the midst are marked; one of them at least is on a leaf.
  private static let many: BoundSQL = """
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < 400)
    INSERT INTO books SELECT printf('b%03d', n), iif(n IN (200, 201), 'marked', 'title') || hex(zeroblob(50)), 1 FROM n
    """

  /// Overwrites the leaves of a closed store that have this text.
  private func damageLeaves(of file: URL, where text: String) throws {
    let pageBytes = 4_096
    let content = [UInt8](try Data(contentsOf: file))
    let pages = stride(from: 0, to: content.count, by: pageBytes).filter { start in
      let page = content[start..<min(start + pageBytes, content.count)]
      return page.first == 10 && Data(page).range(of: Data(text.utf8)) != nil
    }
    #expect(!pages.isEmpty)
    for start in pages { try Damage.overwritePage(file, start / pageBytes + 1) }
  }

  @Test("rows that the damage took from the server come back from a device that has sent them long ago, and the space counts as before")
  func comesBack() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("server.sqlite")
    func open() throws -> SyncServer { SyncServer(try folder.store([SyncServer.schema], name: "server.sqlite", options: .testing)) }
    var server = try open()
    try server.makeSpace("s", epoch: "e1")
    try server.makeSpace("other", epoch: "e1")
    let store = try folder.store([Devices.schema], name: "device.sqlite", options: .testing)
    try SyncDevice.connect(store, space: "s", node: 1)
    let device = try SyncDevice(store, node: 1) { Self.now }
    try store.write { tx in _ = try tx.execute(Self.many) }
    try server.settle([device], at: Self.now)
    let (digest, bytes) = (try server.digest(of: "s"), try server.space("s").bytes)
    #expect(try server.mendSpaces() == [])
    try server.store.close()

    try damageLeaves(of: file, where: "marked")
    #expect(try Store.heal(at: file, schemas: [SyncServer.schema], options: .testing).means == .rows)
    server = try open()
    #expect(try server.store.rows("SELECT count(*) < 400 FROM sync_row") == ["1"])
    // Nothing tells a device of it: the pushes of before are counted.
    #expect(try server.settle([device], at: Self.now) == 0)

    let mended = try server.mendSpaces()
    #expect(mended.map(\.name) == ["s"] && mended.first?.counted.rows == 400 && mended.first?.counted.bytes == bytes)
    #expect(try mended.first?.found.rows == server.space("s").rows && mended.first?.found.bytes == server.space("s").bytes)
    #expect(try server.space("s").rows < 400 && server.store.integrityCheck().findings == [])
    let old = SyncRequest(.pull, epoch: "e1", cursor: 1, schema: 9)
    #expect(try server.answer(old, in: "s", now: Self.now).picture == "branched")
    #expect(
      try server.answer(SyncRequest(.pull, epoch: "e1", cursor: 0, schema: 9), in: "other", now: Self.now).picture == "page: ; cursor 0")
    #expect(try server.settle([device], at: Self.now) > 0)
    #expect(try server.digest(of: "s") == digest && server.space("s").bytes == bytes && server.space("s").rows == 400)
    #expect(try server.mendSpaces() == [])
  }

  @Test(
    "a space whose rows, bytes or head are counted wrongly is mended, and no other; one where only the digest differs is left as it is",
    arguments: ["rows = 7", "bytes = 7", "head = 0", "digest = 7"])
  func mended(_ change: String) throws {
    let world = try ServerWorld()
    try world.server.makeSpace("other", epoch: "e1")
    _ = try world.push(.book("a", at: 1), .book("b", at: 1))
    let (space, digest) = (try world.server.space("anna"), try world.server.digest(of: "anna"))
    try world.server.store.write { tx in _ = try tx.execute("UPDATE sync_space SET \(sql: BoundSQL(raw: change)) WHERE space = 'anna'") }
    let mended = try world.server.mendSpaces()
    guard change != "digest = 7" else {
      #expect(try mended == [] && world.server.digest(of: "anna") == 7 && world.pull() == "page: 1 books/a, 1 books/b; cursor 1")
      return
    }
    #expect(mended.map(\.name) == ["anna"] && mended.first?.found.rows == 2 && mended.first?.found.bytes == space.bytes)
    let after = try world.server.space("anna")
    #expect(after.rows == 2 && after.bytes == space.bytes && after.head == 1)
    #expect(try world.server.digest(of: "anna") == digest && world.pull() == "branched")
    #expect(try world.server.mendSpaces() == [])
  }

  @Test("a store that cannot be written to is not mended, and says so; one that has nothing to mend is not written to")
  func busy() throws {
    let folder = try TemporaryFolder()
    let (store, other) = (try folder.store([SyncServer.schema]), try folder.store([SyncServer.schema]))
    let server = SyncServer(store)
    try server.makeSpace("anna", epoch: "e1")
    try other.write { tx in
      _ = try tx.execute("UPDATE sync_space SET digest = 7")
      #expect(try server.mendSpaces() == [])
    }
    try other.write { tx in _ = try tx.execute("UPDATE sync_space SET rows = 7") }
    try other.write { _ in #expect(code { _ = try server.mendSpaces() } == .busy) }
    #expect(try server.mendSpaces().map(\.name) == ["anna"])
  }
}
