import Foundation
internal import GRDB

/// Fills full-text indexes once at the end of a large import. Filling them row by row takes several times as long, because FTS5 writes its
/// index out at every statement of a transaction that fires a trigger.
///
/// Inside the import's transaction, drops the triggers that feed an index, and makes them again with their own SQL at the end; a rollback
/// restores them, too. Only for indexes that are empty, whose text is in another table (an index that stores its own text cannot be
/// rebuilt), and whose triggers do nothing else: any other effect must happen row by row.
package struct SearchPause {
  private let tables: [String]
  private let triggers: [String]

  package init(in tx: Writer) throws {
    let db = tx.database
    let names = try db.searchIndexes().filter(\.hasTextElsewhere).map(\.name)
    var dropped: [String] = []
    var paused: [String] = []
    for table in names where try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 FROM \"\(table)\" LIMIT 1)") == 0 {
      let feeding = try GRDB.Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").filter { row in
        Self.words(row["sql"] ?? "").contains(table.lowercased())
      }
      guard feeding.allSatisfy({ Self.onlyFeeds(table, $0["sql"] ?? "") }) else { continue }
      for row in feeding {
        guard let name: String = row["name"], let sql: String = row["sql"] else { continue }
        try db.execute(sql: "DROP TRIGGER \"\(name)\"")
        dropped.append(sql)
      }
      paused.append(table)
    }
    tables = paused
    triggers = dropped
  }

  /// Whether every statement of a trigger writes into this index. False when the SQL cannot be split at its semicolons.
  private static func onlyFeeds(_ table: String, _ trigger: String) -> Bool {
    guard let begin = trigger.range(of: #"\bBEGIN\b"#, options: [.regularExpression, .caseInsensitive]),
      let end = trigger.range(of: "END", options: [.backwards, .caseInsensitive]), begin.upperBound <= end.lowerBound
    else { return false }
    let statements = trigger[begin.upperBound..<end.lowerBound].split(separator: ";").map { words(String($0)) }.filter { !$0.isEmpty }
    return statements.allSatisfy { $0.starts(with: ["insert", "into", table.lowercased()]) }
  }

  private static func words(_ sql: String) -> [String] {
    sql.lowercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
  }

  /// Rebuilds the indexes from the present text, and makes the triggers again.
  package func end(in tx: Writer) throws {
    for table in tables { try tx.database.execute(sql: "INSERT INTO \"\(table)\" (\"\(table)\") VALUES ('rebuild')") }
    for sql in triggers { try tx.database.execute(sql: sql) }
  }
}

extension Writer {
  /// Sets how much of the file this connection keeps in memory, in KiB.
  package func setCacheSize(kibibytes: Int) throws { try database.execute(sql: "PRAGMA cache_size = -\(kibibytes)") }
}
