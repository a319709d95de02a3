import Foundation
import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@Suite("Going back in a synced store")
struct GoingBackTests {
  @Test("a rewind is an edit: it travels, what others wrote elsewhere stays, and its label undoes it everywhere")
  func rewind() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1), ('b', 'B', 1)", "INSERT INTO marks VALUES ('a', 7)")
    try world.settle()
    try world.stores[0].label("here")
    try world.write(0, "UPDATE books SET title = 'X' WHERE id = 'a'", "DELETE FROM books WHERE id = 'b'", "UPDATE marks SET page = 9")
    try world.write(0, "INSERT INTO books VALUES ('c', 'C', 1)")
    try world.settle()
    try world.write(1, "UPDATE books SET pages = 5 WHERE id = 'a'")
    let undo = try world.stores[0].rewind(to: .label("here")).undo
    try world.settle()
    #expect(try world.books(0) == ["a A 5", "b B 1", "7"] && world.books(1) == world.books(0))
    _ = try world.stores[0].rewind(to: .label(undo))
    try world.settle()
    #expect(try world.books(0) == ["a X 1", "c C 1", "9"] && world.books(1) == world.books(0))
  }

  @Test("a rewind to a moment before the store was connected keeps the connection, and captures what is written after it")
  func beforeConnecting() throws {
    let world = try Devices(connected: false)
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try world.stores[0].label("here")
    try world.write(0, "UPDATE books SET title = 'B'")
    try world.connect()
    try world.settle()
    _ = try world.stores[0].rewind(to: .label("here"))
    try world.write(0, "INSERT INTO books VALUES ('b', 'B', 1)")
    try world.settle()
    #expect(try world.books(1) == ["a A 1", "b B 1"] && world.books(0) == world.books(1))
    #expect(try world.stores[0].integrityCheck().isHealthy)
  }

  @Test("a store that was disconnected since stays so, whatever it was at the moment to which it goes back")
  func afterDisconnecting() throws {
    let world = try Devices()
    let store = world.stores[0]
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try store.label("here")
    try store.write { tx in try store.dropSync(in: tx) }
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = 'B'") }
    _ = try store.rewind(to: .label("here"))
    try store.write { tx in _ = try tx.execute("INSERT INTO books VALUES ('b', 'B', 1)") }
    #expect(try world.books(0) == ["a A 1", "b B 1"])
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%sync%'") == [])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("a sound store that syncs is not replaced as a file: opened with its schemas, it goes back on every device")
  func closed() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1)")
    try world.settle()
    try world.stores[0].label("here")
    let snapshot = try world.stores[0].snapshot()
    try world.write(0, "UPDATE books SET title = 'B'")
    try world.settle()
    try world.stores[0].close()
    let (file, options) = (world.file(0), world.options)
    #expect(code { try Store.rewind(at: file, to: .label("here"), options: options) } == .misuse)
    #expect(code { try Store.restore(at: file, snapshot: snapshot.id, options: options) } == .misuse)
    // As the command does with the store of a library that it does not know, and with another.
    #expect(code { _ = try PlannedWayBack(at: file, to: .snapshot(snapshot.id), options: options, schemas: { _ in [] }) } == .misuse)
    let way = try PlannedWayBack(at: file, to: .snapshot(snapshot.id), options: options, schemas: { _ in [Devices.schema] })
    _ = try way.go()
    way.close()
    try world.reopen(0)
    try world.settle()
    #expect(try world.books(0) == ["a A 1"] && world.books(1) == world.books(0))
  }

  @Test(
    "of a damaged store that syncs an earlier state is a recovery: what was unsent then is sent, and what the server got since comes back",
    arguments: [false, true])
  func recovery(_ wasSent: Bool) throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO books VALUES ('a', 'A', 1), ('b', 'B', 1)")
    try world.settle()
    try world.write(1, "INSERT INTO books VALUES ('d', 'D', 1)")
    try world.write(
      0, "UPDATE books SET title = 'mine' WHERE id = 'a'", "DELETE FROM books WHERE id = 'b'", "INSERT INTO books VALUES ('c', 'C', 1)")
    let snapshot = try world.stores[0].snapshot()
    if wasSent { try world.settle() }
    try world.damage(0, firstPageOf: "books")
    #expect(try Store.restore(at: world.file(0), snapshot: snapshot.id, options: world.options) != nil)
    try world.reopen(0)
    try world.settle()
    #expect(try world.books(0) == ["a mine 1", "c C 1", "d D 1"] && world.books(1) == world.books(0))
  }

  @Test("a rewind to a moment before a row was parked brings it back on every device, and its label parks it again")
  func parked() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO names VALUES ('a', 'M')")
    try world.write(0, "INSERT INTO names VALUES ('b', 'N')")
    try world.settle()
    try world.stores[0].label("here")
    try world.write(0, "UPDATE names SET name = 'P' WHERE id = 'b'")
    try world.write(1, "UPDATE names SET name = 'P' WHERE id = 'a'")
    try world.settle()
    for store in world.stores { #expect(try store.rows("SELECT key FROM holdfast_sync_parked") == ["b"]) }
    let undo = try world.stores[0].rewind(to: .label("here")).undo
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["aM", "bN"]) }
    _ = try world.stores[0].rewind(to: .label(undo))
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["aP", "parked b"]) }
    try world.write(1, "UPDATE names SET name = 'Q' WHERE id = 'a'")
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["aQ", "bP"]) }
  }

  @Test("a row that is parked now, and was not there at the moment to which a rewind goes back, is deleted on every device")
  func parkedSince() throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO names VALUES ('a', 'M')")
    try world.settle()
    try world.stores[0].label("here")
    try world.write(1, "INSERT INTO names VALUES ('b', 'P')")
    try world.settle()
    try world.write(0, "UPDATE names SET name = 'Q' WHERE id = 'b'")
    try world.write(1, "UPDATE names SET name = 'Q' WHERE id = 'a'")
    try world.settle()
    #expect(try world.names(0) == ["aQ", "parked b"])
    let undo = try world.stores[0].rewind(to: .label("here")).undo
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["aM"]) }
    _ = try world.stores[0].rewind(to: .label(undo))
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["aQ", "parked b"]) }
  }

  @Test(
    "a row that was parked at the moment to which a rewind goes back lives on every device, also one that was deleted or edited since",
    arguments: [nil, "UPDATE names SET name = 'R' WHERE id = 'b'", "DELETE FROM names"] as [String?])
  func parkedThen(_ edit: String?) throws {
    let world = try Devices()
    try world.write(0, "INSERT INTO names VALUES ('z', 'M')")
    try world.write(0, "INSERT INTO names VALUES ('b', 'N')")
    try world.settle()
    try world.write(0, "UPDATE names SET name = 'P' WHERE id = 'b'")
    try world.write(1, "UPDATE names SET name = 'P' WHERE id = 'z'")
    try world.settle()
    #expect(try world.names(0) == ["parked b", "zP"])
    try world.stores[0].label("here")
    try world.write(1, "UPDATE names SET name = 'Q' WHERE id = 'z'")
    try world.settle()
    #expect(try world.names(0) == ["bP", "zQ"])
    if let edit { try world.write(0, BoundSQL(raw: edit)) }
    let now = try world.names(0)
    let undo = try world.stores[0].rewind(to: .label("here")).undo
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["parked b", "zP"]) }
    #expect(try world.stores[0].integrityCheck().isHealthy)
    _ = try world.stores[0].rewind(to: .label(undo))
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == now) }
    // Again, and the row appears as soon as it can.
    _ = try world.stores[0].rewind(to: .label("here"))
    try world.settle()
    try world.write(1, "UPDATE names SET name = 'Q' WHERE id = 'z'")
    try world.settle()
    for number in 0...1 { #expect(try world.names(number) == ["bP", "zQ"]) }
  }

  @Test("a purged row that was parked is deleted on every device")
  func purgeParked() throws {
    let world = try Devices()
    let id = "01940000-0000-7000-8000-000000000001"
    try world.write(0, "INSERT INTO names VALUES ('a', 'M')")
    try world.write(0, "INSERT INTO names VALUES (\(id), 'N')")
    try world.settle()
    try world.write(0, "UPDATE names SET name = 'P' WHERE id = \(id)")
    try world.write(1, "UPDATE names SET name = 'P' WHERE id = 'a'")
    try world.settle()
    #expect(try world.stores[0].rows("SELECT key FROM holdfast_sync_parked") == [id])
    _ = try world.stores[0].purge(Name.self, id: #require(UUID(uuidString: id)))
    #expect(try world.stores[0].rows("SELECT body FROM holdfast_sync_parked") == [])
    try world.settle()
    for store in world.stores {
      #expect(try store.rows("SELECT generation FROM holdfast_sync_row WHERE key LIKE '0194%'") == ["2"])
      #expect(try store.rows("SELECT key FROM holdfast_sync_parked") == [])
    }
  }

  @Test("a purged row leaves no byte in what sync keeps of it but its key")
  func purge() throws {
    let world = try Devices()
    let id = "01940000-0000-7000-8000-000000000001"
    try world.stores[0].write { tx in _ = try tx.execute("INSERT INTO books VALUES (\(id), 'first secret', 1)") }
    try world.settle()
    try world.setTime()
    try world.stores[1].write { tx in _ = try tx.execute("UPDATE books SET title = 'secret' WHERE id = \(id)") }
    try world.setTime()
    try world.stores[0].write { tx in _ = try tx.execute("UPDATE books SET title = 'other' WHERE id = \(id)") }
    try world.settle()
    #expect(try world.stores[1].rows("SELECT count(*) FROM holdfast_sync_lost") == ["1"])
    _ = try world.stores[1].purge(Devices.Book.self, id: #require(UUID(uuidString: id)))
    try world.settle()
    #expect(try world.stores[1].rows("SELECT count(*) FROM holdfast_sync_lost") == ["0"])
    #expect(try world.books(0) == [])
  }
}

private struct Name: StoredRecord, Codable {
  static let table = "names"
  var id: UUID
  var name: String
}
