import Foundation
import Holdfast

/// A schema with what few apps use. The salvage was never tuned with it. Without computed columns and without keys
/// `INTEGER PRIMARY KEY DESC`: `.recover` stops at the former and gives the latter wrong numbers, so that little would be left to compare with.
enum OddLibrary {
  static let schema = LibrarySchema(
    "odd",
    migrations: [
      Migration(
        "odd/001",
        sql: """
          CREATE TABLE stations (code TEXT NOT NULL PRIMARY KEY, depth INTEGER NOT NULL, photo BLOB) WITHOUT ROWID;
          CREATE TABLE readings (
            station TEXT NOT NULL REFERENCES stations(code), at INTEGER NOT NULL, sensor INTEGER NOT NULL, value REAL, raw ANY,
            PRIMARY KEY (station, at DESC, sensor)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE "log book" (
            rowid INTEGER PRIMARY KEY, "the ""entry" TEXT NOT NULL, mood INT, weight NUMERIC, serial TEXT, station TEXT REFERENCES stations
          );
          CREATE UNIQUE INDEX log_by_serial ON "log book" (serial DESC);
          CREATE INDEX log_by_length ON "log book" (length("the ""entry")) WHERE mood < 0;
          CREATE TABLE ledger (
            id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, note TEXT COLLATE NOCASE, ratio REAL
          );
          CREATE TABLE pieces (a, b, c BLOB);
          CREATE TABLE unused (name TEXT NOT NULL PRIMARY KEY, size INTEGER) STRICT;
          """)
    ])

  static func fill(_ part: Int, seed: UInt64, in tx: LibraryTransaction) throws {
    var random = Chance(seed &* 7_919 &+ UInt64(part))
    func words(_ count: Int) -> String { random.words(count) }
    func bytes(_ count: Int) -> Data { Data(random.bytes(count)) }
    var codes: [String] = []
    for number in 0..<4 {
      let code = String(random.next(), radix: 36)
      codes.append(code)
      let photo: Data? = number == 0 ? bytes(500 + random.below(5_000)) : number == 1 ? nil : bytes(random.below(60))
      _ = try tx.execute("INSERT INTO stations VALUES (\(code), \(-random.below(11_000)), \(photo))")
      for at in 0..<25 {
        let raw: SQLValue = at % 3 == 0 ? .text(words(2)) : at % 3 == 1 ? .integer(Int64(bitPattern: random.next())) : .blob(bytes(6))
        let value: Double? = at % 5 == 0 ? nil : Double(random.below(1_000)) / 8
        _ = try tx.execute("INSERT INTO readings VALUES (\(code), \(part * 100 - at), \(at % 4), \(value), \(raw))")
      }
    }
    for number in 0..<22 {
      let id = (part * 22 + number) * (number.isMultiple(of: 2) ? -3 : 5) - 1
      let entry = number == 7 ? words(900 + random.below(3_000)) : words(6 + random.below(20))
      let serial: String? = number.isMultiple(of: 9) ? nil : String(format: "%05d-%d", part, number)
      _ = try tx.execute(
        """
        INSERT INTO "log book" VALUES (\(id), \(entry), \(random.below(9) - 4), \(Double(random.below(40)) / 2), \(serial), \(codes[number % 4]))
        """)
    }
    for number in 0..<40 {
      _ = try tx.execute(
        "INSERT INTO ledger (id, amount, note, ratio) VALUES (\(part * 40 + number), \(random.below(9_999_999) - 5_000_000), \(words(2)), 2)"
      )
    }
    for number in 0..<12 {
      let mixed: SQLValue = number % 2 == 0 ? .integer(Int64(-number)) : .real(-0.5)
      _ = try tx.execute("INSERT INTO pieces VALUES (\(mixed), \(words(1 + number)), \(bytes(40)))")
    }
    // Pages and places that deleted rows leave behind.
    if part % 5 == 4 { _ = try tx.execute("DELETE FROM \"log book\" WHERE rowid % 11 = 0") }
    if part % 5 == 2 { _ = try tx.execute("DELETE FROM pieces WHERE rowid % 3 = 0 AND rowid < \(part * 6)") }
  }
}
