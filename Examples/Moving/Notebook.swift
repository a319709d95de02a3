// snippet: moved-library
public import Foundation
public import Holdfast

/// The folders and notes of an app that kept them in GRDB before.
public enum Notebook {
  public static let schema = StoreSchema(
    "notebook",
    migrations: [
      Migration(
        "notebook/001-notes",
        sql: """
          CREATE TABLE folders (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL
          ) STRICT;
          CREATE TABLE notes (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            folder_id TEXT REFERENCES folders (id),
            text TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            is_pinned INTEGER NOT NULL CHECK (is_pinned IN (0, 1))
          ) STRICT;
          CREATE INDEX notes_by_folder ON notes (folder_id, created_at, id);
          """)
    ],
    records: [Folder.self, Note.self])
}

public struct Folder: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "folders"
  public var id: UUID
  public var name: String

  public init(id: UUID, name: String) { (self.id, self.name) = (id, name) }
}

public struct Note: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "notes"
  public var id: UUID
  public var folderID: UUID?
  public var text: String
  public var createdAt: Date
  public var isPinned: Bool

  public init(id: UUID, folderID: UUID?, text: String, createdAt: Date, isPinned: Bool) {
    (self.id, self.folderID, self.text, self.createdAt, self.isPinned) = (id, folderID, text, createdAt, isPinned)
  }
}
// end
