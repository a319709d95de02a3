import Foundation
internal import GRDB
internal import GRDBSQLite

/// The marks that show which log belongs to which state of a store's file.
///
/// The first transaction of a log that changes a row writes a new random mark over the mark of the log before; the second one does, where
/// the connection learns only later that its transaction began a log. A transaction that changes no row, also one of DDL alone, leaves the
/// mark to the next. After the replay of its own log, a file has the same mark as before, or a new mark with the old one as predecessor.
/// Any other log belongs to another store, or to an earlier or later time than the file.
///
/// At most one mark is written in one log: only by the connection whose own transaction began the log, and only when no other connection
/// has committed since. A log without a mark leaves the file's mark as it is, and is trusted. A snapshot has a mark of its own, which no
/// log follows.
struct LogLine: Equatable {
  var store: String
  var mark: String
  var previous: String?

  static let table = """
    CREATE TABLE IF NOT EXISTS holdfast_store (
      place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1), id TEXT NOT NULL, log_mark TEXT NOT NULL, previous_log_mark TEXT,
      bookkeeping_sha256 TEXT) STRICT;
    """
  static let newMark = "lower(hex(randomblob(8)))"
  /// Runs once, for a new store.
  static let begin = """
    INSERT INTO holdfast_store (place, id, log_mark) VALUES (1, lower(hex(randomblob(16))), \(newMark)) ON CONFLICT (place) DO NOTHING
    """
  static let markNewLog = "UPDATE holdfast_store SET previous_log_mark = log_mark, log_mark = \(newMark) WHERE place = 1"

  /// Whether the file holds a store. Call with the write lock held.
  static func canBeMarked(_ db: Database) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema WHERE name = 'holdfast_store'") != nil
  }

  /// The line in the file; nil where the row is missing. Throws when the file cannot be read, or holds no store.
  static func stored(_ connection: RawConnection) throws -> LogLine? {
    guard let row = try connection.texts("SELECT id, log_mark, previous_log_mark FROM holdfast_store WHERE place = 1").first,
      let store = row[0], let mark = row[1]
    else { return nil }
    return LogLine(store: store, mark: mark, previous: row[2])
  }

  /// Whether a log that ends at this line begins at `file`.
  func follows(_ file: LogLine) -> Bool { store == file.store && (mark == file.mark || previous == file.mark) }
}

extension LogLine {
  /// Gives a copy of a store this line.
  func save(in connection: RawConnection) throws {
    let previous = previous.map(literal) ?? "NULL"
    try connection.run(
      """
      UPDATE holdfast_store SET id = \(literal(store)), log_mark = \(literal(mark)), previous_log_mark = \(previous)
      WHERE place = 1
      """)
  }
}
