import Foundation
import Holdfast
import HoldfastHTTP
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastSimulator
@testable import HoldfastSync

@Suite("A sealed space", .timeLimit(.minutes(10)))
struct SealedSpaceTests {
  private static let key = StoreKey.random()

  private static func lines(_ world: SyncedNotes) throws -> [String] {
    try world.server.store.rows("SELECT body FROM sync_row ORDER BY body")
  }

  private static func digest(_ store: Store) throws -> UInt64 {
    let device = try SyncDevice(store, node: 9, key: key) { 0 }
    return try store.read { reader in try device.digest(in: reader) }
  }

  /// What a store knows of its space and its rows.
  private static func state(_ store: Store) throws -> [String] {
    try store.rows("SELECT epoch, cursor, is_resync, seal FROM holdfast_sync", columns: 4)
      + store.rows("SELECT key, generation, sequence, dirty FROM holdfast_sync_row ORDER BY key", columns: 4) + store.notes()
  }

  @Test("devices with the key share rows, natural keys and deletions; the server has neither a key nor a column nor a value")
  func shares() async throws {
    let world = try SyncedNotes()
    let (first, second) = (try await world.device(key: Self.key), try await world.device(key: Self.key))
    try first.store.add("jazz", "Emma")
    try first.store.add("blues", "Persuasion")
    try await finish(first.sync, second.sync)
    try second.store.edit("UPDATE notes SET body = 'by Jane Austen' WHERE id = 'jazz'")
    try second.store.edit("DELETE FROM notes WHERE id = 'blues'")
    try await finish(second.sync, first.sync)
    #expect(try first.store.rows("SELECT id, title, body FROM notes", columns: 3) == ["jazz Emma by Jane Austen"])
    let lines = try Self.lines(world)
    #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"t\":\"sealed:notes\"") })
    for word in ["jazz", "blues", "Emma", "Persuasion", "Austen", "title", "body", "\"id\""] {
      #expect(!lines.joined().contains(word), "\(word)")
    }
    #expect(try Self.digest(first.store) == world.server.digest(of: "anna"))
  }

  @Test("a natural key that was deleted before a device came, and that it uses again, is a new row")
  func insertsAgain() async throws {
    let world = try SyncedNotes()
    let first = try await world.device(key: Self.key)
    try first.store.add("jazz")
    try await first.sync.finish()
    try first.store.edit("DELETE FROM notes")
    try await first.sync.finish()
    let second = try await world.device(key: Self.key)
    try second.store.add("jazz", "new")
    try await finish(second.sync, first.sync)
    #expect(try first.store.notes() == ["jazz new"] && second.store.notes() == ["jazz new"] && second.sync.lost() == [])
  }

  @Test("devices that connect different rows of one key and one time come to rest with the same row; what is sent again has the same bytes")
  func ties() async throws {
    let world = try SyncedNotes()
    let stores = try (0..<4).map { _ in try SyncedNotes.store() }
    var syncs: [StoreSync] = []
    for (number, store) in stores.enumerated() {
      let (title, body) = ("title \(number)", "body \(3 - number)")
      for id in (0..<20).map({ "n\($0)" }) { try store.edit("INSERT INTO notes VALUES (\(id), \(title), \(body))") }
      let sync = try world.sync(store, key: Self.key)
      try await sync.connect(.merge)
      syncs.append(sync)
    }
    for sync in syncs + syncs { try await sync.finish() }
    let notes = try stores.map { try $0.rows("SELECT id, title, body FROM notes ORDER BY id", columns: 3) }
    #expect(Set(notes).count == 1 && notes[0].count == 20)
    let rows: BoundSQL = "SELECT sequence, body FROM sync_row ORDER BY key"
    let before = try world.server.store.rows(rows, columns: 2)
    for store in stores { try store.edit("UPDATE holdfast_sync_row SET dirty = 1") }
    for sync in syncs { try await sync.finish() }
    #expect(try world.server.store.rows(rows, columns: 2) == before)
  }

  @Test("a push is cut by the size of its sealed rows, so that the server takes it at once")
  func sizes() async throws {
    let world = try SyncedNotes()
    let (store, sync) = try await world.device(key: Self.key)
    let text = String(repeating: "x", count: 60_000)
    for number in 0..<16 { try store.add("n\(number)", text) }
    try await sync.finish()
    // Plain, they would fit into one: 60 KB each. Sealed, a row has 80 KB.
    #expect(world.requests.all.filter { $0 == "push" }.count == 2)
    #expect(try Self.lines(world).count == 16)
  }

  // MARK: Keys

  /// The key of a space, the one that a device comes with, and what that gets.
  private static let wrongKeys: [(StoreKey?, StoreKey?, StoreError.Code)] = [
    (key, nil, .keyNeeded), (key, .random(), .wrongKey), (nil, key, .notSealed),
  ]

  @Test("a first sync without the key, with another one, or with one in a plain space changes neither side")
  func refusedAtFirst() async throws {
    for (space, given, code) in Self.wrongKeys {
      let world = try SyncedNotes()
      let founder = try await world.device(key: space)
      try founder.store.add("n1")
      try await founder.sync.finish()
      let store = try SyncedNotes.store()
      try store.add("n2")
      let sync = try world.sync(store, key: given)
      try await sync.connect(.merge)
      let before = try (Self.state(store), Self.lines(world))
      #expect(await asyncCode { try await sync.finish() } == code)
      #expect(try sync.status().problem?.code == code)
      #expect(try Self.state(store) == before.0 && Self.lines(world) == before.1)
      // With what the others have, it goes on.
      let right = try world.sync(store, key: space)
      try await right.finish()
      #expect(try store.notes() == ["n1 old", "n2 old"])
    }
  }

  @Test("a device that has synced, and then comes without its key, with another one, or with a first one, asks nothing and changes nothing")
  func refusedLater() async throws {
    for (first, later, code) in Self.wrongKeys {
      let world = try SyncedNotes()
      let (store, sync) = try await world.device(key: first)
      try store.add("n1")
      try await sync.finish()
      try store.add("n2")
      let before = try (Self.state(store), Self.lines(world), world.requests.all)
      let other = try world.sync(store, key: later)
      #expect(await asyncCode { try await other.finish() } == code)
      #expect(try Self.state(store) == before.0 && Self.lines(world) == before.1 && world.requests.all == before.2)
      try await world.sync(store, key: first).finish()
      #expect(try Self.lines(world).count == 2)
    }
  }

  @Test("two devices that have found one space empty share it with one key; with two keys the second one keeps its rows, and says so")
  func races() async throws {
    for (keys, code) in [([Self.key, Self.key], nil), ([Self.key, .random()], .wrongKey)] as [([StoreKey], StoreError.Code?)] {
      let world = try SyncedNotes()
      // Both have seen the empty space before the other one sends.
      let (first, second) = (try await world.device(key: keys[0]), try await world.device(key: keys[1]))
      for (device, id) in [(first, "n1"), (second, "n2")] { try device.store.add(id) }
      try await first.sync.finish()
      #expect(await asyncCode { try await second.sync.finish() } == code)
      #expect(try second.store.notes() == (code == nil ? ["n1 old", "n2 old"] : ["n2 old"]))
    }
  }

  @Test("where two devices send the first rows at once, with two keys, both are told so and keep their rows")
  func mixed() throws {
    let server = try SyncedNotes().server
    func answer(_ request: SyncRequest) throws -> SyncResponse { try server.answer(request, in: "anna", now: 1_900_000_000_000) }
    let stores = try [SyncedNotes.store(), SyncedNotes.store()]
    var devices: [SyncDevice] = []
    for (number, store) in stores.enumerated() {
      try store.add("n\(number)")
      try SyncDevice.connect(store, space: "anna", node: Int64(number))
      let device = try SyncDevice(store, node: Int64(number), key: .random()) { 1_900_000_000_000 }
      let pull = try #require(try device.next())
      try device.receive(answer(pull), to: pull)
      devices.append(device)
    }
    for device in devices {
      let push = try #require(try device.next())
      try device.receive(answer(push), to: push)
    }
    for (number, device) in devices.enumerated() {
      device.beginRound()
      let pull = try #require(try device.next())
      // The first one has its own row already; the second one pulls both.
      let expected: StoreError.Code = number == 0 ? .wrongKey : .verificationFailed
      #expect(code { try device.receive(answer(pull), to: pull) } == expected)
      #expect(try stores[number].notes() == ["n\(number) old"] && server.store.rows("SELECT key FROM sync_row").count == 2)
    }
  }

  @Test("where the key is lost, devices keep their rows: they disconnect without it, and found a new space with all that each has")
  func lostKey() async throws {
    let world = try SyncedNotes()
    try world.server.makeSpace("anna-2", epoch: "e1")
    let (first, second) = (try await world.device(key: Self.key), try await world.device(key: Self.key))
    try first.store.add("n1")
    try await finish(first.sync, second.sync)
    // Not sent.
    try first.store.edit("DELETE FROM notes")
    try first.store.add("n2")
    try second.store.edit("UPDATE notes SET title = 'new'")
    let new = StoreKey.random()
    var moved: [StoreSync] = []
    for store in [first.store, second.store] {
      try await world.sync(store).disconnect(force: true)
      let sync = try world.sync(store, space: "anna-2", key: new)
      try await sync.connect(.merge)
      try await sync.finish()
      moved.append(sync)
    }
    try await moved[0].finish()
    for store in [first.store, second.store] { #expect(try store.notes() == ["n1 new", "n2 old"]) }
  }

  @Test("a row that the server has changed stops sync, which names it, and comes when it opens again; in a new space the devices go on")
  func changedByServer() async throws {
    let world = try SyncedNotes()
    try world.server.makeSpace("anna-2", epoch: "e1")
    let (first, store) = (try await world.device(key: Self.key), try SyncedNotes.store())
    try first.store.add("n1")
    try first.store.add("n2")
    try await first.sync.finish()
    try store.add("n3")
    let sync = try world.sync(store, key: Self.key)
    try await sync.connect(.merge)
    let before = try Self.state(store)
    func change(_ old: String, to new: String) throws {
      try world.server.store.edit(
        "UPDATE sync_row SET body = replace(body, \(old), \(new)) WHERE key = (SELECT min(key) FROM sync_row)")
    }
    try change("\"g\":1", to: "\"g\":3")
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) { try await sync.finish() }
      #expect(error?.code == .verificationFailed && error?.message.contains("a row of notes, of push 1,") == true)
      #expect(try Self.state(store) == before)
    }
    try change("\"g\":3", to: "\"g\":1")
    try await sync.finish()
    #expect(try store.notes() == ["n1 old", "n2 old", "n3 old"])
    // The remedy, where the server does not change it back.
    try change("\"g\":1", to: "\"g\":3")
    let new = StoreKey.random()
    for store in [first.store, store, first.store] {
      if try StoreSync.space(of: store) == "anna" { try await world.sync(store).disconnect(force: true) }
      let sync = try world.sync(store, space: "anna-2", key: new)
      try await sync.connect(.merge)
      try await sync.finish()
    }
    for store in [first.store, store] { #expect(try store.notes() == ["n1 old", "n2 old", "n3 old"]) }
  }

  // MARK: Everything

  @Test("a marked value in each column of each table is in no byte of the server's files, of a request or of an answer")
  func marked() throws {
    let folder = try TemporaryFolder()
    let server = SyncServer(try folder.store([SyncServer.schema], name: "server.sqlite"))
    try server.makeSpace("s", epoch: "e1")
    let schema = StoreSchema(
      "marked",
      migrations: [
        Migration(
          "marked/001",
          sql: """
            CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, cover BLOB) STRICT;
            CREATE TABLE tags (book TEXT NOT NULL, tag TEXT NOT NULL, color TEXT, shade TEXT, PRIMARY KEY (book, tag)) STRICT;
            CREATE TABLE pages (hash BLOB NOT NULL PRIMARY KEY, note TEXT) STRICT;
            """)
      ],
      declarations: [
        .synced("books"), .synced("tags", key: ["book", "tag"], together: [["color", "shade"]]),
        .synced("pages", key: ["hash"], whole: true),
      ])
    let mark = "Zaubermarke"
    var bodies: [Data] = []
    var stores: [Store] = []
    var devices: [SyncDevice] = []
    for node: Int64 in 1...2 {
      let store = try Store.inMemory(schemas: [schema])
      try SyncDevice.connect(store, space: "s", node: node)
      stores.append(store)
      devices.append(try SyncDevice(store, node: node, key: Self.key) { 1_800_000_000_000 })
    }
    func settle() throws {
      for device in devices + devices {
        device.beginRound()
        while let request = try device.next() {
          let response = try server.answer(request, in: "s", now: 1_800_000_000_000)
          bodies += [request.body, response.body]
          try device.receive(response, to: request)
        }
      }
    }
    let blob = Data(mark.utf8)
    try stores[0].edit("INSERT INTO books VALUES (\(mark), \(mark), \(blob))")
    try stores[0].edit("INSERT INTO tags VALUES (\(mark), \(mark), \(mark), NULL)")
    try stores[0].edit("INSERT INTO pages VALUES (\(blob), \(mark))")
    try settle()
    try stores[1].edit("UPDATE books SET title = \(mark + "!"), cover = \(blob + blob)")
    try stores[1].edit("UPDATE tags SET color = \(mark + "!"), shade = \(mark)")
    try stores[1].edit("DELETE FROM pages")
    try settle()
    #expect(try stores[0].rows("SELECT title FROM books UNION ALL SELECT shade FROM tags") == [mark + "!", mark])
    #expect(try stores[0].rows("SELECT note FROM pages") == [])
    try server.store.close()
    let files = try folder.contents().map(folder.file).compactMap { try? Data(contentsOf: $0) }
    let hexadecimal = blob.map { String(format: "%02X", $0) }.joined()
    let columns = ["title", "cover", "color", "shade", "note", "hash"].map { "\"\($0)" }
    for secret in [mark, hexadecimal, blob.base64EncodedString()] + columns {
      #expect((bodies + files).allSatisfy { $0.range(of: Data(secret.utf8)) == nil }, "\(secret)")
    }
    #expect(files.contains { $0.range(of: Data("sealed:books".utf8)) != nil }, "the files were read")
  }

  /// In a short run those behind the seeds of `SimulatorTests`.
  private static let seeds: Range<UInt64> = ProofRun.isLong ? 0..<300 : 5..<7

  @Test("seeds of the simulator end with equal tables in a sealed space, too", arguments: seeds)
  func simulated(_ seed: UInt64) throws { #expect(try !Simulated.run(seed: seed, key: Self.key).rows.isEmpty) }
}
