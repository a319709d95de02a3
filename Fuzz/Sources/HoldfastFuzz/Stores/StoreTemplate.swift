import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

/// A small sound store, which cases damage: its file, and the pages that its next commits change. The same bytes in every process.
struct StoreTemplate: Sendable {
  let schema: StoreSchema
  let pageBytes: Int
  let file: [UInt8]
  /// The file after more commits. The log holds the pages that differ.
  let later: [UInt8]

  static let all: [StoreTemplate] = {
    do {
      return try [plain, AudiobookLibrary.schema, odd].flatMap { schema in try [1_024, 4_096].map { try StoreTemplate(schema, $0) } }
    } catch {
      print("the stores to damage cannot be made: \(error)")
      return []
    }
  }()

  private init(_ schema: StoreSchema, _ pageBytes: Int) throws {
    (self.schema, self.pageBytes) = (schema, pageBytes)
    let folder = Bench.folder.appendingPathComponent("holdfast-fuzz-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("store.sqlite")
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1_800_000_000) }
    try Store.open(at: url, schemas: [schema], options: options).close()
    /// Marks and ids are made at random; here they say the same in every run.
    func bytes(_ sql: String, _ mark: String) throws -> [UInt8] {
      try RawDatabase.with(url) { database in
        try database.execute(
          """
          PRAGMA journal_mode = DELETE; PRAGMA page_size = \(pageBytes); VACUUM; BEGIN;
          UPDATE holdfast_store SET id = '\(String(repeating: "5", count: 32))', \(mark); \(sql) COMMIT;
          """)
      }
      var bytes = [UInt8](try Data(contentsOf: url))
      (bytes[18], bytes[19]) = (2, 2)
      return bytes
    }
    let (one, two) = (String(repeating: "a", count: 16), String(repeating: "b", count: 16))
    var random = SeededRandom(seed: 7, number: pageBytes)
    let (first, second) = (Self.rows(schema.name, 0..<40, &random), Self.rows(schema.name, 40..<50, &random))
    file = try bytes(first, "log_mark = '\(one)', previous_log_mark = NULL")
    later = try bytes(second, "log_mark = '\(two)', previous_log_mark = '\(one)'")
  }

  private static let plain = StoreSchema(
    "plain",
    migrations: [
      Migration(
        "plain/001",
        sql: """
          CREATE TABLE notes (rowid INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, title TEXT NOT NULL, body TEXT NOT NULL, time REAL) STRICT;
          CREATE TABLE note_tags (note INTEGER NOT NULL REFERENCES notes(rowid) ON DELETE CASCADE, tag TEXT NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (note, tag)) STRICT, WITHOUT ROWID;
          CREATE INDEX notes_by_time ON notes (time);
          """)
    ], declarations: [.fullText("notes_search", of: "notes", ["title", "body"])])

  private static let odd = StoreSchema(
    "odd",
    migrations: [
      Migration(
        "odd/001",
        sql: """
          CREATE TABLE stations (code TEXT NOT NULL PRIMARY KEY, depth INTEGER NOT NULL, photo BLOB) WITHOUT ROWID;
          CREATE TABLE "log book" (id INTEGER PRIMARY KEY AUTOINCREMENT, entry, mood INT, weight NUMERIC, station TEXT REFERENCES stations,
            half REAL GENERATED ALWAYS AS (weight / 2) VIRTUAL);
          CREATE UNIQUE INDEX log_by_weight ON "log book" (weight DESC, mood) WHERE mood < 0;
          CREATE TABLE ledger (id INTEGER PRIMARY KEY DESC, amount INTEGER, twice INTEGER GENERATED ALWAYS AS (amount * 2) STORED);
          CREATE VIEW deep AS SELECT code FROM stations WHERE depth < -100;
          CREATE TRIGGER aged AFTER DELETE ON stations BEGIN DELETE FROM ledger WHERE id < 0; END;
          """)
    ])

  /// The statements that fill a part of the store.
  private static func rows(_ name: String, _ numbers: Range<Int>, _ random: inout SeededRandom) -> String {
    func words(_ count: Int) -> String {
      (0..<count).map { _ in String(UInt32.random(in: 0..<60_000, using: &random), radix: 36) }.joined(separator: " ")
    }
    func blob(_ count: Int) -> String { Sheet.blob((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }) }
    func uuid(_ number: Int) -> String { "7c9e6679-7425-40de-944b-" + String(100_000_000_000 + number) }
    return numbers.map { number in
      switch name {
      case "plain":
        return """
          INSERT INTO notes VALUES (\(number * 3), '\(uuid(number))', '\(words(3))', '\(words(number % 9 == 0 ? 900 : 30))', \(number).5);
          INSERT INTO note_tags VALUES (\(number * 3), 'a', \(number)), (\(number * 3), 'b', 0);
          """
      case "odd":
        return """
          INSERT INTO stations VALUES ('\(words(1))\(number)', \(-number), \(number % 7 == 0 ? blob(2_500) : "NULL"));
          INSERT INTO "log book" (entry, mood, weight, station) SELECT '\(words(number))', \(number - 30), \(number).25, max(code) FROM stations;
          INSERT INTO ledger (id, amount) VALUES (\(number * 7 - 90), \(number * 1_000_003));
          """
      default:
        return """
          INSERT INTO collections (id, title, cover_kind, cover_payload, created_at, updated_at, source_type, source_payload)
          VALUES ('\(uuid(number))', '\(words(4))', 'none', '{}', \(number), \(number), 'local', '{}');
          INSERT INTO tracks (id, collection_id, position, display_name, filename, location_type, location_payload, file_size, track_number, metadata)
          VALUES ('\(uuid(number + 1_000))', '\(uuid(number))', 0, '\(words(9))', '\(words(1)).mp3', 'external', '{}', \(number), 1, '{}');
          """
      }
    }.joined(separator: "\n")
  }

  /// A log that leads from `file` to `later`, with right checksums.
  var log: StoreLog {
    let pages = later.count / pageBytes
    let changed = (0..<pages).filter { page in
      let range = page * pageBytes..<(page + 1) * pageBytes
      return range.upperBound > file.count || file[range] != later[range]
    }
    return StoreLog(
      pageBytes: pageBytes,
      frames: changed.map { page in
        StoreLog.Frame(
          page: UInt32(page + 1), pages: page == changed.last ? UInt32(pages) : 0,
          content: Array(later[page * pageBytes..<(page + 1) * pageBytes]))
      })
  }
}
