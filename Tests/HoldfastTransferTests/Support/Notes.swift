import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer

/// A store of notes, and a file with one note a line: a text, `@` and a time in seconds.
final class NoteWorld {
  let folder: TemporaryFolder
  let store: Store
  let text: String
  var source: URL { folder.file("notes.txt") }

  static let schema = StoreSchema(
    "notes",
    migrations: [
      Migration(
        "notes/001",
        sql: """
          CREATE TABLE notes (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL CHECK (length(text) < 10), time INTEGER NOT NULL
          ) STRICT;
          CREATE VIRTUAL TABLE notes_search USING fts5 (text, content='notes', content_rowid='rowid');
          CREATE TRIGGER notes_insert AFTER INSERT ON notes BEGIN
            INSERT INTO notes_search (rowid, text) VALUES (new.rowid, new.text);
          END;
          CREATE TRIGGER notes_update AFTER UPDATE ON notes BEGIN
            INSERT INTO notes_search (notes_search, rowid, text) VALUES ('delete', old.rowid, old.text);
            INSERT INTO notes_search (rowid, text) VALUES (new.rowid, new.text);
          END;
          """)
    ])

  init(_ text: String) throws {
    self.text = text
    folder = try TemporaryFolder()
    store = try folder.store([Self.schema])
    try text.write(to: folder.file("notes.txt"), atomically: true, encoding: .utf8)
  }

  func importing(_ format: NoteFormat) throws -> ImportReport { try store.importing(format, from: ImportSource(source)) }

  func notes() throws -> [String] { try store.read { try $0.values("SELECT text FROM notes ORDER BY rowid") { try $0.text() } } }
}

struct NoteFormat: ImportFormat {
  /// What an importer can do wrong.
  enum Mistake: CaseIterable {
    case writesNothing, writesOtherText, writesUnderOtherKey, readsNothingBack, readsOtherText
  }

  let name = "notes"
  let version = 1
  let kinds = [(name: "notes", table: "notes")]
  var total: Int { lines.count * 100 }
  var epochs: (write: Int64, read: Int64) = (0, 0)
  var secondReading: [String]?
  var stop: (any Error)?
  /// Given with each record.
  var remark: String?
  /// Whether each record is a row before its own, too.
  var writesTwoRows = false
  var laterIndexes: [String] = []
  /// How many of those there were when the first record was written.
  var indexesAtFirstWrite: Int? { readings.indexes }
  private let lines: [String]
  private let mistake: Mistake?
  private let readings = Readings()

  private final class Readings {
    var count = 0
    var indexes: Int?
  }

  init(_ text: String, _ mistake: Mistake? = nil) {
    lines = text.split(separator: "\n").map(String.init)
    self.mistake = mistake
  }

  func scan(_ reader: Reader, _ visit: (Scanned<String>, Int) throws -> Void) throws {
    readings.count += 1
    for (index, line) in ((readings.count == 2 ? secondReading : nil) ?? lines).enumerated() {
      let parts = line.split(separator: "@").map(String.init)
      let fields = [SourceField("text", .string(parts[0])), SourceField("time", .integer(parts.count > 1 ? Int64(parts[1]) ?? 0 : 0))]
      let record = SourceRecord(
        kind: "notes", key: "\(index)", path: .text("line \(index + 1)"), fields: fields, content: line, original: .bytes(Array(line.utf8)))
      try visit(.record(record), index * 100)
      if let remark { try visit(.note(remark, path: record.path), index * 100) }
    }
    if let stop { throw stop }
  }

  func write(_ record: SourceRecord<String>, in transaction: Writer) throws {
    guard case .string(let text) = record.fields[0].value, case .integer(let time) = record.fields[1].value, mistake != .writesNothing
    else { return }
    if readings.indexes == nil {
      readings.indexes = try transaction.count("SELECT count(*) FROM sqlite_schema WHERE name IN \(laterIndexes)")
    }
    if writesTwoRows { try transaction.execute("INSERT INTO notes (id, text, time) VALUES (\("first " + record.key), 'first', 0)") }
    let key = mistake == .writesUnderOtherKey ? record.key + "x" : record.key
    try transaction.execute(
      "INSERT INTO notes (id, text, time) VALUES (\(key), \(mistake == .writesOtherText ? text + "x" : text), \(time + epochs.write))")
  }

  func readBack(_ record: SourceRecord<String>, in reader: Reader) throws -> StoredShape? {
    if mistake == .readsNothingBack { return nil }
    return try reader.value("SELECT text, time FROM notes WHERE id = \(record.key)") { row in
      let text = try row.text()
      let time = try row.int64()
      return StoredShape(fields: [
        SourceField("text", .string(mistake == .readsOtherText ? text + "x" : text)), SourceField("time", .integer(time - epochs.read)),
      ])
    }
  }
}
