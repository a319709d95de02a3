import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

// No file of a real app was at hand: these have the tables and columns that such files are known to have.

@Suite("A file of Core Data or SwiftData")
struct CoreDataImportTests {
  private struct Item: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "items"
    var id: UUID
    var key: UUID?
    var text: String
    var folderID: UUID?
    var createdAt: Date
    var picture: Data?
    var isPinned: Bool
  }

  private struct Folder: StoredRecord, Codable, Equatable, Identifiable {
    static let table = "folders"
    var id: UUID
    var name: String
  }

  private struct Placed: StoredRecord, Codable, Equatable {
    static let table = "placed"
    static let key = ["folder_id", "item_id"]
    var folderID: UUID
    var itemID: UUID
    var position: Int
  }

  private static let schema = StoreSchema(
    "items",
    migrations: [
      Migration(
        "items/001",
        sql: """
          CREATE TABLE folders (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
          CREATE TABLE items (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT, text TEXT NOT NULL, folder_id TEXT REFERENCES folders (id),
            created_at INTEGER NOT NULL, picture BLOB, is_pinned INTEGER NOT NULL
          ) STRICT;
          CREATE TABLE placed (
            folder_id TEXT NOT NULL REFERENCES folders (id), item_id TEXT NOT NULL REFERENCES items (id), position INTEGER NOT NULL,
            PRIMARY KEY (folder_id, item_id)
          ) STRICT, WITHOUT ROWID;
          """)
    ], records: [Folder.self, Item.self, Placed.self])

  private static let folders: FieldTable<Folder> = [.required("Z_PK", \.id, .derived(from: "Folder")), .required("name", \.name, .text)]
  private static let items: FieldTable<Item> = [
    .required("Z_PK", \.id, .derived(from: "Item")), .optional("key", \.key, .id), .required("text", \.text, .text),
    .optional("folder", \.folderID, .derived(from: "Folder")), .required("createdAt", \.createdAt, .since2001),
    .optional("picture", \.picture, .base64), .required("isPinned", \.isPinned, .bool),
  ]
  private static let placed: FieldTable<Placed> = [
    .required("Z_1FOLDERS", \.folderID, .derived(from: "Folder")), .required("Z_2ITEMS", \.itemID, .derived(from: "Item")),
    .required("Z_FOK_2ITEMS", \.position, .int),
  ]

  /// A folder, a note and a memo, which inherit from Item, and the order of the items in the folder.
  private static let file = """
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Folder', 0, 1), (2, 'Item', 0, 9), (3, 'Note', 2, 0), (4, 'Memo', 2, 0);
    CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    INSERT INTO Z_METADATA VALUES (1, 'A0B1', x'00');
    CREATE TABLE ZFOLDER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    INSERT INTO ZFOLDER VALUES (1, 1, 1, 'Home');
    CREATE TABLE ZITEM (
      Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZFOLDER INTEGER, Z_FOK_FOLDER INTEGER, ZISPINNED INTEGER,
      ZCREATEDAT TIMESTAMP, ZTEXT VARCHAR, ZKEY BLOB, ZPICTURE BLOB, ZSPOKEN FLOAT, ZSTYLE BLOB
    );
    INSERT INTO ZITEM VALUES
      (1, 3, 1, 1, 1024, 1, 781000000.5, 'Buy milk', x'7C9E6679742540DE944B000000000001', x'FFD8', NULL, NULL),
      (9, 4, 2, NULL, NULL, 0, 781000001, 'Spoken', NULL, NULL, 12.5, NULL);
    CREATE TABLE Z_1ITEMS (Z_1FOLDERS INTEGER, Z_2ITEMS INTEGER, Z_FOK_2ITEMS INTEGER, PRIMARY KEY (Z_1FOLDERS, Z_2ITEMS));
    INSERT INTO Z_1ITEMS VALUES (1, 9, 2048), (1, 1, 1024);
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func importing(_ change: String = "", _ tables: [SQLiteImport.Table]) throws -> ImportReport {
    let url = folder.file("app.store")
    try RawDatabase.with(url, creating: true) { try $0.execute(Self.file + change) }
    let source = try ImportSource(url)
    return try Store.importing(
      SQLiteImport("app-coredata", SQLiteSource(source), tables), from: source, into: folder.file("items.sqlite"), schemas: [Self.schema],
      storeOptions: .testing)
  }

  private static var all: [SQLiteImport.Table] {
    [
      .entity("Folder", folders), .entity("Note", root: "Item", items), .entity("Memo", root: "Item", items),
      .table("Z_1ITEMS", placed),
    ]
  }

  @Test("entities that share a table, relationships, the order of a many-to-many one, dates, and ids as bytes come in whole")
  func whole() throws {
    let report = try importing("", Self.all)
    #expect(report.verified && report.notes == nil)
    #expect(
      report.picture == """
        folders 1: 1 imported
        items 2: 2 imported
        placed 2: 2 imported
        ZITEM[rowid 9].ZSPOKEN: this field is not known
        """)
    let store = try Store.open(at: folder.file("items.sqlite"), schemas: [Self.schema], options: .testing)
    let items = try store.read { try $0.all(Item.self, "ORDER BY text") }
    let home = NewID.derived(from: "Folder 1")
    let key = try #require(IDCodec.parse("7C9E6679-7425-40DE-944B-000000000001"))
    #expect(
      items == [
        Item(
          id: NewID.derived(from: "Item 1"), key: key, text: "Buy milk", folderID: home,
          createdAt: Date(timeIntervalSinceReferenceDate: 781_000_000.5), picture: Data([0xFF, 0xD8]), isPinned: true),
        Item(
          id: NewID.derived(from: "Item 9"), text: "Spoken", createdAt: Date(timeIntervalSinceReferenceDate: 781_000_001), isPinned: false),
      ])
    #expect(try store.read { try $0.all(Placed.self, "ORDER BY position") }.map(\.itemID) == items.map(\.id))
  }

  @Test(
    "an attribute that only the app can read is refused by its name, and there is no store",
    arguments: [
      ("UPDATE ZITEM SET ZTEXT = CAST('bplist00…' AS BLOB) WHERE Z_PK = 1", "the attribute TEXT of Note is transformable"),
      ("UPDATE ZITEM SET ZPICTURE = x'01FFD8' WHERE Z_PK = 1", "the attribute PICTURE of Note seems to allow external storage"),
      (
        "UPDATE ZITEM SET ZPICTURE = CAST(x'02' || '7C9E6679-7425-40DE-944B-000000000001' || x'00' AS BLOB) WHERE Z_PK = 1",
        "the attribute PICTURE of Note has values in files of their own"
      ),
    ])
  func onlyTheApp(change: String, message: String) throws {
    let error = #expect(throws: StoreError.self) { try importing(change, Self.all) }
    #expect(error?.code == .invalidSource)
    #expect(error?.message == "\(message): only the app itself can read it")
    #expect(try folder.contents() == ["app.store"])
  }

  @Test("the report says that rows of other entities in a shared table were not read")
  func otherEntities() throws {
    let report = try importing(
      "", [.entity("Folder", Self.folders), .entity("Note", root: "Item", Self.items), .table("Z_1ITEMS", Self.placed)])
    #expect(report.counts["items"]?.imported == 1)
    #expect(report.notes == ["the table ZITEM has entities that were not read; rows: 1 (first: ZITEM)": 1])
  }

  @Test("an entity that the file does not have is refused")
  func noEntity() throws {
    let error = #expect(throws: StoreError.self) { try importing("", [.entity("Letter", root: "Item", Self.items)]) }
    #expect(error?.message == "this database has no entity Letter")
  }
}
