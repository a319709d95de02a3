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
    let key = try table.key.map { column -> BoundSQL in
      guard let value = values[column] else { throw StoreError(.notFound, "the entry \(entry) does not tell the key of \(id)") }
      return "\(raw: quoted(column)) IS \(value)"
    }
    let place: BoundSQL = "\(sql: .names([shape.name])) WHERE \(sql: .joined(key, separator: " AND "))"
    let columns = shape.columns.filter { !table.unaudited.contains($0) }
    let present = try value("SELECT \(sql: .names(columns)) FROM \(sql: place)") { row in
      var values: [String: SQLValue] = [:]
      for column in columns { values[column] = try row.value() }
      return values
    }
    var state = present
    for change in later.reversed() {
      switch change.operation {
      case .insert: state = nil
      case .update: state?.merge(change.before) { _, old in old }
      case .delete: state = change.before
      case .read, .base, .purged: break
      }
    }
    guard let present else { return try state.map { try insert($0, columns, shape) } ?? false }
    guard let state else { return try execute("DELETE FROM \(sql: place)") > 0 }
    let changed = columns.filter { ExactValue(state[$0] ?? .null) != ExactValue(present[$0] ?? .null) }
    guard !changed.isEmpty else { return false }
    let set = changed.map { column -> BoundSQL in "\(raw: quoted(column)) = \(state[column] ?? .null)" }
    return try execute(
      """
      UPDATE \(sql: .names([shape.name])) SET \(sql: .joined(set, separator: ", ")) WHERE \(sql: .joined(key, separator: " AND "))
      """) > 0
  }

  private func insert(_ state: [String: SQLValue], _ columns: [String], _ shape: TableShape) throws -> Bool {
    var columns = columns.filter { state[$0] != nil }
    var values = columns.map { column -> BoundSQL in "\(state[column] ?? .null)" }
    let table = BoundSQL.names([shape.name])
    // The row gets its old number where that is free.
    if let name = shape.rowID, !columns.contains(name), let number = state[name] {
      columns.append(name)
      let isTaken: BoundSQL = "EXISTS (SELECT 1 FROM \(sql: table) WHERE \(raw: quoted(name)) = \(number))"
      values.append("CASE WHEN \(sql: isTaken) THEN NULL ELSE \(number) END")
    }
    return try execute("INSERT INTO \(sql: table) (\(sql: .names(columns))) VALUES (\(sql: .joined(values, separator: ", ")))") > 0
  }
}
