internal import GRDB

/// Makes indexes once at the end of a large import, from sorted rows, instead of row by row, which changes pages all over them.
///
/// Inside the import's transaction, drops them, and makes them again with their own SQL at the end; a rollback restores them, too. Only for
/// tables without rows, and never for a unique index, which guards its rows.
package struct IndexPause {
  private let dropped: [String]

  /// - Parameter names: of indexes that no statement of the import needs. Others are passed over.
  package init(_ names: [String], in tx: Writer) throws {
    let db = tx.database
    var dropped: [String] = []
    for name in names {
      let found = try GRDB.Row.fetchOne(
        db,
        sql: """
          SELECT s.tbl_name, s.sql FROM sqlite_schema s JOIN pragma_index_list(s.tbl_name) i ON i.name = s.name
          WHERE s.type = 'index' AND s.name = ? AND NOT i."unique"
          """, arguments: [name])
      guard let table: String = found?["tbl_name"], let sql: String = found?["sql"],
        try Int.fetchOne(db, sql: "SELECT 1 FROM \(quoted(table)) LIMIT 1") == nil
      else { continue }
      try db.execute(sql: "DROP INDEX \(quoted(name))")
      dropped.append(sql)
    }
    self.dropped = dropped
  }

  /// Makes the indexes again.
  package func end(in tx: Writer) throws {
    for sql in dropped { try tx.database.execute(sql: sql) }
  }
}
