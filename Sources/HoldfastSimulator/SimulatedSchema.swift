internal import Holdfast
internal import HoldfastSync

/// Devices and a server of production code over real SQLite, in virtual time, with a network and processes that fail.
///
/// A seed gives one run: nothing asks for the time, for a random number of the system, or for the order of a dictionary.
enum Simulated {
  /// What is broken, for people: the first difference that was found.
  struct Violation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  /// A table of the simulated app.
  struct Table {
    let name: String
    var key = ["id"]
    /// Columns that do not travel.
    var unsynced: Set<String> = []
  }

  // MARK: The app's schema

  /// Parents before children.
  static let tables = [
    Table(name: "items", unsynced: ["sort_title", "file_url"]), Table(name: "children"), Table(name: "accounts"),
    Table(name: "tags", key: ["item_id", "tag"]), Table(name: "labels"),
  ]

  /// Each rule of SQLite that merging can break is in one of the tables. Version 1 lacks `children.mood` and the table `labels`.
  /// The migration of version 3 rewrites values. `drafts` does not sync.
  static func schema(_ version: Int) -> StoreSchema {
    let declarations: [SchemaDeclaration] = [
      .synced("items", together: [["opened", "closed"]], here: ["file_url": .null], derived: ["sort_title"]), .synced("children"),
      .synced("accounts", whole: true, time: "updated_at"), .synced("tags", key: ["item_id", "tag"]),
    ]
    return StoreSchema(
      "simulated", migrations: Array([first, second, third].prefix(version)), records: [Item.self, Tag.self],
      declarations: version == 1 ? declarations : declarations + [.synced("labels")])
  }

  private static let first = Migration(
    "simulated/001-first",
    sql: """
      CREATE TABLE items (
        id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, sort_title TEXT NOT NULL, notes TEXT, position INTEGER NOT NULL,
        slug TEXT UNIQUE, opened TEXT, closed TEXT, file_url TEXT, CHECK ((opened IS NULL) = (closed IS NULL))) STRICT;
      CREATE TABLE children (
        id TEXT NOT NULL PRIMARY KEY, item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE,
        friend_id TEXT REFERENCES items (id) ON DELETE SET NULL, note TEXT NOT NULL) STRICT;
      CREATE INDEX children_by_item ON children (item_id);
      CREATE INDEX children_by_friend ON children (friend_id);
      CREATE TABLE accounts (id TEXT NOT NULL PRIMARY KEY, amount INTEGER NOT NULL, updated_at INTEGER NOT NULL) STRICT;
      CREATE TABLE tags (
        item_id TEXT NOT NULL REFERENCES items (id) ON DELETE CASCADE, tag TEXT NOT NULL, weight INTEGER NOT NULL,
        PRIMARY KEY (item_id, tag)) STRICT, WITHOUT ROWID;
      CREATE TABLE drafts (
        id INTEGER PRIMARY KEY, item_id TEXT REFERENCES items (id) ON DELETE CASCADE,
        friend_id TEXT REFERENCES items (id) ON DELETE SET NULL, note TEXT NOT NULL) STRICT;
      """)

  private static let second = Migration(
    "simulated/002-labels",
    sql: """
      ALTER TABLE children ADD COLUMN mood TEXT;
      CREATE TABLE labels (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;
      """)

  private static let third = Migration("simulated/003-notes", sql: "UPDATE items SET notes = notes || '!' WHERE notes NOT LIKE '%!'")
  static let newest = 3

  /// A row with a derived column, and one that stays on its device.
  struct Item: StoredRecord {
    static let table = "items"
    static let columns = ["id", "title", "sort_title", "notes", "position", "slug", "opened", "closed", "file_url"]

    var id: String
    var title: String
    var notes: String?
    var position = 0
    var slug: String?
    /// Of `opened` and of `closed`: they are written together, always with one value.
    var span: [String?] = [nil, nil]
    var fileURL: String?

    init(_ id: String, _ title: String, slug: String? = nil) { (self.id, self.title, self.slug) = (id, title, slug) }

    init(row: inout StoredRow) throws {
      id = try row.text()
      title = try row.text()
      _ = try row.text()
      notes = try row.textOrNil()
      position = try row.int()
      slug = try row.textOrNil()
      span = [try row.textOrNil(), try row.textOrNil()]
      fileURL = try row.textOrNil()
    }

    func encode(into values: inout Values) throws {
      try values.text(id)
      try values.text(title)
      try values.text(title.uppercased())
      try values.text(notes)
      try values.int(position)
      try values.text(slug)
      for value in span { try values.text(value) }
      try values.text(fileURL)
    }
  }

  struct Tag: StoredRecord, Codable {
    static let table = "tags"
    static let key = ["item_id", "tag"]

    var itemID: String
    var tag: String
    var weight: Int

    init(_ itemID: String, _ tag: String, weight: Int) { (self.itemID, self.tag, self.weight) = (itemID, tag, weight) }
  }
}
