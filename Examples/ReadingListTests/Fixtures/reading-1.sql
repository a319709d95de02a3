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
