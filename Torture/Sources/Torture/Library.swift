import Foundation
import Holdfast

// The only places that name these types of the kit.
typealias LibrarySchema = StoreSchema
typealias LibraryTransaction = Writer

/// The library that is attacked: numbered batches of lines, with an index, a cascade, a full-text index, and an audit of the batches.
///
/// Each transaction writes one batch, whole: its number, how many lines it has and a checksum of them. So whoever reads the file can
/// tell without help whether it holds batches 1 to n and nothing of a batch n + 1.
enum Library {
  static let first = Migration(
    "torture/001-batches",
    sql: """
      CREATE TABLE batches (
        rowid INTEGER PRIMARY KEY,
        number INTEGER NOT NULL UNIQUE,
        lines INTEGER NOT NULL,
        checksum INTEGER NOT NULL
      ) STRICT;
      -- With all columns in some index, SQLite's check sees every changed value.
      CREATE INDEX batches_by_checksum ON batches (checksum, lines);
      CREATE TABLE lines (
        rowid INTEGER PRIMARY KEY,
        batch INTEGER NOT NULL REFERENCES batches(number) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        content TEXT NOT NULL,
        UNIQUE (batch, place)
      ) STRICT;
      CREATE INDEX lines_by_content ON lines (content);
      CREATE VIRTUAL TABLE lines_search USING fts5(content, content='lines', content_rowid='rowid');
      \(triggers)
      """)

  /// Rebuilds a table that others depend on, as migrations do that change constraints.
  static let second = Migration(
    "torture/002-length",
    sql: """
      CREATE TABLE new_lines (
        rowid INTEGER PRIMARY KEY,
        batch INTEGER NOT NULL REFERENCES batches(number) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        content TEXT NOT NULL,
        length INTEGER NOT NULL DEFAULT 0,
        UNIQUE (batch, place)
      ) STRICT;
      INSERT INTO new_lines (rowid, batch, place, content, length) SELECT rowid, batch, place, content, length(content) FROM lines;
      DROP TABLE lines;
      ALTER TABLE new_lines RENAME TO lines;
      CREATE INDEX lines_by_content ON lines (content);
      \(triggers)
      INSERT INTO lines_search (lines_search) VALUES ('rebuild');
      """)

  private static let triggers = """
    CREATE TRIGGER lines_added AFTER INSERT ON lines BEGIN
      INSERT INTO lines_search (rowid, content) VALUES (new.rowid, new.content);
    END;
    CREATE TRIGGER lines_deleted AFTER DELETE ON lines BEGIN
      INSERT INTO lines_search (lines_search, rowid, content) VALUES ('delete', old.rowid, old.content);
    END;
    """

  /// The app's two versions.
  static let old = LibrarySchema("torture", migrations: [first], declarations: [.audit("batches", key: ["number"])])
  static let new = LibrarySchema("torture", migrations: [first, second], declarations: [.audit("batches", key: ["number"])])

  static func schema(_ version: Int) -> LibrarySchema { version == 1 ? old : new }

  static func save(_ batch: Batch, in transaction: LibraryTransaction) throws {
    _ = try transaction.execute(
      "INSERT INTO batches (number, lines, checksum) VALUES (\(batch.number), \(batch.lines.count), \(batch.checksum))")
    for (place, line) in batch.lines.enumerated() {
      _ = try transaction.execute("INSERT INTO lines (batch, place, content) VALUES (\(batch.number), \(place), \(line))")
    }
  }

  static func batch(_ number: Int, in reader: Reader) throws -> Batch? {
    let lines = try reader.values("SELECT content FROM lines WHERE batch = \(number) ORDER BY place") { row in try row.text() }
    let found = try reader.count("SELECT count(*) FROM batches WHERE number = \(number)")
    return found == 0 ? nil : Batch(number: number, lines: lines)
  }

  /// The checksum of all lines, as the oracle computes it.
  static func content(in reader: Reader) throws -> Int64 {
    Batch.checksum(try reader.values("SELECT content FROM lines ORDER BY batch, place") { row in try row.text() })
  }
}

/// What one transaction writes.
struct Batch: Sendable {
  var number: Int
  var lines: [String]

  /// FNV-1a of the lines, in 62 bits.
  var checksum: Int64 { Self.checksum(lines) }

  static func checksum(_ lines: [String]) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for line in lines {
      for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0x0A) &* 0x100_0000_01b3
    }
    return Int64(hash >> 2)
  }

  init(number: Int, lines: [String]) {
    self.number = number
    self.lines = lines
  }

  /// Mostly small, some over many pages. `large`: more than SQLite's page cache holds, so that pages are spilled before the commit.
  init(number: Int, seed: UInt64, large: Bool = false) {
    var random = Chance(seed &* 1_000_003 &+ UInt64(number))
    let count = large ? 4_000 : random.below(12) == 0 ? 60 : 1 + random.below(6)
    self.init(
      number: number,
      lines: (0..<count).map { _ in
        let words = 3 + random.below(large ? 90 : 24)
        return random.words(words)
      })
  }
}

/// SplitMix64: the same numbers everywhere, so that one seed repeats a run.
struct Chance: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int(next() % UInt64(limit)) }
  mutating func percent(_ chance: Int) -> Bool { below(100) < chance }
  mutating func words(_ count: Int) -> String { (0..<count).map { _ in String(next() % 60_000, radix: 36) }.joined(separator: " ") }
  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
