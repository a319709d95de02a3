import Foundation

/// One table in two files: as `main`, the older state, called `o` in SQL; and as `other`, the newer state, called `n`.
struct TablePair {
  let old: TableShape?
  let new: TableShape?
  /// The columns that identify a row in both files. Nil where they differ, or where only one file has the table.
  private let key: [String]?

  var name: String { new?.name ?? old?.name ?? "" }

  init(_ old: TableShape?, _ new: TableShape?, _ connection: RawConnection) throws {
    (self.old, self.new) = (old, new)
    guard let old, let new else {
      key = nil
      return
    }
    var keys = (old.key, new.key)
    // Two rows whose keys have a NULL are not one row. SQLite keeps NULL out of the other keys.
    if old.rowID != nil, new.rowID != nil, try Self.hasNull(old, "main", connection) || Self.hasNull(new, "other", connection) {
      keys = ([], [])
    }
    if keys == ([], []) { keys = (old.identity, new.identity) }
    key = keys.0 == keys.1 && !keys.0.isEmpty ? keys.0 : nil
  }

  private static func hasNull(_ table: TableShape, _ schema: String, _ connection: RawConnection) throws -> Bool {
    guard !table.key.isEmpty else { return false }
    let isNull = table.key.map { "\(quoted($0)) IS NULL" }.joined(separator: " OR ")
    return try connection.texts("SELECT 1 FROM \(schema).\(quoted(table.name)) WHERE \(isNull) LIMIT 1").isEmpty == false
  }

  /// The part of a SELECT from its FROM on. Nil: the table cannot have such rows.
  func source(of kind: RowDifference.Kind) -> String? {
    let main = old.map { "main.\(quoted($0.name)) AS o" }
    let other = new.map { "other.\(quoted($0.name)) AS n" }
    let match = key?.map { "n.\(quoted($0)) IS o.\(quoted($0))" }.joined(separator: " AND ")
    if kind == .changed {
      guard let main, let other, let match, let differs else { return nil }
      return "FROM \(other) CROSS JOIN \(main) ON \(match) WHERE (\(differs))"
    }
    let (with, without) = kind == .removed ? (main, other) : (other, main)
    guard let with else { return nil }
    guard let without, let match else { return "FROM \(with)" }
    return "FROM \(with) WHERE NOT EXISTS (SELECT 1 FROM \(without) WHERE \(match))"
  }

  private var differs: String? {
    guard let old, let new else { return nil }
    let parts = new.columns.filter(old.columns.contains).map { name in
      let column = quoted(name)
      return "n.\(column) IS NOT o.\(column) COLLATE BINARY OR typeof(n.\(column)) <> typeof(o.\(column))"
    }
    let added = new.columns.filter { !old.columns.contains($0) }.map { "n.\(quoted($0)) IS NOT NULL" }
    let removed = old.columns.filter { !new.columns.contains($0) }.map { "o.\(quoted($0)) IS NOT NULL" }
    let all = parts + added + removed
    return all.isEmpty ? nil : all.joined(separator: " OR ")
  }

  /// The rows of one kind, in the order of their keys.
  func rows(of kind: RowDifference.Kind, limit: Int, on connection: RawConnection) throws -> [RowDifference] {
    // The key of the rows, in the file that has them.
    let key = key ?? (kind == .removed ? old : new)?.identity ?? []
    guard let source = source(of: kind), !key.isEmpty else { return [] }
    let file = kind == .removed ? "o" : "n"
    let before = kind == .added ? [] : old?.columns ?? []
    let after = kind == .removed ? [] : new?.columns ?? []
    let ordered = key.map { "\(file).\(quoted($0))" }.joined(separator: ", ")
    // Bytes are measured where they are, because they may be large.
    let shown = (before.map { "o.\(quoted($0))" } + after.map { "n.\(quoted($0))" }).map { column in
      "typeof(\(column)), CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) ELSE \(column) END"
    }
    let selected = ([ordered] + shown).joined(separator: ", ")
    return try connection.values("SELECT \(raw: selected) \(raw: source) ORDER BY \(raw: ordered) LIMIT \(limit)") { row in
      let named = try key.map { name in (name, Self.shown("", try row.value())) }
      let old = try Self.shown(before, &row)
      let new = try Self.shown(after, &row)
      return RowDifference(
        kind: kind, key: Dictionary(named, uniquingKeysWith: { first, _ in first }), before: kind == .added ? nil : old,
        after: kind == .removed ? nil : new)
    }
  }

  private static func shown(_ columns: [String], _ row: inout StoredRow) throws -> [String: JSONValue] {
    var shown: [String: JSONValue] = [:]
    for column in columns {
      let type = try row.text()
      shown[column] = Self.shown(type, (try? row.value()) ?? .text("text that is not UTF-8"))
    }
    return shown
  }

  /// A value as people read it.
  static func shown(_ type: String, _ value: SQLValue) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let number): type == "blob" ? .object(["bytes": .integer(number)]) : .integer(number)
    // JSON has no infinity.
    case .real(let number): number.isFinite ? .double(number) : .string("\(number)")
    case .text(let text): .string(text)
    case .blob(let bytes): .object(["bytes": .integer(Int64(bytes.count))])
    }
  }
}
