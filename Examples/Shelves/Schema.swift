public import Holdfast
public import ReadingListExample

extension ReadingList {
  /// The list with shelves: the second version of its schema. In an app the same lines go into `schema` itself.
  public static let withShelves = StoreSchema(
    "reading",
    migrations: schema.migrations + [
      Migration(
        "reading/002-shelves",
        sql: """
          CREATE TABLE shelves (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL CHECK (name <> '')
          ) STRICT;
          CREATE TABLE shelved_books (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            shelf_id TEXT NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
            book_id TEXT NOT NULL REFERENCES books (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            note TEXT
          ) STRICT;
          CREATE INDEX shelved_books_by_position ON shelved_books (shelf_id, position, id);
          CREATE INDEX shelved_books_by_book ON shelved_books (book_id);
          """)
    ],
    records: [Book.self, Shelf.self, ShelvedBook.self],
    declarations: schema.declarations + [.fullText("notes_search", of: "shelved_books", ["note"])])
}
