internal import Holdfast

/// An entry of `holdfast_sync_lost`.
struct LostRow {
  let id: Int64
  let at: Int64
  /// The values that lost: a whole row, with its key, or some values of one. Also of a table that does not sync: see `Arrival+Aside.swift`.
  let row: SyncRow

  /// The entries in the order in which they came. One whose line is damaged is left out.
  static func all(in reader: Reader, _ condition: BoundSQL = "") throws -> [LostRow] {
    try reader.values("SELECT id, at, tbl, key, body FROM holdfast_sync_lost \(sql: condition) ORDER BY id") { row in
      let (id, at) = (try row.int64(), try row.int64())
      let name = SyncRow.Name(try row.text(), try row.text())
      return SyncRow(body: try row.text(), of: name).map { LostRow(id: id, at: at, row: $0) }
    }.compactMap(\.self)
  }
}

extension DeviceTables {
  /// Writes the lost values into their row, or inserts the lost row, and removes the entry. Capture notes it as an edit of now.
  ///
  /// - Throws: `.notFound` where the entry is gone, or its row was deleted and only some of its values are known; `.newerSchema` for a
  ///   table or a column that this version does not know; `.constraint` where the table refuses the row, and for a row that is parked.
  func restore(_ id: Int64, in tx: Writer) throws {
    guard let lost = try LostRow.all(in: tx, "WHERE id = \(id)").first else {
      throw StoreError(.notFound, "the lost value is not in the list any more", suggestion: "Read the list again.")
    }
    let name = lost.row.name
    func unknown(_ what: String) -> StoreError {
      StoreError(.newerSchema, "this version of the app does not know the \(what)", recoveryOptions: [.updateApp])
    }
    if let other = others[name.table.text] {
      if let column = other.lacking(lost.row) { throw unknown("column \(column.text) of \(other.name)") }
      guard try other.putBack(lost.row, in: tx) else {
        throw StoreError(
          .notFound, "the row \(name.key.text) of \(other.name) was deleted or changed, and only some of its values are known")
      }
      try tx.execute("DELETE FROM holdfast_sync_lost WHERE id = \(id)")
      return
    }
    guard let table = self[name.table] else { throw unknown("table \(name.table.text)") }
    if let column = lost.row.current.keys.filter({ !table.has($0.text) }).min() {
      throw unknown("column \(column.text) of \(table.name)")
    }
    let local = try local(name, in: tx)
    var values: RowValues = [:]
    switch local?.place {
    case .table: values = table.texts(of: local?.row ?? lost.row)
    case .parked:
      throw StoreError(
        .constraint, "the row \(name.key.text) of \(table.name) cannot stand in its table now, so no value of it can be changed")
    default:
      // Only a whole row has its key.
      guard table.key.columns.allSatisfy({ lost.row.values[ExactText($0.name)] != nil }) else {
        throw StoreError(.notFound, "the row \(name.key.text) of \(table.name) was deleted, and only some of its values are known")
      }
    }
    for (column, text) in lost.row.current { values[column] = text }
    let row = SyncRow(name, generation: 1, values: values)
    do {
      let here = lost.row.current.reduce(into: [String: SQLValue]()) { here, value in
        if table.here[value.key.text] != nil { here[value.key.text] = SyncValue.value(of: value.value) }
      }
      try table.write(table.values(of: row, here: table.kept(of: name, in: tx).merging(here) { $1 }), in: tx)
      // Where the row was there, it has kept these columns.
      if !here.isEmpty, let key = table.key.values(of: name.key.text) {
        let set = BoundSQL.joined(here.sorted { $0.key < $1.key }.map { "\(raw: quoted($0.key)) = \($0.value)" }, separator: ", ")
        try tx.execute("UPDATE \(raw: table.conflictRule) \(raw: quoted(table.name)) SET \(sql: set) WHERE \(sql: table.key.matches(key))")
      }
    } catch let unfit as Unfit {
      throw StoreError(.constraint, "the row \(name.key.text) of \(table.name) cannot be written: \(unfit.reason)")
    }
    try tx.execute("DELETE FROM holdfast_sync_lost WHERE id = \(id)")
  }
}
