internal import Foundation
internal import Holdfast

/// A unique key of a synced table besides the one by which its rows sync.
struct UniqueRule {
  private(set) var columns: [(name: String, collation: String)] = []
  /// The condition of a partial index, as SQL.
  let condition: String?

  /// All of a table, by the names of their indexes.
  ///
  /// - Throws: `.misuse` for an index of an expression or of a generated column, because the rows that clash cannot be looked for.
  static func all(of table: String, columns known: [String], in reader: Reader) throws -> [UniqueRule] {
    var rules: [(index: String, rule: UniqueRule)] = []
    try reader.rows(
      """
      SELECT l.name, x.name, x.coll,
        CASE l.partial WHEN 1 THEN (SELECT s.sql FROM sqlite_schema s WHERE s.type = 'index' AND s.name = l.name) END
      FROM pragma_index_list(\(table)) l CROSS JOIN pragma_index_xinfo(l.name) x WHERE l."unique" AND x.key ORDER BY l.name, x.seqno
      """
    ) { row in
      let (index, column, collation, sql) = (try row.text(), try row.textOrNil(), try row.textOrNil(), try row.textOrNil())
      guard let column, known.contains(column) else {
        throw StoreError(.misuse, "the table \(table) cannot be synced: its unique index \(index) has an expression or a generated column")
      }
      if rules.last?.index != index { rules.append((index, UniqueRule(condition: sql.map(Self.condition)))) }
      rules[rules.count - 1].rule.columns.append((column, collation ?? "BINARY"))
    }
    return rules.map(\.rule)
  }

  /// What follows WHERE behind the list of columns.
  private static func condition(of sql: String) -> String {
    let end = sql.firstIndex(of: ")") ?? sql.startIndex
    let word = sql.range(of: "where", options: .caseInsensitive, range: end..<sql.endIndex)
    return word.map { String(sql[$0.upperBound...]) } ?? "true"
  }

  private init(condition: String?) { self.condition = condition }

  /// The condition of the rows that a row with these values clashes with; nil where it clashes with none, whatever the table holds.
  func clashes(with values: [String: SQLValue], of table: String, in reader: Reader) throws -> BoundSQL? {
    let own = columns.map { (column: $0, value: values[$0.name] ?? .null) }
    guard own.allSatisfy({ $0.value != .null }) else { return nil }
    var clashes = BoundSQL.joined(
      own.map { "\(raw: quoted($0.column.name)) = \($0.value) COLLATE \(raw: quoted($0.column.collation))" }, separator: " AND ")
    guard let condition else { return clashes }
    let row = BoundSQL.joined(values.sorted { $0.key < $1.key }.map { "\($1) AS \(raw: quoted($0))" }, separator: ", ")
    let applies = try reader.count("SELECT count(*) FROM (SELECT \(sql: row)) AS \(raw: quoted(table)) WHERE \(raw: condition)") > 0
    guard applies else { return nil }
    clashes = "\(sql: clashes) AND (\(raw: condition))"
    return clashes
  }
}
