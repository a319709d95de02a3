internal import GRDB

/// Fills full-text indexes once at the end of a large import. Filling them row by row takes several times as long, because FTS5 writes its
/// index out at every statement of a transaction that fires a trigger.
///
/// Inside the import's transaction, drops the triggers that feed an index, and makes them again with their own SQL at the end; a rollback
/// restores them, too. Only for indexes that are empty, whose text is in another table (an index that stores its own text cannot be
/// rebuilt), and whose triggers do nothing else: any other effect must happen row by row.
package struct SearchPause {
  private let indexes: [SearchIndex]
  private let triggers: [String]

  package init(in tx: Writer) throws {
    let db = tx.database
    var (indexes, dropped): ([SearchIndex], [String]) = ([], [])
    for index in try SearchIndex.all(db.texts) where index.hasTextElsewhere {
      guard try Int.fetchOne(db, sql: "SELECT 1 FROM \(quoted(index.name)) LIMIT 1") == nil else { continue }
      let name = index.name.lowercased()
      let triggers = try db.texts("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
      let feeding = triggers.filter { SQLTokens.of($0[1] ?? "").contains(name) }
      guard feeding.allSatisfy({ Self.onlyFeeds(name, SQLTokens.of($0[1] ?? "")) }) else { continue }
      for row in feeding {
        guard let trigger = row[0], let sql = row[1] else { continue }
        try db.execute(sql: "DROP TRIGGER \(quoted(trigger))")
        dropped.append(sql)
      }
      indexes.append(index)
    }
    self.indexes = indexes
    triggers = dropped
  }

  /// Whether every statement of a trigger writes into this index.
  private static func onlyFeeds(_ index: String, _ trigger: [String]) -> Bool {
    guard let begin = trigger.firstIndex(of: "begin"), let end = trigger.lastIndex(of: "end"), begin < end else { return false }
    return trigger[(begin + 1)..<end].split(separator: ";").allSatisfy { $0.starts(with: ["insert", "into", index]) }
  }

  /// Rebuilds the indexes from the present text, and makes the triggers again.
  package func end(in tx: Writer) throws {
    for sql in indexes.map(\.filling) + triggers { try tx.database.execute(sql: sql) }
  }
}

extension Writer {
  /// Sets how much of the file this connection keeps in memory, in KiB.
  package func setCacheSize(kibibytes: Int) throws { try database.execute(sql: "PRAGMA cache_size = -\(kibibytes)") }
}
