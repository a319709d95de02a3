import Foundation
import Holdfast

/// A store of notes with an index, and small mixed commits.
enum NotesStore {
  static let schema = StoreSchema("notes", migrations: [notes])
  /// With triggers that write the old and the new columns of each changed row into a table, in the same transaction.
  static let journaled = StoreSchema("notes", migrations: [notes, journal])

  private static let body = String(repeating: "abcdefghij ", count: 40)

  static func fill(_ store: Store, notes: Int) throws {
    try store.write { tx in
      for id in 0..<notes {
        try tx.execute(
          "INSERT INTO notes (id, title, body, number) VALUES (\(id), \("t\(id)"), \(body), \((id &* 2_654_435_761) % 1_000_003))")
      }
    }
    try store.checkpoint(.truncate)
  }

  /// Two inserts, an update and a delete in turn, one row each. Returns how many rows changed: none when the row is gone.
  static func commit(_ number: Int, of notes: Int, to store: Store, _ random: inout SplitMix) throws -> Int {
    let (value, id) = (Int(random.next() % 1_000_000), Int(random.next() % UInt64(notes)))
    return try store.write { tx -> Int in
      switch number % 4 {
      case 0, 1: return try tx.execute("INSERT INTO notes (title, body, number) VALUES (\("t\(number)"), \(body), \(value))")
      case 2: return try tx.execute("UPDATE notes SET number = \(value), title = \("u\(number)") WHERE id = \(id)")
      default: return try tx.execute("DELETE FROM notes WHERE id = \(id)")
      }
    }
  }

  private static let notes = Migration(
    "notes/001-notes",
    sql: """
      CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, number INTEGER NOT NULL) STRICT;
      CREATE INDEX notes_by_number ON notes (number);
      """)
  private static let journal = Migration(
    "notes/002-journal",
    sql: """
      CREATE TABLE journal (id INTEGER PRIMARY KEY, at REAL NOT NULL, old TEXT NOT NULL, new TEXT NOT NULL) STRICT;
      CREATE TRIGGER journal_insert AFTER INSERT ON notes BEGIN INSERT INTO journal (at, old, new)
      VALUES (julianday('now'), '', json_array(new.id, new.title, new.body, new.number)); END;
      CREATE TRIGGER journal_update AFTER UPDATE ON notes BEGIN INSERT INTO journal (at, old, new)
      VALUES (julianday('now'), json_array(old.id, old.title, old.body, old.number), json_array(new.id, new.title, new.body, new.number)); END;
      CREATE TRIGGER journal_delete AFTER DELETE ON notes BEGIN INSERT INTO journal (at, old, new)
      VALUES (julianday('now'), json_array(old.id, old.title, old.body, old.number), ''); END;
      """)
}
