internal import Foundation
internal import Holdfast

/// A unique key of a synced table besides the one by which its rows sync.
struct UniqueRule {
  private(set) var columns: [(name: String, collation: String)] = []
  /// The condition of a partial index, as SQL.
  let condition: String?
  /// The columns that the condition can name.
  private let known: [String]

  /// All of a table, by the names of their indexes.
  ///
  /// - Throws: `.misuse` for an index of an expression or of a generated column, or with a condition on one, because the rows that clash
  ///   cannot be looked for.
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
      if rules.last?.index != index { rules.append((index, UniqueRule(condition: sql.map(Self.condition), known: known))) }
      rules[rules.count - 1].rule.columns.append((column, collation ?? "BINARY"))
    }
    for (index, rule) in rules {
      do {
        _ = try rule.applies(to: [:], of: table, in: reader)
      } catch {
        throw StoreError(
          .misuse, "the table \(table) cannot be synced: its unique index \(index) has a condition on a generated column", cause: error)
      }
    }
    return rules.map(\.rule)
  }

  /// What follows WHERE behind the list of columns.
  private static func condition(of sql: String) -> String {
    let end = sql.firstIndex(of: ")") ?? sql.startIndex
    let word = sql.range(of: "where", options: .caseInsensitive, range: end..<sql.endIndex)
    return word.map { String(sql[$0.upperBound...]) } ?? "true"
  }

  /// Whether a row with these values is in the index. A column without a value is NULL.
  private func applies(to values: [String: SQLValue], of table: String, in reader: Reader) throws -> Bool {
    guard let condition else { return true }
    let row = BoundSQL.joined(known.map { "\(values[$0] ?? .null) AS \(raw: quoted($0))" }, separator: ", ")
    return try reader.count("SELECT count(*) FROM (SELECT \(sql: row)) AS \(raw: quoted(table)) WHERE \(raw: condition)") > 0
  }

  /// The condition of the rows that a row with these values clashes with; nil where it clashes with none, whatever the table holds.
  func clashes(with values: [String: SQLValue], of table: String, in reader: Reader) throws -> BoundSQL? {
    let own = columns.map { (column: $0, value: values[$0.name] ?? .null) }
    guard own.allSatisfy({ $0.value != .null }) else { return nil }
    guard try applies(to: values, of: table, in: reader) else { return nil }
    let clashes = BoundSQL.joined(
      own.map { "\(raw: quoted($0.column.name)) = \($0.value) COLLATE \(raw: quoted($0.column.collation))" }, separator: " AND ")
    return condition.map { "\(sql: clashes) AND (\(raw: $0))" } ?? clashes
  }
}

extension Reader {
  /// What sync's statements say of conflicts in a table: ABORT, where its constraints say otherwise. Elsewhere nothing, because it would also
  /// count in the table's triggers, instead of what these say.
  func conflictRule(of table: String) throws -> String {
    try count("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = \(table) AND sql LIKE '%conflict%'") > 0 ? "OR ABORT" : ""
  }
}
