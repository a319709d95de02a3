internal import Holdfast

// A row that cannot stand in its table now is parked: its register stays, its content is kept. Of rows that clash on a unique key, the one with the
// lower birth stamp, then the lower key, stands. After each whole answer every parked row is tried again, in this order, so on each device
// the same rows stand.
extension Arrival {
  /// Parks a row that arrived.
  func park(_ row: SyncRow, _ state: RowState, _ reason: String, over local: LocalRow?, in table: DeviceTable) throws {
    if let local, local.place == .parked, local.row == row, local.state == state { return }
    let here = try table.here(local, in: tx)
    if local?.place == .table { try parkWithDependents(row.name, reason) }
    try table.save(parked: row, here: here, reason, in: tx)
    try table.save(row, state, isNew: local == nil, in: tx)
  }

  /// Parks a row of a table, and the rows that refer to it. Nothing of this is an edit.
  func parkWithDependents(_ name: SyncRow.Name, _ reason: String) throws {
    let order = try dependents(of: name) { _ in true }
    var seen: Set<[SQLValue]> = []
    for name in order {
      guard let table = tables[name.table], let local = try tables.local(name, in: tx), local.row.isAlive else {
        // Another program wrote the row unnoticed. Nothing would keep it.
        throw StoreError(
          .verificationFailed, "the row \(name.key.text) of \(name.table.text) was not noted for sync",
          suggestion: "Close the store and open it again: that notes it.")
      }
      guard local.place == .table else { continue }
      try keepAside(with: name, in: table, &seen)
      try table.save(parked: local.row, here: table.kept(of: name, in: tx), name == order.last ? reason : "its parent is parked", in: tx)
    }
    // All are kept by now: rows may refer to each other in a circle.
    for name in order { try tables[name.table]?.delete(name, in: tx) }
  }

  /// Parks the rows whose unique values a row needs.
  ///
  /// - Throws: `refusal` when there are none, or one of them comes before the row and is not to be replaced.
  func evict(rivalsOf row: SyncRow, _ values: [SQLValue?], in table: DeviceTable, _ refusal: StoreError) throws {
    guard let key = table.key.values(of: row.name.key.text) else { throw refusal }
    let values = table.named(values)
    var rivals: Set<SyncRow.Name> = []
    for rule in table.unique {
      guard let clashes = try rule.clashes(with: values, of: table.name, in: tx) else { continue }
      rivals.formUnion(try names(in: table, "\(sql: clashes) AND NOT (\(sql: table.key.matches(key)))"))
    }
    guard !rivals.isEmpty else { throw refusal }
    for rival in rivals {
      guard let local = try tables.local(rival, in: tx),
        isTaken(local) || (row.birth, row.name.key) < (local.row.birth, rival.key)
      else { throw refusal }
    }
    for rival in rivals.sorted() { try parkWithDependents(rival, "an older row has its unique values") }
  }

  /// Takes the content of parked rows for lost whose key the person has given to another row, which may be deleted by now. Before anything arrives,
  /// because what arrives may park that row, or delete it.
  func releaseStale() throws {
    for name in try parkedNames("WHERE r.dirty = 1") {
      guard let table = tables[name.table], let local = try tables.local(name, in: tx), local.place != .parked else { continue }
      let winner = try local.row.with(table.here(local, in: tx))
      if let lost = try table.parked(name, in: tx)?.lost(in: winner, against: winner) { try keep(lost, winner: local.row) }
      try table.unpark(name, in: tx)
    }
  }

  /// Tries each parked row again, until no more can stand.
  func settleParked() throws {
    // Each pass but the last settles a row. More than a few passes would be rows that take turns.
    for _ in 0..<10 {
      let parked = try parkedNames()
      if try parked.filter(settle).isEmpty {
        guard coming.isEmpty else { break }
        coming = try circles(among: parked)
        if coming.isEmpty { break }
      }
    }
    coming = []
    try mendParents()
  }

  private func parkedNames(_ condition: BoundSQL = "") throws -> [SyncRow.Name] {
    try tables.names(
      """
      SELECT p.tbl, p.key FROM holdfast_sync_parked p LEFT JOIN holdfast_sync_row r ON r.tbl = p.tbl AND r.key = p.key
      \(sql: condition) ORDER BY r.hlc, r.node, p.key, p.tbl
      """, in: tx)
  }

  /// Returns whether the row is parked no more, so that others may follow.
  private func settle(_ name: SyncRow.Name) throws -> Bool {
    guard let table = tables[name.table] else { return false }
    guard let local = try tables.local(name, in: tx) else { return false }
    guard local.place == .parked else { return false }
    switch try verdict(on: local.row, in: table) {
    case .waits: return false
    case .dies(let parent):
      try bury(local.row, of: parent, in: table)
      return true
    case .stands: return try place(local.row, local.state, over: local, in: table)
    case .loses:
      guard try place(local.row, local.state, over: local, in: table) else { return false }
      try mend(name)
      return try tables.local(name, in: tx)?.place == .table
    }
  }

  // MARK: Rows that refer to rows

  /// The row and the rows that refer to it, directly or not: each behind all that refer to it, unless they do so in a circle.
  func dependents(of root: SyncRow.Name, where isMeant: (DeviceTable.Link) -> Bool) throws -> [SyncRow.Name] {
    var order: [SyncRow.Name] = []
    var seen: Set = [root]
    // Not a recursion: a chain of rows may be long.
    var path = [(name: root, rest: try children(of: root, where: isMeant))]
    while var last = path.popLast() {
      guard let next = last.rest.popLast() else {
        order.append(last.name)
        continue
      }
      path.append(last)
      if seen.insert(next).inserted { path.append((next, try children(of: next, where: isMeant))) }
    }
    return order
  }

  /// The rows that refer to a row of a table.
  func children(of name: SyncRow.Name, where isMeant: (DeviceTable.Link) -> Bool) throws -> [SyncRow.Name] {
    guard let table = tables[name.table], let key = table.key.values(of: name.key.text) else { return [] }
    return try table.children.filter(isMeant).flatMap { link -> [SyncRow.Name] in
      guard let child = tables.named(link.child), !link.to.isEmpty else { return [] }
      return try tx.values(
        """
        SELECT \(raw: child.key.list(of: "c")) FROM \(raw: quoted(table.name)) p JOIN \(raw: quoted(child.name)) c ON \(raw: link.same)
        WHERE \(sql: table.key.matches(key, of: "p")) ORDER BY \(raw: child.key.list(of: "c"))
        """
      ) { row in try child.name(from: &row) }.compactMap(\.self)
    }
  }

  /// The rows of a table that a condition selects.
  func names(in table: DeviceTable, _ condition: BoundSQL) throws -> [SyncRow.Name] {
    try tx.values(
      "SELECT \(raw: table.key.list()) FROM \(raw: quoted(table.name)) WHERE \(sql: condition) ORDER BY \(raw: table.key.list())"
    ) { row in try table.name(from: &row) }.compactMap(\.self)
  }
}

extension DeviceTable {
  /// Nil for a key that no synced row can have.
  fileprivate func name(from row: inout StoredRow) throws -> SyncRow.Name? {
    key.text(of: try key.columns.map { _ in try row.value() }).map { SyncRow.Name(name, $0) }
  }

  /// - Parameter here: the columns that stay on this device. They are kept with the row, and do not travel.
  func save(parked row: SyncRow, here: [String: SQLValue], _ reason: String, in tx: Writer) throws {
    try tx.execute(
      """
      INSERT INTO holdfast_sync_parked (tbl, key, body, reason) VALUES (\(number), \(row.name.key.text), \(row.with(here).line), \(reason))
      ON CONFLICT (tbl, key) DO UPDATE SET body = excluded.body, reason = excluded.reason
      """)
  }
}
