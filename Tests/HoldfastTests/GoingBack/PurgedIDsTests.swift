import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The ids of purged rows")
struct PurgedIDsTests {
  private static let id = UUID.numbered(0xABC)
  private static let blob = withUnsafeBytes(of: id.uuid) { Data($0) }

  private static let forms = [
    Data(IDCodec.lowercase(id).utf8), Data(IDCodec.uppercase(id).utf8), blob, Data(blob.base64EncodedString().utf8),
  ]

  @Test("are found anywhere in bytes: as text in either case, as 16 bytes, and as a blob in base64", arguments: forms)
  func found(form: Data) {
    let ids = PurgedIDs(ids: [Self.id])
    #expect(ids.areNamed(in: form) && ids.areNamed(in: Data("{\"a".utf8) + form + Data([0, 0xFF])))
    #expect(!ids.areNamed(in: form.dropLast()) && !ids.areNamed(in: Data()))
    #expect(!PurgedIDs(ids: [.numbered(0xABD)]).areNamed(in: form))
  }

  @Test("are those of the row and of all that cascades delete with it, in a circle and below a number; not those of rows that stay")
  func walk() throws {
    let store = try Store.inMemory(schemas: [Self.tree])
    let ids = try store.write { tx in
      try tx.execute("INSERT INTO folders VALUES (\(UUID.numbered(1)), NULL), (\(UUID.numbered(2)), \(UUID.numbered(1)))")
      try tx.execute("UPDATE folders SET parent = \(UUID.numbered(2)) WHERE id = \(UUID.numbered(1))")
      try tx.execute("INSERT INTO folders VALUES (\(UUID.numbered(3)), NULL)")
      try tx.execute("INSERT INTO boxes VALUES (7, \(UUID.numbered(2))), (8, \(UUID.numbered(3)))")
      try tx.execute("INSERT INTO things VALUES (\(UUID.numbered(4)), 7, NULL), (\(UUID.numbered(5)), 8, \(UUID.numbered(1)))")
      try tx.execute("INSERT INTO pins VALUES (\(UUID.numbered(5)), \(UUID.numbered(1)))")
      return try PurgedIDs(.numbered(1), in: "folders", "id", tx).ids
    }
    #expect(ids == [.numbered(1), .numbered(2), .numbered(4)])
  }

  private static let tree = StoreSchema(
    "tree",
    sql: """
      CREATE TABLE folders (id TEXT NOT NULL PRIMARY KEY, parent TEXT REFERENCES folders ON DELETE CASCADE) STRICT;
      CREATE TABLE boxes (number INTEGER PRIMARY KEY, folder TEXT NOT NULL REFERENCES folders (id) ON DELETE CASCADE) STRICT;
      CREATE TABLE things (
        id TEXT NOT NULL PRIMARY KEY, box INTEGER NOT NULL REFERENCES boxes ON DELETE CASCADE,
        seen_in TEXT REFERENCES folders ON DELETE SET NULL) STRICT;
      CREATE TABLE pins (
        thing TEXT NOT NULL PRIMARY KEY REFERENCES things ON DELETE CASCADE,
        folder TEXT NOT NULL REFERENCES folders ON DELETE CASCADE) STRICT;
      """)
}
