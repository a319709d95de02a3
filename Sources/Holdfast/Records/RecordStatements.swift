/// The statements of one record type. Their SQL is made once per connection and type.
final class RecordStatements {
  /// The SQL of a SELECT of all records.
  let selectAll: String
  let selectByKey: Prepared
  let insert: Observed
  /// `insert` for a whole batch of rows.
  let insertMany: Observed
  /// Nil where no column may change, or the columns lack a part of the key. Its values are those of `insert`, by their numbers.
  let update: Observed?
  /// Inserts a row that `update` did not find; without `update` it does the whole upsert.
  let insertMissing: Observed
  /// SQLite refuses to prepare this statement, unless the key is unique in the table. It never runs.
  let keyCheck: Prepared
  /// Whether `keyCheck` was prepared.
  var keyIsUnique = false
  let delete: Observed
  /// Whether a debug build has compared what the record type binds with what it reads.
  var isCompared = false
  private var selects: [SQLText: Prepared] = [:]

  init<Record: StoredRecord>(_ type: Record.Type) {
    let table = ColumnName.sql(type.table)
    let columns = type.columns.map(ColumnName.sql).joined(separator: ", ")
    let marks = type.columns.map { _ in "?" }.joined(separator: ", ")
    let keyed = type.key.map { "\(ColumnName.sql($0)) = ?" }.joined(separator: " AND ")
    let select = "SELECT \(columns) FROM \(table)"
    selectAll = select
    selectByKey = Prepared("\(select) WHERE \(keyed)")
    let insert = "INSERT INTO \(table) (\(columns)) VALUES (\(marks))"
    self.insert = Observed(insert)
    insertMany = Observed(insert + String(repeating: ", (\(marks))", count: RecordStatements.batch(type) - 1))
    let numbered = type.columns.enumerated().map {
      (name: ColumnName.sql($1), mark: "?\($0 + 1)", isKey: type.key.contains($1), isKept: type.insertOnly.contains($1))
    }
    let changed = numbered.filter { !$0.isKey && !$0.isKept }
    let key = numbered.filter(\.isKey).map { "\($0.name) = \($0.mark)" }
    // A value that is not written is named, too: SQLite refuses to bind a number above the last one of the statement.
    let kept = numbered.filter { !$0.isKey && $0.isKept }.map { "(\($0.mark) IS NULL OR TRUE)" }
    let conflict = insert + " ON CONFLICT (\(type.key.map(ColumnName.sql).joined(separator: ", "))) DO "
    let hasKey = !type.key.isEmpty && type.key.allSatisfy(type.columns.contains)
    if changed.isEmpty || !hasKey {
      update = nil
      let excluded = changed.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
      insertMissing = Observed(conflict + (changed.isEmpty ? "NOTHING" : "UPDATE SET \(excluded)"))
    } else {
      let set = changed.map { "\($0.name) = \($0.mark)" }.joined(separator: ", ")
      update = Observed("UPDATE \(table) SET \(set) WHERE \((key + kept).joined(separator: " AND "))")
      insertMissing = Observed(insert)
    }
    keyCheck = Prepared(conflict + "NOTHING")
    delete = Observed("DELETE FROM \(table) WHERE \(keyed)")
  }

  /// Rows per statement. SQLite's oldest configurations bind at most 999 values.
  static func batch<Record: StoredRecord>(_ type: Record.Type) -> Int { min(50, max(1, 999 / max(1, type.columns.count))) }

  /// The SELECT with `condition`; all records when it is empty.
  func select(_ condition: String) -> Prepared {
    let key = SQLText(text: condition)
    if let prepared = selects[key] { return prepared }
    if selects.count >= Connection.keptTexts { selects.removeAll() }
    let prepared = Prepared(condition.isEmpty ? selectAll : selectAll + " " + condition)
    selects[key] = prepared
    return prepared
  }

  func finalize() {
    selectByKey.finalize()
    keyCheck.finalize()
    for observed in [insert, insertMany, insertMissing, delete] + [update].compactMap(\.self) { observed.spare = Spare() }
    for prepared in selects.values { prepared.finalize() }
    selects.removeAll()
  }
}
