extension Reader {
  /// How SQLite would run one statement. Its parameters need no values.
  ///
  /// - Throws: `.misuse` for a text that is not one statement, or that SQLite does not understand.
  package func statementPlan(_ sql: String) throws -> StatementPlan {
    try check()
    // Compiles the statement alone, so that an error tells the text as it was given.
    try connection.with(Prepared(sql)) { _ in }
    return try StatementPlan(sql, on: connection.handle)
  }

  /// The lines of EXPLAIN QUERY PLAN for a statement. Its parameters need no values.
  package func queryPlan(_ sql: String) throws -> [String] {
    try check()
    try connection.with(Prepared(sql)) { _ in }
    return try RawConnection.texts("EXPLAIN QUERY PLAN " + sql, on: connection.handle).map { ($0.last ?? nil) ?? "" }
  }
}
