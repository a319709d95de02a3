import Foundation
import Holdfast

#if canImport(SwiftUI)
  import SwiftUI
#endif

// snippet: notes
struct Note: StoredRecord, Identifiable, Equatable {
  static let table = "notes"
  static let columns = ["id", "text"]
  var id: UUID
  var text: String

  init(id: UUID, text: String) { (self.id, self.text) = (id, text) }
  init(row: inout StoredRow) throws { (id, text) = (try row.id(), try row.text()) }
  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(text)
  }

  static let schema = StoreSchema(
    "notes",
    migrations: [
      Migration(
        "notes/001-notes", sql: "CREATE TABLE notes (rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, text TEXT NOT NULL) STRICT")
    ], records: [Note.self])
}
// end

func notes(in folder: URL) async throws -> Updates<[Note]> {
  // snippet: notes-store
  let store = try Store.open(at: folder.appendingPathComponent("notes.sqlite"), schemas: [Note.schema])
  try await store.write { tx in try tx.insert(Note(id: tx.makeID(), text: "Buy milk")) }
  let notes = store.updates(of: ["notes"]) { reader in try reader.all(Note.self, "ORDER BY rowid") }
  // end
  return notes
}

#if canImport(SwiftUI)
  // snippet: notes-view
  @available(iOS 17, macOS 14, *)
  struct NotesView: View {
    @State var notes: LiveValue<[Note]>
    var body: some View { List(notes.value ?? []) { note in Text(note.text) } }
  }
// end
#endif
