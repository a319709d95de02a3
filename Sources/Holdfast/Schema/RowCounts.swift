import Foundation

/// The ordinary tables of a database, without virtual tables, their shadow tables, and SQLite's own tables.
func ordinaryTables(_ query: TextQuery) throws -> [String] {
  try query(
    """
    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY name
    """
  ).compactMap { $0.first ?? nil }
}

/// The number of rows of each ordinary table.
func rowCounts(_ query: TextQuery) throws -> [String: Int] {
  var counts: [String: Int] = [:]
  for table in try ordinaryTables(query) {
    counts[table] = try query("SELECT count(*) FROM \(quoted(table))").first?.first?.flatMap { Int($0) } ?? 0
  }
  return counts
}
