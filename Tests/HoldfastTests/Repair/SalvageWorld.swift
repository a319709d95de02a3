import Foundation
import HoldfastTesting

@testable import Holdfast

/// Stores that are damaged, and how many of their rows come back.
enum SalvageWorld {
  /// One of them was never used while the salvage was written.
  static let schemas: [StoreSchema] = [notes, shop, unseen]

  static let notes = StoreSchema(
    "notes",
    sql: """
      CREATE TABLE notes (rowid INTEGER NOT NULL PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, title TEXT NOT NULL, body TEXT NOT NULL,
        number INTEGER, time REAL) STRICT;
      CREATE INDEX notes_by_number ON notes (number);
      CREATE TABLE tags (name TEXT NOT NULL PRIMARY KEY, color INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE note_tags (note INTEGER NOT NULL REFERENCES notes(rowid) ON DELETE CASCADE, tag TEXT NOT NULL, place INTEGER NOT NULL,
        PRIMARY KEY (note, tag)) STRICT, WITHOUT ROWID;
      CREATE TABLE files (id INTEGER NOT NULL PRIMARY KEY, note INTEGER NOT NULL REFERENCES notes(rowid), content BLOB NOT NULL) STRICT;
      """, declarations: [.fullText("notes_search", of: "notes", ["title", "body"])])

  static let shop = StoreSchema(
    "shop",
    migrations: [
      Migration(
        "shop/001",
        sql: """
          CREATE TABLE customers (id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(40), mail TEXT, since DOUBLE);
          CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT NOT NULL, color TEXT);
          CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT NOT NULL, color TEXT);
          CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY, customer INTEGER REFERENCES customers(id), total REAL, lines INTEGER,
            net REAL GENERATED ALWAYS AS (total * 0.8) STORED, note);
          CREATE INDEX orders_by_customer ON orders (customer, total);
          """),
      Migration("shop/002", sql: "ALTER TABLE customers ADD COLUMN points INTEGER NOT NULL DEFAULT 7"),
    ])

  static let unseen = StoreSchema(
    "unseen",
    sql: """
      CREATE TABLE sessions (id TEXT NOT NULL PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER, device TEXT) STRICT;
      CREATE TABLE samples (session TEXT NOT NULL REFERENCES sessions(id), at INTEGER NOT NULL, x REAL NOT NULL, y REAL NOT NULL,
        quality INTEGER, PRIMARY KEY (session, at)) STRICT;
      CREATE TABLE settings (key TEXT NOT NULL PRIMARY KEY, value ANY) STRICT;
      CREATE UNIQUE INDEX sessions_by_start ON sessions (started);
      """)

  /// - Parameter scale: 1 makes a file of about 300 KB.
  static func fill(_ store: Store, _ schema: StoreSchema, scale: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func words(_ count: Int) -> String {
      (0..<count).map { _ in String(UInt32.random(in: 0..<60_000, using: &random), radix: 36) }.joined(separator: " ")
    }
    func text(_ bytes: Int) -> String { String((0..<bytes).map { _ in "0123456789abcdef".randomElement(using: &random) ?? "0" }) }
    try store.write { tx in
      switch schema.name {
      case "notes":
        for tag in 0..<40 { try tx.execute("INSERT INTO tags VALUES (\("tag\(tag)"), \(tag))") }
        for id in 1...700 * scale {
          let (number, time) = (Int.random(in: 0..<1_000_000, using: &random), Double.random(in: 0..<1e9, using: &random))
          try tx.execute("INSERT INTO notes VALUES (\(id * 3), \(text(32)), \(words(4)), \(words(10 + id % 40)), \(number), \(time))")
          for tag in Set([id % 40, id % 7]) { try tx.execute("INSERT INTO note_tags VALUES (\(id * 3), \("tag\(tag)"), \(id))") }
          guard id.isMultiple(of: 14) else { continue }
          let content = Data((0..<Int.random(in: 100..<9_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
          try tx.execute("INSERT INTO files VALUES (\(id), \(id * 3), \(content))")
        }
      case "shop":
        for id in 1...500 * scale {
          try tx.execute("INSERT INTO customers (name, mail, since) VALUES (\(words(2)), \(words(3)), \(Double(id)))")
          if id <= 60 {
            try tx.execute("INSERT INTO labels VALUES (\(id), \(words(2)), \(words(1)))")
            try tx.execute("INSERT INTO groups VALUES (\(id), \(words(1)), NULL)")
          }
          for _ in 0..<3 {
            let total = Double(Int.random(in: 1..<9_999, using: &random)) / 4
            try tx.execute(
              "INSERT INTO orders (id, customer, total, lines, note) VALUES (\(text(20)), \(id), \(total), \(id % 9), \(words(id % 12)))")
          }
        }
      default:
        for id in 1...40 * scale {
          let session = text(32)
          let device: String? = id.isMultiple(of: 3) ? nil : words(2)
          try tx.execute("INSERT INTO sessions VALUES (\(session), \(id * 1_000), \(id * 1_000 + 7), \(device))")
          for at in 0..<90 {
            let (x, y) = (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
            try tx.execute("INSERT INTO samples VALUES (\(session), \(at), \(x), \(y), \(at % 3))")
          }
        }
        try tx.execute("INSERT INTO settings VALUES ('theme', 'dark'), ('size', 12), ('ratio', 0.5)")
      }
    }
  }

  /// Every row of the app's tables, as text, with how often it is there.
  static func rows(_ file: URL, key: StoreKey? = nil) throws -> [String: Int] {
    let connection = try ConnectionFactory(file.path, .production(key)).still()
    var rows: [String: Int] = [:]
    let tables = [
      "notes", "tags", "note_tags", "files", "customers", "labels", "groups", "orders", "sessions", "samples", "settings",
      "towns", "visits", "entries",
    ]
    for table in tables {
      guard try !connection.texts("SELECT 1 FROM sqlite_schema WHERE name = '\(table)'").isEmpty else { continue }
      let columns = try connection.texts("SELECT name FROM pragma_table_xinfo('\(table)')").compactMap { $0[0] }
      let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || '|' || ")
      do {
        for row in try connection.texts("SELECT \(list) FROM \(table)") { rows["\(table) \(row[0] ?? "")", default: 0] += 1 }
      } catch let error as StoreError where error.code == .damaged {
        continue
      }
    }
    return rows
  }

  enum Damage: String, CaseIterable, Sendable {
    case zeroedPages, manyZeroedPages, flippedBits, randomSectors, truncated, misdirected, noFirstPage, randomHeader

    /// - Parameter count: how many in the short run.
    func seeds(_ count: UInt64, long: UInt64 = 200) -> Range<UInt64> {
      switch self {
      // The same bytes with each seed.
      case .truncated, .noFirstPage: 0..<1
      default: 0..<(ProofRun.isLong ? long : count)
      }
    }
  }

  static func damage(_ file: URL, _ kind: Damage, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = [UInt8](try Data(contentsOf: file))
    let (size, count) = (4_096, bytes.count / 4_096)
    func fill(_ start: Int, _ length: Int, _ byte: () -> UInt8) { for place in start..<start + length { bytes[place] = byte() } }
    func pages(_ part: Int) -> [Int] { Array((1..<count).shuffled(using: &random).prefix(max(1, count / part))) }
    switch kind {
    case .zeroedPages: for page in pages(100) { fill(page * size, size) { 0 } }
    case .manyZeroedPages: for page in pages(10) { fill(page * size, size) { 0 } }
    case .flippedBits:
      for _ in 0..<10 { bytes[Int.random(in: size..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case .randomSectors:
      for _ in 0..<6 {
        fill(Int.random(in: 8..<bytes.count / 512, using: &random) * 512, 512) { UInt8.random(in: 0...255, using: &random) }
      }
    case .truncated: bytes.removeLast((count - count * 7 / 10) * size)
    case .misdirected:
      for page in pages(50) {
        let other = Int.random(in: 1..<count, using: &random) * size
        for place in 0..<size { bytes[page * size + place] = bytes[other + place] }
      }
    case .noFirstPage: fill(0, size) { 0 }
    case .randomHeader: fill(0, 100) { UInt8.random(in: 0...255, using: &random) }
    }
    try Data(bytes).write(to: file)
  }

  /// Overwrites every eighth page but the first ones with zeros, while a store may have the file open.
  static func damageInPlace(_ file: URL, fromPage first: UInt64? = nil, with byte: UInt8 = 0) throws {
    let handle = try FileHandle(forUpdating: file)
    let count = try handle.seekToEnd() / 4_096
    for page in stride(from: first ?? 8, to: count, by: 8) {
      try handle.seek(toOffset: page * 4_096)
      try handle.write(contentsOf: Data(repeating: byte, count: 4_096))
    }
  }

  /// The pages whose bytes changed: how many rows stood on them, and how many others there are.
  static func lost(_ sound: URL, _ damaged: URL) throws -> (rows: Int, pages: Int) {
    let (before, after) = (try Data(contentsOf: sound), try Data(contentsOf: damaged))
    let file = try DamagedFile(sound, log: sound.appendingPathExtension("none"), guess: 4_096, nil)
    var lost = (rows: 0, pages: 0)
    for number in 1...file.pageCount {
      let place = (number - 1) * 4_096..<number * 4_096
      if place.upperBound <= after.count, before[place] == after[place] { continue }
      if number > 1, let page = RawPage(number, of: file) { lost.rows += page.rows(of: file).rows.count } else { lost.pages += 1 }
    }
    return lost
  }
}
