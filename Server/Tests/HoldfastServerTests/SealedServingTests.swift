import Foundation
import Holdfast
import HoldfastServing
import HoldfastSync
import HoldfastSyncServer
import Testing

/// A sealed space over HTTP.
@Suite struct SealedServingTests {
  private static let mark = "Zaubermarke"
  private static let schema = StoreSchema(
    "marked",
    migrations: [
      Migration(
        "marked/001", sql: "CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, file BLOB) STRICT;")
    ], declarations: [.synced("notes")])

  @Test("two devices share a marked row, and no line of the server's log and no byte of its files has the mark, also where it fails")
  func marked() async throws {
    try await ServerWorld.run {
      $0.now = { Int64(Date().timeIntervalSince1970 * 1_000) }
    } _: { world in
      let address = try #require(URL(string: "http://127.0.0.1:\(world.client.port)"))
      let key = StoreKey.random()
      var devices: [(store: Store, sync: StoreSync)] = []
      for _ in 0..<2 {
        let store = try Store.inMemory(schemas: [Self.schema])
        let sync = try StoreSync(
          store, server: .init(address, space: "anna", key: key) { [token = world.client.token] in token })
        try await sync.connect(.merge)
        devices.append((store, sync))
      }
      let (mark, blob) = (Self.mark, Data(Self.mark.utf8))
      try await devices[0].store.write { tx in _ = try tx.execute("INSERT INTO notes VALUES (\(mark), \(mark), \(blob))") }
      for device in devices { try await device.sync.finish() }
      let titles = try await devices[1].store.read { reader in try reader.values("SELECT title FROM notes") { try $0.text() } }
      #expect(titles == [mark])
      // A store that fails is logged in more detail.
      try await devices[0].store.write { tx in _ = try tx.execute("UPDATE notes SET title = \(mark + "!")") }
      try await world.server.store.write { tx in _ = try tx.execute("ALTER TABLE sync_row RENAME TO gone") }
      await #expect(throws: StoreError.self) { try await devices[0].sync.finish() }
      let url = try #require(world.server.store.url)
      let files = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: url.path + $0)) }
      let log = world.log.all.joined(separator: "\n")
      #expect(log.contains("push") && files.contains { $0.range(of: Data("sealed:notes".utf8)) != nil }, "all was read")
      let hexadecimal = blob.map { String(format: "%02X", $0) }.joined()
      for secret in [mark, hexadecimal, blob.base64EncodedString()] {
        #expect(!log.contains(secret) && files.allSatisfy { $0.range(of: Data(secret.utf8)) == nil }, "\(secret)")
      }
    }
  }
}
