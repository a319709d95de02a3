internal import Holdfast

// Rows whose parent is not there. Where the parent is unknown or parked, the row is parked. Where the parent was deleted, the foreign key's
// own action is taken, as an edit of this device.
extension Arrival {
  /// What the foreign keys of a row demand.
  enum Verdict {
    case stands
    /// A parent is unknown or parked, or its deletion does not allow the row.
    case waits
    /// A parent was deleted, and with it its rows.
    case dies(of: SyncRow.Name)
    /// The columns that refer to deleted parents, with their new values in SQL.
    case loses([String: String])
  }

  /// Mends the rows whose parent is missing now, so that the transaction can be committed.
  func mendParents() throws {
    let written = written
    self.written = []
    guard tx.hasBrokenReferences else { return }
    for name in written { try mend(name) }
    guard tx.hasBrokenReferences else { return }
    for table in tables.all { for link in table.parents { for name in try broken(link, in: table) { try mend(name) } } }
  }

  /// Mends one row, if it is in its table.
  func mend(_ name: SyncRow.Name) throws {
    guard let table = tables[name.table], let local = try tables.local(name, in: tx), local.place == .table else { return }
    switch try verdict(on: local.row, in: table) {
    case .stands: break
    case .waits: try parkWithDependents(name, Self.waiting)
    // With what is still to come it may refer to another parent.
    case _ where !hasAll: try parkWithDependents(name, Self.waiting)
    case .dies(let parent): try bury(local.row, of: parent, in: table)
    case .loses(let columns):
      if let key = table.key.values(of: name.key.text) {
        let changes = columns.sorted { $0.key < $1.key }.map { "\(quoted($0)) = \($1)" }.joined(separator: ", ")
        do {
          _ = try capturing {
            try tx.execute(
              "UPDATE \(raw: table.conflictRule) \(raw: quoted(table.name)) SET \(raw: changes) WHERE \(sql: table.key.matches(key))")
          }
        } catch let refusal as StoreError where refusal.code == .constraint {}
      }
      guard let now = try tables.local(name, in: tx), now.place == .table, case .stands = try verdict(on: now.row, in: table) else {
        return try parkWithDependents(name, Self.waiting)
      }
    }
  }

  private static let waiting = "a row that it refers to is not there"

  /// Deletes a row with its deleted parent: a deletion of this device, which travels.
  func bury(_ row: SyncRow, of parent: SyncRow.Name, in table: DeviceTable) throws {
    guard row.generation < SyncRow.largestGeneration, let winner = try tables.local(parent, in: tx)?.row else { return }
    guard let local = try tables.local(row.name, in: tx) else { return }
    if local.state.dirty != 0 { try keep(whole: local, winner: winner) }
    try apply(SyncRow(row.name, generation: row.generation + 1), RowState(sequence: local.state.sequence, dirty: 1))
  }

  func verdict(on row: SyncRow, in table: DeviceTable) throws -> Verdict {
    let texts = table.texts(of: row)
    var isWaiting = false
    var lost: [String: String] = [:]
    for link in table.parents {
      // A column that stays on this device, and one that the row does not give, refers to nothing that arrives.
      let values = link.from.map { column in texts[ExactText(column)].flatMap { SyncValue.value(of: $0) } ?? table.blanks[column] ?? .null }
      guard !values.contains(.null), try !hasParent(values, link, of: row, texts) else { continue }
      guard let parent = try deletedParent(values, link) else {
        isWaiting = true
        continue
      }
      switch link.action {
      case "CASCADE": return .dies(of: parent)
      case "SET NULL": for column in link.from { lost[column] = "NULL" }
      case "SET DEFAULT": for column in link.from { lost[column] = table.defaults[column] ?? "NULL" }
      default: isWaiting = true
      }
    }
    return isWaiting ? .waits : lost.isEmpty ? .stands : .loses(lost)
  }

  func hasParent(_ values: [SQLValue], _ link: DeviceTable.Link, of row: SyncRow, _ texts: RowValues) throws -> Bool {
    guard !link.to.isEmpty, link.to.count == values.count else { return false }
    if !coming.isEmpty, let parent = name(ofParent: values, link), coming.contains(parent) { return true }
    // The row itself, which may not be in its table yet.
    if link.parent == link.child, zip(link.to, values).allSatisfy({ texts[ExactText($0)] == SyncValue.text(of: $1) }) { return true }
    let matches = BoundSQL.joined(zip(link.to, values).map { "\(raw: quoted($0)) = \($1)" }, separator: " AND ")
    return try tx.count("SELECT EXISTS (SELECT 1 FROM \(raw: quoted(link.parent)) WHERE \(sql: matches))") > 0
  }

  /// The parent with these values, if it was deleted.
  private func deletedParent(_ values: [SQLValue], _ link: DeviceTable.Link) throws -> SyncRow.Name? {
    guard let name = name(ofParent: values, link), try tables.local(name, in: tx)?.row.isAlive == false else { return nil }
    return name
  }

  /// Known only where the foreign key refers to the key by which the parent syncs.
  func name(ofParent values: [SQLValue], _ link: DeviceTable.Link) -> SyncRow.Name? {
    guard let parent = tables.named(link.parent) else { return nil }
    let named = Dictionary(zip(link.to, values)) { first, _ in first }
    guard named.count == parent.key.columns.count else { return nil }
    return parent.key.text(of: parent.key.columns.map { named[$0.name] ?? .null }).map { SyncRow.Name(parent.name, $0) }
  }

  /// The parked rows that wait for each other in a circle: none can be the first.
  func circles(among parked: [SyncRow.Name]) throws -> Set<SyncRow.Name> {
    var circles: Set<SyncRow.Name> = []
    for first in parked where tables[first.table]?.parents.contains(where: { $0.parent == $0.child }) == true && !circles.contains(first) {
      var (path, last): (Set<SyncRow.Name>, SyncRow.Name) = ([first], first)
      while let next = try parkedParent(of: last) {
        if next == first { circles.formUnion(path) }
        guard path.insert(next).inserted else { break }
        last = next
      }
    }
    return circles
  }

  private func parkedParent(of name: SyncRow.Name) throws -> SyncRow.Name? {
    try parents(of: name).first { parent in try parent.table == name.table && tables.local(parent, in: tx)?.place == .parked }
  }

  /// The rows to which a row refers by the keys with which they sync, whether they are there or not.
  func parents(of name: SyncRow.Name) throws -> [SyncRow.Name] {
    guard let table = tables[name.table], let row = try tables.local(name, in: tx)?.row else { return [] }
    let texts = table.texts(of: row)
    return table.parents.compactMap { link in
      self.name(ofParent: link.from.map { texts[ExactText($0)].flatMap { SyncValue.value(of: $0) } ?? .null }, link)
    }
  }

  /// The rows of a table that refer to none.
  private func broken(_ link: DeviceTable.Link, in table: DeviceTable) throws -> [SyncRow.Name] {
    guard !link.to.isEmpty else { return [] }
    let row = quoted(table.name)
    let given = link.from.map { "\(row).\(quoted($0)) IS NOT NULL" }.joined(separator: " AND ")
    let same = zip(link.to, link.from).map { "holdfast_parent.\(quoted($0)) = \(row).\(quoted($1))" }.joined(separator: " AND ")
    return try names(
      in: table, "\(raw: given) AND NOT EXISTS (SELECT 1 FROM \(raw: quoted(link.parent)) AS holdfast_parent WHERE \(raw: same))")
  }
}
