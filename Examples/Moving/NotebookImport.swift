public import Foundation
public import Holdfast
public import HoldfastTransfer

// snippet: moved-fields
extension Folder {
  /// The columns of `folder` as GRDB wrote them.
  static let grdb: FieldTable<Folder> = [
    .required("id", \.id, .derived(from: "folder")),
    .required("name", \.name, .text),
  ]
}

extension Note {
  /// The columns of `note` as GRDB wrote them.
  static let grdb: FieldTable<Note> = [
    .required("id", \.id, .id),
    .optional("folderId", \.folderID, .derived(from: "folder")),
    .required("text", \.text, .text),
    .required("createdAt", \.createdAt, .sqlText),
    .required("isPinned", \.isPinned, .bool),
    .optional("picture", \.picture, .base64),
    .optional("style", \.style, .json(Note.Style.self)),
  ]
}

extension Tag {
  /// The columns of `tag` as GRDB wrote them.
  static let grdb: FieldTable<Tag> = [
    .required("id", \.id, .derived(from: "tag")),
    .required("name", \.name, .text),
  ]
}

extension NoteTag {
  /// The columns of the join table `noteTag` as GRDB wrote them.
  static let grdb: FieldTable<NoteTag> = [
    .required("noteId", \.noteID, .id),
    .required("tagId", \.tagID, .derived(from: "tag")),
  ]
}
// end

// snippet: moved-import
extension Notebook {
  /// Imports the app's GRDB database into the store at `store`, and makes the store when there is none.
  ///
  /// - Throws: `.invalidSource` for a file without the app's tables, and what `Store.importing` throws; the store is then as before.
  public static func importGRDB(from url: URL, into store: URL, storeOptions: StoreOptions = .production) throws -> ImportReport {
    let source = try ImportSource(url)
    let format = try SQLiteImport(
      "notebook-grdb", SQLiteSource(source),
      [.table("folder", Folder.grdb), .table("note", Note.grdb), .table("tag", Tag.grdb), .table("noteTag", NoteTag.grdb)])
    return try Store.importing(format, from: source, into: store, schemas: [schema], storeOptions: storeOptions)
  }
}
// end
