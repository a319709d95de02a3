/// The statements of one record type. Their SQL is made once per connection and type.
final class RecordStatements {
  let selectByKey: Prepared
  let insert: Observed
  /// `insert` for a whole batch of rows.
  let insertMany: Observed
  /// The statements of `RecordSQL` with these names.
  let update: Observed?
  let insertMissing: Observed
  let keyCheck: Prepared
  /// Whether `keyCheck` was prepared.
  var keyIsUnique = false
  let delete: Observed
  /// Whether a debug build has compared what the record type binds with what it reads.
  var isCompared = false
  private let select: String
  private var selects: [SQLText: Prepared] = [:]

  init<Record: StoredRecord>(_ type: Record.Type) {
    let sql = RecordSQL(type)
    select = sql.select
    selectByKey = Prepared(sql.selectByKey)
    insert = Observed(sql.insert)
    insertMany = Observed(sql.insertMany)
    update = sql.update.map(Observed.init)
    insertMissing = Observed(sql.insertMissing)
    keyCheck = Prepared(sql.keyCheck)
    delete = Observed(sql.delete)
  }

  /// The SELECT with `condition`; all records when it is empty.
  func select(_ condition: String) -> Prepared {
    let key = SQLText(text: condition)
    if let prepared = selects[key] { return prepared }
    if selects.count >= Connection.keptTexts { selects.removeAll() }
    let prepared = Prepared(condition.isEmpty ? select : select + " " + condition)
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
