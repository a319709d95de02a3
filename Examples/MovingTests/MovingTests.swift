import Foundation
import GRDB
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import MovingExample

@Suite("An app that moves from GRDB") struct MovingTests {
  /// The app's records and migrations before the move, with GRDB's defaults.
  private enum Old {
    // snippet: grdb-records
    struct Folder: Codable, MutablePersistableRecord {
      var id: Int64?
      var name: String

      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct Note: Codable, PersistableRecord {
      struct Style: Codable {
        var color: String
        var size: Double
      }

      var id: UUID
      var folderId: Int64?
      var text: String
      var createdAt: Date
      var isPinned: Bool
      var picture: Data?
      var style: Style?
    }

    struct Tag: Codable, MutablePersistableRecord {
      var id: Int64?
      var name: String

      mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    struct NoteTag: Codable, PersistableRecord {
      var noteId: UUID
      var tagId: Int64
    }
    // end

    static var migrator: DatabaseMigrator {
      var migrator = DatabaseMigrator()
      migrator.registerMigration("v1") { db in
        try db.create(table: "folder") { table in
          table.autoIncrementedPrimaryKey("id")
          table.column("name", .text).notNull()
        }
        try db.create(table: "note") { table in
          table.primaryKey("id", .blob)
          table.column("folderId", .integer).references("folder")
          table.column("text", .text).notNull()
          table.column("createdAt", .datetime).notNull()
          table.column("isPinned", .boolean).notNull()
          table.column("picture", .blob)
          table.column("style", .jsonText)
        }
        try db.create(table: "tag") { table in
          table.autoIncrementedPrimaryKey("id")
          table.column("name", .text).notNull()
        }
        try db.create(table: "noteTag") { table in
          table.primaryKey {
            table.column("noteId", .blob).references("note", onDelete: .cascade)
            table.column("tagId", .integer).references("tag", onDelete: .cascade)
          }
        }
      }
      return migrator
    }
  }

  private let milk = Note(
    id: NewID.derived(from: "milk"), folderID: NewID.derived(from: "folder 1"), text: "Buy milk",
    createdAt: Date(timeIntervalSince1970: 1_760_000_000.5), isPinned: true, picture: Data([0xFF, 0xD8, 0]),
    style: .init(color: "blue", size: 12))

  /// The app's file: a folder with a note, a note without one, and a note whose date makes no sense; each note has two tags.
  private func database(in folder: TemporaryFolder) throws -> URL {
    let url = folder.file("notes.db")
    let pool = try DatabasePool(path: url.path)
    try Old.migrator.migrate(pool)
    try pool.write { db in
      var home = Old.Folder(name: "Home")
      try home.insert(db)
      let notes = [
        Old.Note(
          id: milk.id, folderId: home.id, text: milk.text, createdAt: milk.createdAt, isPinned: true, picture: milk.picture,
          style: .init(color: "blue", size: 12)),
        Old.Note(id: UUID(), folderId: nil, text: "Loose", createdAt: milk.createdAt, isPinned: false),
        Old.Note(id: UUID(), folderId: nil, text: "When?", createdAt: milk.createdAt, isPinned: false),
      ]
      for note in notes { try note.insert(db) }
      for name in ["shop", "today"] {
        var tag = Old.Tag(name: name)
        try tag.insert(db)
        for note in notes { try Old.NoteTag(noteId: note.id, tagId: tag.id ?? 0).insert(db) }
      }
      try db.execute(sql: "UPDATE note SET createdAt = 'yesterday' WHERE text = 'When?'")
    }
    try pool.close()
    return url
  }

  @Test("what GRDB wrote with its defaults is imported and verified; the same again changes nothing, and the old file stays as it was")
  func importing() throws {
    let folder = try TemporaryFolder()
    let old = try database(in: folder)
    let before = try Data(contentsOf: old)
    let store = folder.file("notebook.sqlite")
    let report = try Notebook.importGRDB(from: old, into: store)
    #expect(
      report.picture == """
        folders 1: 1 imported
        notes 3: 2 imported, 1 quarantined
        tags 2: 2 imported
        note_tags 6: 4 imported, 2 quarantined
        note[rowid 3]: createdAt should be a date, found "yesterday"
        noteTag[rowid 3]: the record that it belongs to is quarantined
        noteTag[rowid 6]: the record that it belongs to is quarantined
        """)
    #expect(report.verified)
    let again = try Notebook.importGRDB(from: old, into: store)
    #expect(again.counts["notes"]?.imported == 0 && again.counts["notes"]?.skipped == 2)
    #expect(try Data(contentsOf: old) == before)

    let notebook = try Store.open(at: store, schemas: [Notebook.schema], options: .testing)
    #expect(try notebook.read { try $0.find(Note.self, id: milk.id) } == milk)
    #expect(try notebook.read { try $0.all(Folder.self) }.map(\.name) == ["Home"])
    let tags = try notebook.read { reader in
      try reader.values("SELECT name FROM tags JOIN note_tags ON tag_id = id WHERE note_id = \(milk.id) ORDER BY name") { try $0.text() }
    }
    #expect(tags == ["shop", "today"])
    #expect(try notebook.integrityCheck().isHealthy)
    try notebook.close()
  }

  @Test("two tables of a source may become one kind, and a column of bytes that are no id sends its row into quarantine")
  func oneKind() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("notes.db")
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { db in
      for table in ["note", "archived"] {
        try db.execute(sql: "CREATE TABLE \(table) (id BLOB PRIMARY KEY, text TEXT, createdAt TEXT, isPinned INTEGER)")
        try db.execute(sql: "INSERT INTO \(table) VALUES (randomblob(16), '\(table)', '2025-01-01 00:00:00.000', 0)")
      }
      try db.execute(sql: "INSERT INTO note VALUES (x'0102', 'short', '2025-01-01 00:00:00.000', 0)")
    }
    try queue.close()
    let fields: FieldTable<Note> = [
      .required("id", \.id, .id), .required("text", \.text, .text), .required("createdAt", \.createdAt, .sqlText),
      .required("isPinned", \.isPinned, .bool),
    ]
    let source = try ImportSource(url)
    let format = try SQLiteImport(
      "two-tables", SQLiteSource(source),
      ["note", "archived"].map { .table($0, fields) })
    let report = try Store.importing(format, from: source, into: folder.file("notebook.sqlite"), schemas: [Notebook.schema])
    #expect(report.verified && report.kinds == ["notes"])
    #expect(report.counts["notes"]?.imported == 2 && report.counts["notes"]?.quarantined == 1)
    #expect(report.problems.map(\.reason).first?.hasPrefix("id should be a UUID") == true, "\(report.problems)")
  }

  @Test("a file without the app's tables is refused, and there is no store")
  func refused() throws {
    let folder = try TemporaryFolder()
    let other = try DatabaseQueue(path: folder.file("other.db").path)
    try other.write { try $0.execute(sql: "CREATE TABLE other (x)") }
    try other.close()
    let error = #expect(throws: StoreError.self) {
      try Notebook.importGRDB(from: folder.file("other.db"), into: folder.file("notebook.sqlite"))
    }
    #expect(error?.code == .invalidSource)
    #expect(try folder.contents() == ["other.db"])
  }

  @Test("each record reads what it writes")
  func columns() throws {
    let store = try Store.inMemory(schemas: [Notebook.schema])
    try RecordCheck.verify([Folder(id: NewID.derived(from: "folder 1"), name: "Home")], in: store)
    try RecordCheck.verify([milk, Note(id: UUID(), folderID: nil, text: "", createdAt: .now, isPinned: false)], in: store)
    try RecordCheck.verify([Tag(id: NewID.derived(from: "tag 1"), name: "shop")], in: store)
  }
}
