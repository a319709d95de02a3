internal import GRDB

/// Fills full-text indexes once at the end of a large import instead of row by row, which takes several times as long:
/// FTS5 writes its index out at every statement of a transaction that fires a trigger.
///
/// Inside the import's own transaction the triggers that feed an index are dropped, and made again with their own text; a
/// rollback brings them back too. Only for indexes that were empty and whose text is in another table: one that keeps its text
/// itself could not be built again.
struct SearchPause {
  private let tables: [String]
  private let triggers: [String]

  init(in tx: Transaction) throws {
    let db = tx.database
    let names = try db.fullTextTables().filter { try Self.hasTextElsewhere($0, db) }
    var dropped: [String] = []
    var paused: [String] = []
    for table in names where try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 FROM \"\(table)\" LIMIT 1)") == 0 {
      let feeding = try GRDB.Row.fetchAll(
        db, sql: "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND instr(sql, 'INSERT INTO ' || ?) > 0", arguments: [table])
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

  private static func hasTextElsewhere(_ table: String, _ db: Database) throws -> Bool {
    let sql = try String.fetchOne(db, sql: "SELECT sql FROM sqlite_schema WHERE name = ?", arguments: [table]) ?? ""
    let words = sql.lowercased().filter { !$0.isWhitespace }
    return words.contains("content=") && !words.contains("content=''") && !words.contains("content=\"\"")
  }

  /// Builds the indexes from the text that is there now, and puts the triggers back.
  func end(in tx: Transaction) throws {
    for table in tables { try tx.database.execute(sql: "INSERT INTO \"\(table)\" (\"\(table)\") VALUES ('rebuild')") }
    for sql in triggers { try tx.database.execute(sql: sql) }
  }
}
