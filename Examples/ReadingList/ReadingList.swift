// snippet: own-library
public import Holdfast

/// The books that somebody has read, or wants to.
public struct ReadingList: Library {
  public let store: Store
  public init(_ store: Store) { self.store = store }

  /// The table of a reading list. `rowid` is declared, because VACUUM renumbers rowids that are not.
  public static let schema = StoreSchema(
    "reading",
    migrations: [
      Migration(
        "reading/001-books",
        sql: """
          CREATE TABLE books (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL CHECK (title <> ''),
            author TEXT,
            pages INTEGER CHECK (pages > 0),
            added_at INTEGER NOT NULL,
            finished_at INTEGER
          ) STRICT;
          CREATE INDEX books_by_added_at ON books (added_at, id);
          """)
    ],
    records: [Book.self],
    declarations: [.fullText("books_search", of: "books", ["title", "author"]), .synced("books")])
}
// end
