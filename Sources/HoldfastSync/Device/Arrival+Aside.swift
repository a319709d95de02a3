internal import Holdfast

// Tables that do not sync may refer to rows that do. When such a row is parked, SQLite deletes the rows that refer to it, or sets their columns
// NULL, as if it were deleted; but it comes back. So they are kept beside it, and put back when it stands in its table again. Where it was deleted
// meanwhile, they are let go. One that refers to several rows waits for each to which it refers with CASCADE; what it refers to with SET NULL is
// NULL while it is parked, and when it was deleted.
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
            try keepAside(child.kept(row, of: link.from), with: parked)
            continue
          }
          guard seen.insert([.text(child.name)] + own).inserted else { continue }
          try keepAside(child.kept(row, of: []), with: parked)
          parents.append((child.name, .joined(zip(identity, own).map { "p.\(raw: quoted($0)) IS \($1)" }, separator: " AND ")))
        }
      }
    }
  }

  private func keepAside(_ row: SyncRow, with parked: SyncRow.Name) throws {
    let table = SyncedTable.number(of: parked.table.text)
    try tx.execute("INSERT INTO holdfast_sync_aside (tbl, key, body) VALUES (\(table), \(parked.key.text), \(row.line))")
  }

  // MARK: Putting back

  private struct Aside {
    let id: Int64
    /// The row beside which it is kept.
    let parent: SyncRow.Name
    /// Whether `parent` is parked no more.
    let isReady: Bool
    var row: SyncRow
    /// Whether it is not only a foreign key of a row that stays.
    var isWhole: Bool { row.exceptions.isEmpty }
  }

  private static let isReady = "NOT EXISTS (SELECT 1 FROM holdfast_sync_parked p WHERE p.tbl = a.tbl AND p.key = a.key)"

  /// Puts back what was kept beside rows that are no longer parked. What a constraint refuses is kept in *lost*.
  func putBackAside() throws {
    guard !tables.otherLinks.isEmpty,
      try tx.count("SELECT EXISTS (SELECT 1 FROM holdfast_sync_aside a WHERE \(raw: Self.isReady))") > 0
    else { return }
    var entries = try joined(aside()).filter(\.isReady)
    try forgetStanding(&entries)
    for turn in 0...2 {
      var before: Int?
      // One may refer to another.
      while entries.count != before {
        before = entries.count
        entries = try entries.filter { try !putBack($0, turn) }
      }
    }
  }

  private func aside(_ condition: BoundSQL = "") throws -> [Aside] {
    try tx.values("SELECT a.id, a.tbl, a.key, a.body, \(raw: Self.isReady) FROM holdfast_sync_aside a \(sql: condition) ORDER BY a.id") {
      row -> Aside? in
      let (id, number, key, body) = (try row.int64(), try row.int64(), try row.text(), try row.text())
      let isReady = try row.bool()
      guard let table = tables.numbered(number), let kept = try? SyncRow(line: body) else { return nil }
      return Aside(id: id, parent: SyncRow.Name(table.name, key), isReady: isReady, row: kept)
    }.compactMap(\.self)
  }

  /// Brings together what was kept of one row at different times: a foreign key that comes back belongs to the whole row, if that went later;
  /// and where the same foreign key was kept once more, the later one counts.
  private func joined(_ all: [Aside]) throws -> [Aside] {
    var all = all
    var gone: Set<Int64> = []
    let places = Dictionary(grouping: all.indices) { all[$0].row.name }
    for place in all.indices where all[place].isReady && !all[place].isWhole {
      let (entry, group) = (all[place], all[place].row.exceptions.keys)
      let later = places[entry.row.name]?.first { $0 > place && (all[$0].isWhole || all[$0].row.exceptions.keys == group) }
      guard let later else { continue }
      let columns = group.flatMap { SyncRow.columns(of: $0) }
      if all[later].isWhole, columns.allSatisfy({ all[later].row.values[$0] == nil }), try isBack(entry.parent) {
        all[later].row.values.merge(entry.row.current.filter { columns.contains($0.key) }) { $1 }
        try tx.execute("UPDATE holdfast_sync_aside SET body = \(all[later].row.line) WHERE id = \(all[later].id)")
      }
      try forget(entry)
      gone.insert(entry.id)
    }
    return all.filter { !gone.contains($0.id) }
  }

  /// Rows without a key may be there already, in a store that was rewound: their table would take them twice.
  private func forgetStanding(_ entries: inout [Aside]) throws {
    var standing: [SyncRow: Int] = [:]
    entries = try entries.filter { entry in
      guard entry.isWhole, let table = tables.others[entry.row.name.table.text], table.primaryKey.isEmpty, table.lacking(entry.row) == nil
      else { return true }
      let equal = SyncRow(SyncRow.Name(table.name, ""), generation: 1, values: entry.row.values)
      let count = try standing[equal] ?? table.count(of: entry.row, in: tx)
      standing[equal] = max(0, count - 1)
      if count > 0 { try forget(entry) }
      return count == 0
    }
  }

  private func isBack(_ parent: SyncRow.Name) throws -> Bool { try tables.local(parent, in: tx)?.place == .table }

  /// Returns false for a row that refers to one that does not sync and is not there, but may come yet: in turn 0, and where the foreign key cannot
  /// be NULL also in turn 1.
  private func putBack(_ entry: Aside, _ turn: Int) throws -> Bool {
    guard try isBack(entry.parent) else {
      try forget(entry)
      return true
    }
    guard let table = tables.others[entry.row.name.table.text], table.lacking(entry.row) == nil else {
      try lose(entry)
      return true
    }
    var row = entry.row
    var waiting: [(foreignKey: SyncRow, parent: SyncRow.Name)] = []
    for (link, values) in try missingParents(of: entry) {
      let parent = name(ofParent: values, link)
      let canBeNull = link.action == "SET NULL" && entry.isWhole
      if let awaited = try awaited(values, link) {
        guard canBeNull else {
          try wait(entry, for: awaited)
          return true
        }
        waiting.append((table.foreignKey(link.from, of: entry.row), awaited))
      } else if parent == nil, turn < (canBeNull ? 1 : 2) {
        return false
      } else if !canBeNull {
        // With a parent that was deleted it goes, as it would have from its table.
        if let parent, try tables.local(parent, in: tx)?.row.isAlive == false { try forget(entry) } else { try lose(entry) }
        return true
      }
      for column in link.from { row.values[ExactText(column)] = nil }
    }
    do {
      _ = try table.putBack(row, in: tx)
      for (foreignKey, parent) in waiting { try keepAside(foreignKey, with: parent) }
      try forget(entry)
    } catch let refusal as StoreError where refusal.refusesRow {
      // It may be there already, in a store that was rewound.
      if try table.has(row, in: tx) { try forget(entry) } else { try lose(entry) }
    }
    return true
  }

  /// What a kept row, or the foreign key that is kept of it, refers to and that is not there.
  private func missingParents(of entry: Aside) throws -> [(link: DeviceTable.Link, values: [SQLValue])] {
    let texts = entry.row.current
    let groups = Set(entry.row.exceptions.keys.map(\.text))
    return try tables.otherLinks.filter {
      $0.child == entry.row.name.table.text && (entry.isWhole || groups.contains(SyncedTable.name(ofGroup: $0.from)))
    }.compactMap { link in
      let values = link.from.map { texts[ExactText($0)].flatMap { SyncValue.value(of: $0) } ?? .null }
      guard !values.contains(.null), try !hasParent(values, link, of: entry.row, texts) else { return nil }
      return (link, values)
    }
  }

  /// The parked row with which a missing parent comes back: the parent itself, or the row beside which it is kept.
  private func awaited(_ values: [SQLValue], _ link: DeviceTable.Link) throws -> SyncRow.Name? {
    if let parent = name(ofParent: values, link) { return try tables.local(parent, in: tx)?.place == .parked ? parent : nil }
    guard tables.others[link.parent] != nil else { return nil }
    let texts = values.map { SyncValue.text(of: $0) }
    return try aside("WHERE json_extract(a.body, '$.t') = \(link.parent) AND NOT \(raw: Self.isReady)").first { other in
      other.isWhole && link.to.map { other.row.values[ExactText($0)] } == texts
    }?.parent
  }

  private func wait(_ entry: Aside, for parent: SyncRow.Name) throws {
    let table = SyncedTable.number(of: parent.table.text)
    try tx.execute("UPDATE holdfast_sync_aside SET tbl = \(table), key = \(parent.key.text) WHERE id = \(entry.id)")
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
