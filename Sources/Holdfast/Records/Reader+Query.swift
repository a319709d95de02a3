internal import CHoldfast
internal import GRDBSQLite

/// What the rows of a statement hold, and which tables the statement reads.
package struct QueryOutline: Sendable, Equatable {
  package struct Column: Sendable, Equatable {
    /// The name that the statement gives the column.
    package let name: String
    /// The table and its column from which the value comes unchanged. Nil for an expression, and where SQLite does not tell.
    package let table: String?
    package let column: String?
  }

  /// Empty for a statement that has no rows.
  package let columns: [Column]
  /// Also those below a view or behind a virtual table (see `VirtualContent`), as the schema spells them, by name.
  package let tables: [String]
}

extension Reader {
  /// Compiles one statement, and runs nothing of it.
  ///
  /// - Throws: `.readOnly` for a statement that would write; `.misuse` for a text that is not one statement, or that SQLite does not
  ///   understand, and for a statement that begins or ends a transaction.
  package func outline(of sql: String) throws -> QueryOutline {
    try check()
    let prepared = Prepared(sql)
    if prepared.controlsTransaction { throw StoreError(.misuse, "the statement would begin or end a transaction: \(sql)") }
    let columns = try connection.with(prepared) { statement in
      guard sqlite3_stmt_readonly(statement) != 0 else {
        throw StoreError(.readOnly, "the statement would write, and this only reads; it did not run: \(sql)")
      }
      return (0..<sqlite3_column_count(statement)).map { place in
        QueryOutline.Column(
          name: sqlite3_column_name(statement, place).map { String(cString: $0) } ?? "",
          table: holdfast_origin(statement, place, 0).map { String(cString: $0) },
          column: holdfast_origin(statement, place, 1).map { String(cString: $0) })
      }
    }
    // What has no rows reads nothing.
    guard !columns.isEmpty else { return QueryOutline(columns: [], tables: []) }
    let tables = try TableCollector.tables(of: sql, database).keys.sorted()
    return QueryOutline(columns: columns, tables: try VirtualContent(database.texts).tables(with: tables))
  }
}
