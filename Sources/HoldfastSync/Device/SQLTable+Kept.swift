internal import Holdfast

/// A table that does not sync. Its rows are kept in the form of those that do: whole ones with their values; of one that stays, and in which a
/// foreign key was set NULL, what identifies it, and the foreign key as an exception.
extension SQLTable {
  func kept(_ row: [SQLValue], of columns: [String]) -> SyncRow {
    let values = Dictionary(zip(given + storedOrder, row)) { first, _ in first }
    let key = (primaryKey.isEmpty ? storedOrder : primaryKey).map { column in
      switch values[column] {
      case .text(let text): text
      case .integer(let number): String(number)
      case let value: SyncValue.text(of: value ?? .null).text
      }
    }
    let whole = SyncRow(
      SyncRow.Name(name, key.joined(separator: "/")), generation: 1,
      values: RowValues(given.map { (ExactText($0), SyncValue.text(of: values[$0] ?? .null)) }))
    return columns.isEmpty ? whole : foreignKey(columns, of: whole)
  }

  /// Of a whole kept row one foreign key, and what identifies the row: in a table without a primary key all that no parent's deletion changes.
  func foreignKey(_ columns: [String], of row: SyncRow) -> SyncRow {
    let changing = Set(references.filter { $0.action == "SET NULL" }.flatMap(\.from))
    let known = Set((primaryKey.isEmpty ? given.filter { !changing.contains($0) } : primaryKey).map { ExactText($0) })
    let group = ExactText(SyncedTable.name(ofGroup: columns))
    let texts = columns.map { row.values[ExactText($0)] ?? SyncRow.null }
    return SyncRow(
      row.name, generation: 1, values: row.values.filter { known.contains($0.key) },
      exceptions: [group: .init(Stamp(time: 1, node: 0), texts)])
  }

  /// A column of a kept row that the table does not have.
  func lacking(_ row: SyncRow) -> ExactText? { row.current.keys.filter { !given.contains($0.text) }.min() }

  /// Inserts a kept row; or sets a foreign key again, where it is still NULL. Returns whether there was such a row.
  func putBack(_ row: SyncRow, in tx: Writer) throws -> Bool {
    let changed = row.exceptions.keys.flatMap { SyncRow.columns(of: $0) }
    let rule = try tx.conflictRule(of: name)
    guard !changed.isEmpty else {
      // A column that cannot be NULL, and that the row does not have, is newer than the row: it gets its default.
      let columns = columns.filter { !$0.isGenerated && (!$0.isNotNull || row.values[ExactText($0.name)] != nil) }.map(\.name)
      let values = BoundSQL.joined(columns.map { "\(Self.value(row, ExactText($0)))" }, separator: ", ")
      return try tx.execute("INSERT \(raw: rule) INTO \(raw: quoted(name)) (\(sql: .names(columns))) VALUES (\(sql: values))") > 0
    }
    let set = BoundSQL.joined(changed.map { "\(raw: quoted($0.text)) = \(Self.value(row, $0))" }, separator: ", ")
    let isNull = BoundSQL.joined(changed.map { "\(raw: quoted($0.text)) IS NULL" }, separator: " AND ")
    var isMeant: BoundSQL = "\(sql: isNull) AND \(sql: matches(row))"
    if primaryKey.isEmpty, let rowID = rowID.map(quoted) {
      // Of equal rows one, if possible that whose rowid is still the same.
      let first: BoundSQL = "ORDER BY \(raw: rowID) = \(Int64(row.name.key.text)) DESC LIMIT 1"
      isMeant = "\(raw: rowID) = (SELECT \(raw: rowID) FROM \(raw: quoted(name)) WHERE \(sql: isMeant) \(sql: first))"
    }
    return try tx.execute("UPDATE \(raw: rule) \(raw: quoted(name)) SET \(sql: set) WHERE \(sql: isMeant)") > 0
  }

  /// Whether the table has a whole row with all these values.
  func has(_ row: SyncRow, in reader: Reader) throws -> Bool {
    guard row.exceptions.isEmpty else { return false }
    return try reader.count("SELECT EXISTS (SELECT 1 FROM \(raw: quoted(name)) WHERE \(sql: matches(row)))") > 0
  }

  /// How many rows are equal to a whole one.
  func count(of row: SyncRow, in reader: Reader) throws -> Int {
    let same = BoundSQL.joined(given.map { "\(raw: quoted($0)) IS \(Self.value(row, ExactText($0)))" }, separator: " AND ")
    return try reader.count("SELECT count(*) FROM \(raw: quoted(name)) WHERE \(sql: same)")
  }

  private func matches(_ row: SyncRow) -> BoundSQL {
    let same = row.values.keys.sorted().map { "\(raw: quoted($0.text)) IS \(Self.value(row, $0))" as BoundSQL }
    return same.isEmpty ? "true" : .joined(same, separator: " AND ")
  }

  private static func value(_ row: SyncRow, _ column: ExactText) -> SQLValue {
    row.current[column].flatMap { SyncValue.value(of: $0) } ?? .null
  }
}
