import Foundation
import Holdfast

#if canImport(SwiftUI)
  import SwiftUI
#endif

// snippet: notes
struct Note: StoredRecord, Codable, Identifiable, Equatable {
  static let table = "notes"
  var id: UUID
  var text: String
  var dueAt: Date?  // due_at, INTEGER milliseconds
  var labels: [String] = []  // JSON text

  static let schema = StoreSchema(
    "notes",
    migrations: [
      Migration(
        "notes/001-notes",
        sql: """
          CREATE TABLE notes (
            rowid INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, text TEXT NOT NULL, due_at INTEGER, labels TEXT NOT NULL
          ) STRICT
          """)
    ], records: [Note.self])
}
// end

func notes(in folder: URL) async throws -> Updates<[Note]> {
  // snippet: notes-store
  let store = try Store.open(at: folder.appendingPathComponent("notes.sqlite"), schemas: [Note.schema])
  try await store.write { tx in try tx.insert(Note(id: tx.makeID(), text: "Buy milk")) }
  let notes = store.updates { try $0.all(Note.self, "ORDER BY rowid") }
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
