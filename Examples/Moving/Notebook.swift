public import Foundation
public import Holdfast

/// The folders, notes and tags of an app that kept them in GRDB before.
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
            is_pinned INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
            picture BLOB,
            style TEXT
          ) STRICT;
          CREATE INDEX notes_by_folder ON notes (folder_id, created_at, id);
          CREATE TABLE tags (
            rowid INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL
          ) STRICT;
          CREATE TABLE note_tags (
            note_id TEXT NOT NULL REFERENCES notes (id) ON DELETE CASCADE,
            tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
            PRIMARY KEY (note_id, tag_id)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX note_tags_by_tag ON note_tags (tag_id);
          """)
    ],
    records: [Folder.self, Note.self, Tag.self, NoteTag.self])
}

public struct Folder: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "folders"
  public var id: UUID
  public var name: String
}

public struct Note: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "notes"
  public var id: UUID
  public var folderID: UUID?
  public var text: String
  public var createdAt: Date
  public var isPinned: Bool
  public var picture: Data?
  public var style: Style?

  public struct Style: Codable, Hashable, Sendable {
    public var color: String
    public var size: Double
  }
}

public struct Tag: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "tags"
  public var id: UUID
  public var name: String
}

public struct NoteTag: StoredRecord, Codable, Hashable {
  public static let table = "note_tags"
  public static let key = ["note_id", "tag_id"]
  public var noteID: UUID
  public var tagID: UUID
}
