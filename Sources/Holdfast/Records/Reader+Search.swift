extension Reader {
  /// The records in which a declared full-text index finds every word of `text`, the best first.
  ///
  /// The words are cut by `SearchText.query(_:prefix:)`: in any order, the end of each may be missing. A text without a word finds nothing.
  /// - Throws: `.misuse` where there is no such index, as in a store that may only be read and lacks it.
  /// - Parameters:
  ///   - index: the name of a `SchemaDeclaration.fullText` of the record's table.
  ///   - limit: how many; values below 1 count as 1.
  public func search<Record: StoredRecord>(_ type: Record.Type, in index: String, for text: String, limit: Int = 50) throws -> [Record] {
    guard let query = SearchText.query(text) else { return [] }
    let (table, index) = (quoted(Record.table), quoted(index))
    let columns = Record.columns.map { "\(table).\(quoted($0))" }.joined(separator: ", ")
    // CROSS: SQLite must not begin with the table.
    return try values(
      """
      SELECT \(raw: columns) FROM \(raw: index) CROSS JOIN \(raw: table) ON \(raw: table).rowid = \(raw: index).rowid
      WHERE \(raw: index) MATCH \(query) ORDER BY \(raw: index).rank LIMIT \(max(1, limit))
      """
    ) { row in try Record(row: &row) }
  }
}
