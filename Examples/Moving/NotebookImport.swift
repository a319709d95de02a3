public import Foundation
public import Holdfast
public import HoldfastTransfer

// snippet: moved-fields
extension Folder {
  /// The columns of `folder` as GRDB wrote them.
  static let grdb: FieldTable<Folder> = [
    .required("id", \.id, .number(in: "folder")),
    .required("name", \.name, .text),
  ]
}

extension Note {
  /// The columns of `note` as GRDB wrote them.
  static let grdb: FieldTable<Note> = [
    .required("id", \.id, .id),
    .optional("folderId", \.folderID, .number(in: "folder")),
    .required("text", \.text, .text),
    .required("createdAt", \.createdAt, .sqlText),
    .required("isPinned", \.isPinned, .bool),
  ]
}

extension ValueForm<UUID> {
  /// The row number of a table with an auto-incremented key. The new id is derived from the number: every import gives the same id.
  static func number(in table: String) -> ValueForm {
    @Sendable func id(_ number: Int64) -> UUID { NewID.derived(from: "\(table) \(number)") }
    return ValueForm("a whole number") { value, said in
      said.wholeNumber.map(id) == value ? said : .id(value)
    } read: { json in
      json.wholeNumber.map { Written(value: id($0), text: json) }
    }
  }
}
// end

// snippet: moved-import
extension Notebook {
  /// Imports the app's GRDB database into the store at `store`, and makes the store when there is none.
  ///
  /// - Throws: `.invalidSource` for a file without the app's tables, and what `Store.importing` throws; the store is then as before.
  public static func importGRDB(from url: URL, into store: URL, storeOptions: StoreOptions = .production) throws -> ImportReport {
    let source = try ImportSource(url)
    let format = try TablesImport(
      "notebook-grdb", SQLiteSource(source),
      [
        .init("folder", Folder.grdb, blank: Folder(id: UUID(), name: "")),
        .init("note", Note.grdb, blank: Note(id: UUID(), folderID: nil, text: "", createdAt: .distantPast, isPinned: false), bytes: ["id"]),
      ])
    return try Store.importing(format, from: source, into: store, schemas: [schema], storeOptions: storeOptions)
  }
}
// end
