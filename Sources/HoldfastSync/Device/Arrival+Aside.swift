internal import Holdfast

// Tables that do not sync may refer to rows that do. When such a row is parked, SQLite deletes the rows that refer to it, or sets their columns
// NULL, as if it were deleted; but it comes back. So they are kept beside it, and put back when it stands in its table again. Where it was deleted
// meanwhile, they are let go.
extension Arrival {
  /// Keeps what SQLite will delete or change in tables that do not sync, before a row is parked.
  ///
  /// - Parameter seen: the rows that are kept already: by their tables, and what identifies them now.
  func keepAside(with parked: SyncRow.Name, in table: DeviceTable, _ seen: inout Set<[SQLValue]>) throws {
    guard !tables.otherLinks.isEmpty, let key = table.key.values(of: parked.key.text) else { return }
    var parents = [(table: table.name, row: table.key.matches(key, of: "p"))]
    while let parent = parents.popLast() {
      for link in tables.otherLinks where link.parent == parent.table {
        guard let child = tables.others[link.child] else { continue }
        let (columns, identity) = (child.given, child.storedOrder)
        let list = (columns + identity).map { "c.\(quoted($0))" }.joined(separator: ", ")
        let rows = try tx.values(
          """
          SELECT \(raw: list) FROM \(raw: quoted(parent.table)) p JOIN \(raw: quoted(child.name)) c ON \(raw: link.same)
          WHERE \(sql: parent.row) ORDER BY \(raw: identity.map { "c.\(quoted($0))" }.joined(separator: ", "))
          """
        ) { row in try (columns + identity).map { _ in try row.value() } }
        for row in rows {
          let own = Array(row.dropFirst(columns.count))
          guard link.action == "CASCADE" else {
            try keepAside(child.kept(row, of: link.from), with: parked, in: table)
            continue
          }
          guard seen.insert([.text(child.name)] + own).inserted else { continue }
          try keepAside(child.kept(row, of: []), with: parked, in: table)
          parents.append((child.name, .joined(zip(identity, own).map { "p.\(raw: quoted($0)) IS \($1)" }, separator: " AND ")))
        }
      }
    }
  }

  private func keepAside(_ row: SyncRow, with parked: SyncRow.Name, in table: DeviceTable) throws {
    try tx.execute("INSERT INTO holdfast_sync_aside (tbl, key, body) VALUES (\(table.number), \(parked.key.text), \(row.line))")
  }

  // MARK: Putting back

  private typealias Aside = (id: Int64, parent: SyncRow.Name, row: SyncRow)

  /// Puts back what was kept beside rows that are no longer parked. What a constraint refuses is kept in *lost*.
  func putBackAside() throws {
    guard !tables.otherLinks.isEmpty else { return }
    var (entries, before) = (try readyAside(), 0)
    // One may refer to another.
    while entries.count != before {
      before = entries.count
      entries = try entries.filter { try !putBack($0) }
    }
    for entry in entries {
      let missing = try missingParents(of: entry.row).first { name in
        try name.map { try tables.local($0, in: tx)?.place == .parked } == true
      }
      if let parent = missing ?? nil, let table = tables[parent.table] {
        try tx.execute("UPDATE holdfast_sync_aside SET tbl = \(table.number), key = \(parent.key.text) WHERE id = \(entry.id)")
      } else {
        try lose(entry)
      }
    }
  }

  private func readyAside() throws -> [Aside] {
    try tx.values(
      """
      SELECT a.id, a.tbl, a.key, a.body FROM holdfast_sync_aside a
      WHERE NOT EXISTS (SELECT 1 FROM holdfast_sync_parked p WHERE p.tbl = a.tbl AND p.key = a.key) ORDER BY a.id
      """
    ) { row -> Aside? in
      let (id, number, key, body) = (try row.int64(), try row.int64(), try row.text(), try row.text())
      guard let table = tables.numbered(number), let kept = try? SyncRow(line: body) else { return nil }
      return (id, SyncRow.Name(table.name, key), kept)
    }.compactMap(\.self)
  }

  /// Returns false for a row that refers to one that is not there.
  private func putBack(_ entry: Aside) throws -> Bool {
    guard try tables.local(entry.parent, in: tx)?.place == .table else {
      try forget(entry)
      return true
    }
    guard let table = tables.others[entry.row.name.table.text], table.lacking(entry.row) == nil else {
      try lose(entry)
      return true
    }
    guard try missingParents(of: entry.row).isEmpty else { return false }
    do {
      _ = try table.putBack(entry.row, in: tx)
      try forget(entry)
    } catch let refusal as StoreError where refusal.refusesRow {
      // It may be there already, in a store that was rewound.
      if try table.has(entry.row, in: tx) { try forget(entry) } else { try lose(entry) }
    }
    return true
  }

  /// The rows that a kept row refers to, and that are not there. Nil: a row that does not sync.
  private func missingParents(of row: SyncRow) throws -> [SyncRow.Name?] {
    let texts = Dictionary(row.current.map { ($0.key.text, $0.value) }) { first, _ in first }
    return try tables.otherLinks.filter { $0.child == row.name.table.text }.compactMap { link -> SyncRow.Name?? in
      let values = link.from.map { texts[$0].flatMap { SyncValue.value(of: $0) } ?? .null }
      guard !values.contains(.null), try !hasParent(values, link, of: row, texts) else { return nil }
      return .some(name(ofParent: values, link))
    }
  }

  private func lose(_ entry: Aside) throws {
    try keep(entry.row, winner: tables.local(entry.parent, in: tx)?.row ?? entry.row)
    try forget(entry)
  }

  private func forget(_ entry: Aside) throws { try tx.execute("DELETE FROM holdfast_sync_aside WHERE id = \(entry.id)") }
}

extension DeviceTable.Link {
  /// That `c` refers to `p`.
  var same: String { to.isEmpty ? "false" : zip(to, from).map { "p.\(quoted($0)) = c.\(quoted($1))" }.joined(separator: " AND ") }
}

/// A table that does not sync. Its rows are kept in the form of those that do: whole ones with their values; of one that stays, and in which a
/// foreign key was set NULL, what identifies it, and the foreign key as an exception.
extension SQLTable {
  fileprivate func kept(_ row: [SQLValue], of columns: [String]) -> SyncRow {
    let values = Dictionary(zip(given + storedOrder, row)) { first, _ in first }
    func texts(_ columns: [String]) -> [ExactText] { columns.map { SyncValue.text(of: values[$0] ?? .null) } }
    let key = (primaryKey.isEmpty ? storedOrder : primaryKey).map { column in
      switch values[column] {
      case .text(let text): text
      case .integer(let number): String(number)
      case let value: SyncValue.text(of: value ?? .null).text
      }
    }
    let known = columns.isEmpty || primaryKey.isEmpty ? given : primaryKey
    let group = ExactText(SyncedTable.name(ofGroup: columns))
    return SyncRow(
      SyncRow.Name(name, key.joined(separator: "/")), generation: 1,
      values: Dictionary(zip(known.map { ExactText($0) }, texts(known))) { first, _ in first },
      exceptions: columns.isEmpty ? [:] : [group: .init(Stamp(time: 1, node: 0), texts(columns))])
  }

  /// A column of a kept row that the table does not have.
  func lacking(_ row: SyncRow) -> ExactText? { row.current.keys.filter { !given.contains($0.text) }.min() }

  /// Inserts a kept row; or sets a foreign key again, where it is still NULL. Returns whether there was such a row.
  func putBack(_ row: SyncRow, in tx: Writer) throws -> Bool {
    let changed = row.exceptions.keys.flatMap { SyncRow.columns(of: $0) }
    guard !changed.isEmpty else {
      let values = BoundSQL.joined(given.map { "\(Self.value(row, ExactText($0)))" }, separator: ", ")
      return try tx.execute("INSERT INTO \(raw: quoted(name)) (\(sql: .names(given))) VALUES (\(sql: values))") > 0
    }
    let set = BoundSQL.joined(changed.map { "\(raw: quoted($0.text)) = \(Self.value(row, $0))" }, separator: ", ")
    let isNull = BoundSQL.joined(changed.map { "\(raw: quoted($0.text)) IS NULL" }, separator: " AND ")
    return try tx.execute("UPDATE \(raw: quoted(name)) SET \(sql: set) WHERE \(sql: isNull) AND \(sql: matches(row))") > 0
  }

  /// Whether the table has a whole row with all these values.
  fileprivate func has(_ row: SyncRow, in reader: Reader) throws -> Bool {
    guard row.exceptions.isEmpty else { return false }
    return try reader.count("SELECT EXISTS (SELECT 1 FROM \(raw: quoted(name)) WHERE \(sql: matches(row)))") > 0
  }

  private func matches(_ row: SyncRow) -> BoundSQL {
    let same = row.values.keys.sorted().map { "\(raw: quoted($0.text)) IS \(Self.value(row, $0))" as BoundSQL }
    return same.isEmpty ? "true" : .joined(same, separator: " AND ")
  }

  private static func value(_ row: SyncRow, _ column: ExactText) -> SQLValue {
    row.current[column].flatMap { SyncValue.value(of: $0) } ?? .null
  }
}
