extension Writer {
  /// Brings one row back to its state after an entry. Returns whether anything changed.
  func revert(_ table: AuditedTable, id: String, to entry: Int64) throws -> Bool {
    let history = try history(of: table.name, id: id)
    guard let target = history.first(where: { $0.id == entry && $0.row == id }) else {
      throw StoreError(.notFound, "the history of \(id) in \(table.name) has no entry \(entry)")
    }
    let later = history.filter { $0.id > entry }
    guard !later.contains(where: { $0.operation == .base }) else {
      throw StoreError(
        .misuse, "the audit of \(table.name) began anew after the entry \(entry): a migration may have changed the row meanwhile",
        suggestion: "Use `bringBack` or `rewind`, if the store has an archive.")
    }
    guard let shape = try TableShape.all(database.texts)[table.name.lowercased()] else {
      throw StoreError(.misuse, "there is no table \(table.name)")
    }
    let values = target.after.isEmpty ? target.before : target.after
    let key = table.key.compactMap { values[$0] }
    guard key.count == table.key.count else { throw StoreError(.notFound, "the entry \(entry) does not tell the key of \(id)") }
    let (name, condition) = (BoundSQL.names([shape.name]), BoundSQL.match(table.key, key))
    let columns = shape.columns.filter { !table.unaudited.contains($0) }
    let present = try value("SELECT \(sql: .names(columns)) FROM \(sql: name) WHERE \(sql: condition)") { try $0.values(of: columns) }
    var state = present
    for change in later.reversed() {
      switch change.operation {
      case .insert: state = nil
      case .update: state?.merge(change.before) { _, old in old }
      case .delete: state = change.before
      case .read, .base, .purged: break
      }
    }
    guard let present else {
      guard let state else { return false }
      let values = columns.compactMap { column in state[column].map { (column: column, value: $0) } }
      return try insertAgain(values, rowID: shape.rowID.flatMap { state[$0] }, into: shape)
    }
    guard let state else { return try execute("DELETE FROM \(sql: name) WHERE \(sql: condition)") > 0 }
    let changed = columns.filter { ExactValue(state[$0] ?? .null) != ExactValue(present[$0] ?? .null) }
    guard !changed.isEmpty else { return false }
    let set = changed.map { column -> BoundSQL in "\(raw: quoted(column)) = \(state[column] ?? .null)" }
    return try execute("UPDATE \(sql: name) SET \(sql: .joined(set, separator: ", ")) WHERE \(sql: condition)") > 0
  }
}
