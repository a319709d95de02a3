extension Reader {
  /// The records in which a full-text index finds every word of `text`, the best match first.
  ///
  /// `SearchText.query(_:prefix:)` splits the text into words. They match in any order, and each may be the beginning of a longer word. A
  /// text without words finds nothing.
  /// - Throws: `.misuse` when the index is missing, for example in a read-only store that lacks it.
  /// - Parameters:
  ///   - index: the name of a `SchemaDeclaration.fullText` of the record's table.
  ///   - limit: the most records to return; values below 1 count as 1.
  public func search<Record: StoredRecord>(_ type: Record.Type, in index: String, for text: String, limit: Int = 50) throws -> [Record] {
    guard let query = SearchText.query(text) else { return [] }
    let (table, index) = (quoted(Record.table), quoted(index))
    let columns = Record.columns.map { "\(table).\(quoted($0))" }.joined(separator: ", ")
    // CROSS JOIN keeps SQLite from beginning with the table.
    return try values(
      """
      SELECT \(raw: columns) FROM \(raw: index) CROSS JOIN \(raw: table) ON \(raw: table).rowid = \(raw: index).rowid
      WHERE \(raw: index) MATCH \(query) ORDER BY \(raw: index).rank LIMIT \(max(1, limit))
      """
    ) { row in try Record(row: &row) }
  }
}
