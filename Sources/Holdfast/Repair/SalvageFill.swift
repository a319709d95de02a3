/// Fills what a damaged table has lost from a backup that is attached as `backup`.
struct SalvageFill {
  let table: SalvageTable
  let connection: RawConnection

  /// Takes the rows with lost rowids whose keys are not there. Returns how many came in.
  ///
  /// - Throws: `.constraint` when a row of the backup breaks a rule of the table.
  func run(_ lost: [ClosedRange<Int64>]) throws -> Int {
    let columns = try columns()
    guard !columns.isEmpty else { return 0 }
    let list = columns.map(quoted).joined(separator: ", ")
    // The rowid of a table without a column for it may have been given to another row since: then the row gets a new one.
    let lists = table.hasRowid && table.rowidColumn == nil ? ["rowid, " + list] + (table.key.isEmpty ? [] : [list]) : [list]
    var filled = 0
    for range in lost {
      let within = table.hasRowid ? " WHERE rowid BETWEEN \(range.lowerBound) AND \(range.upperBound)" : ""
      for list in lists {
        let insertion = "INSERT OR IGNORE INTO main.\(quoted(table.name)) (\(list)) SELECT \(list) FROM backup.\(quoted(table.name))"
        filled += try connection.changes(BoundSQL(raw: insertion + within))
      }
    }
    return filled
  }

  /// The columns that the backup has, too.
  func columns() throws -> [String] {
    let backup = try SQLTable.all(connection.texts, in: "backup", named: table.name, inner: true).first
    let known = Set((backup?.given ?? []).map { $0.lowercased() })
    return table.stored.map(\.name).filter { known.contains($0.lowercased()) && !table.generated.contains($0) }
  }
}

extension RawConnection {
  /// Runs a statement. Returns how many rows it changed.
  func changes(_ statement: BoundSQL) throws -> Int {
    func total() throws -> Int { try texts("SELECT total_changes()").first?[0].flatMap { Int($0) } ?? 0 }
    let before = try total()
    try rows(statement) { _ in }
    return try total() - before
  }
}
