internal import Holdfast

/// What one answer of the server does to the store, in one transaction.
///
/// 1. Each row is merged with the local one. Rows that are there are written first, with capture off; deletions follow, with capture on: so
///    what a deletion cascades to becomes a tombstone or an edit of this device, which travels.
/// 2. A row that its table refuses is parked (`Arrival+Parking.swift`). Rows without their parent are mended (`Arrival+Parents.swift`).
///
/// Which rows stand in their tables depends on the registers alone, and not on the order of arrival.
final class Arrival {
  let tx: Writer
  let tables: DeviceTables
  /// The device's time, for *lost*.
  let at: Int64
  /// During the first pull of `FirstConnection.takeTheServers`: rows of before give way to the server's.
  let takesTheServers: Bool
  /// The server may have removed tombstones of pushes up to this number.
  let floor: Int64
  /// The first reason for which a deletion could not be applied.
  private(set) var failure: StoreError?
  /// The rows that were written into their tables.
  var written: [SyncRow.Name] = []
  /// Parked rows that refer to each other in a circle, while they come back together.
  var coming: Set<SyncRow.Name> = []
  /// Whether nothing is still to come that was pushed before what has come.
  var hasAll = true
  var deletions: [(row: SyncRow, state: RowState)] = []

  init(_ tx: Writer, _ tables: DeviceTables, at: Int64, takesTheServers: Bool = false, floor: Int64 = 0) throws {
    (self.tx, self.tables, self.at, self.takesTheServers, self.floor) = (tx, tables, at, takesTheServers, floor)
    try tx.execute("PRAGMA defer_foreign_keys = ON")
    try tx.execute("UPDATE holdfast_sync SET applying = 1")
    try releaseStale()
  }

  /// Ends it: brings back parked rows if `settles`, with what was kept beside them, runs the repairs of these invariants, and switches capture on.
  func end(settles: Bool, repairing invariants: [Invariant] = []) throws {
    if settles { try settleParked() }
    try putBackAside()
    try repair(invariants)
    try tx.execute("UPDATE holdfast_sync SET applying = 0")
  }

  /// Mends what the merge has broken, as edits of this device. A repair may break what another one has mended, so all have their turns.
  private func repair(_ invariants: [Invariant]) throws {
    for _ in 0..<10 {
      var hasChanged = false
      for invariant in invariants {
        guard let repair = invariant.repair, try tx.value(invariant.findings, { _ in true }) == true else { continue }
        do {
          if try capturing({ try tx.execute(repair) }) > 0 { hasChanged = true }
        } catch let refusal as StoreError where refusal.code == .constraint {
          failure = failure ?? refusal
        }
      }
      guard hasChanged else { return }
      try mendParents()
    }
  }

  /// Runs `body` with capture on.
  func capturing<T>(_ body: () throws -> T) throws -> T {
    try tx.execute("UPDATE holdfast_sync SET applying = 0")
    let result = Result { try body() }
    try tx.execute("UPDATE holdfast_sync SET applying = 1")
    return try result.get()
  }

  // MARK: Rows

  /// - Parameter hasAll: whether the device has everything with these rows. If not, a row that goes with its parent may have been moved since by
  ///   a push that is still to come: it is parked until then.
  func take(_ stored: [SyncResponse.Stored], hasAll: Bool) throws {
    self.hasAll = hasAll
    for stored in stored where stored.row.canBeStored { try take(stored.row, stored.sequence) }
    try applyDeletions()
    try mendParents()
  }

  func applyDeletions() throws {
    for deletion in deletions { try apply(deletion.row, deletion.state) }
    deletions = []
  }

  private func take(_ remote: SyncRow, _ sequence: Int64) throws {
    let local = try tables.local(remote.name, in: tx)
    let yields = isTaken(local)
    let merged =
      try yields || local.map(isOutlived) == true ? remote : local?.row.merged(with: remote, under: tables.seal) ?? remote
    // A refused row stays refused until it is edited.
    let sent = Set(remote.exceptions.filter { merged.exceptions[$0.key] == $0.value }.keys)
    let state = RowState(sequence: sequence, dirty: merged == remote ? 0 : max(1, local?.state.dirty ?? 1), sent: sent)
    if let local, yields || local.state.dirty != 0,
      let lost = local.row.lost(in: merged, against: yields ? nil : remote, sent: local.state.sent)
    {
      if merged.isAlive { try keep(lost, winner: remote) } else { try keep(whole: local, winner: remote) }
    }
    guard let table = tables[remote.name.table] else { return try tx.saveExtra(merged, state) }
    if merged.isAlive {
      try place(merged, state, over: local, in: table)
    } else if local?.row.isAlive == true {
      deletions.append((merged, state))
    } else if local?.row != merged || local?.state != state {
      try table.save(merged, state, isNew: local == nil, in: tx)
    }
  }

  /// Whether the server's rows take the place of the row, which the server did not give.
  func isTaken(_ local: LocalRow?) -> Bool { takesTheServers && local?.state.sequence == 0 && local?.state.dirty == 0 }

  /// Whether the server may have removed the row's tombstone: generations then begin anew with what arrives under its key.
  private func isOutlived(_ local: LocalRow) -> Bool {
    let sequence = local.state.sequence
    return local.state.dirty == 0 && (sequence < 0 || sequence > 0 && sequence <= floor && !local.row.isAlive)
  }

  /// Writes a row into its table, or parks it. Returns whether it stands in its table.
  @discardableResult
  func place(_ row: SyncRow, _ state: RowState, over local: LocalRow?, in table: DeviceTable) throws -> Bool {
    if let local, local.place == .table, table.texts(of: local.row) == table.texts(of: row) {
      if local.row != row || local.state != state { try table.save(row, state, isNew: false, in: tx) }
      return true
    }
    do {
      let values = try table.values(of: row, here: table.here(local, in: tx))
      do {
        try table.write(values, in: tx)
      } catch let refusal as StoreError where refusal.refusesRow {
        try evict(rivalsOf: row, values, in: table, refusal)
        try table.write(values, in: tx)
      }
    } catch let unfit as Unfit {
      try park(row, state, unfit.reason, over: local, in: table)
      return false
    } catch let refusal as StoreError where refusal.refusesRow {
      try park(row, state, refusal.message, over: local, in: table)
      return false
    }
    if local?.place == .parked { try table.unpark(row.name, in: tx) }
    try table.save(row, state, isNew: local == nil, in: tx)
    written.append(row.name)
    return true
  }

  /// Applies a tombstone.
  func apply(_ tombstone: SyncRow, _ state: RowState) throws {
    guard let table = tables[tombstone.name.table] else { return }
    try clear(tombstone.name, for: tombstone, in: table)
    do {
      try capturing { try table.delete(tombstone.name, in: tx) }
    } catch let refusal as StoreError where refusal.refusesRow {
      // A rule of the app forbids it here. The row stays, and comes back on the other devices, as if it had been inserted again.
      failure = failure ?? refusal
      if let local = try tables.local(tombstone.name, in: tx), local.row.isAlive, tombstone.generation < SyncRow.largestGeneration {
        let again = SyncRow(
          tombstone.name, generation: tombstone.generation + 1, birth: local.row.latest, values: local.row.current)
        return try table.save(again, RowState(sequence: state.sequence, dirty: 1), isNew: false, in: tx)
      }
    }
    try table.unpark(tombstone.name, in: tx)
    try table.save(tombstone, state, isNew: false, in: tx)
  }

  /// Before a deletion: parks the rows that hold it back, and keeps the unsent values of those that it cascades to.
  private func clear(_ name: SyncRow.Name, for tombstone: SyncRow, in table: DeviceTable) throws {
    // What the server does not have goes at the end of its first pull, as no deletion.
    guard hasAll, !takesTheServers else {
      for child in try children(of: name, where: { _ in true }) { try parkWithDependents(child, "its parent was deleted") }
      return
    }
    guard table.children.contains(where: { $0.action == "CASCADE" || $0.holdsBack }) else { return }
    for doomed in try dependents(of: name, where: { $0.action == "CASCADE" }) {
      // What was deleted together is in *lost* already.
      if doomed != name, let local = try tables.local(doomed, in: tx), local.state.dirty != 0,
        !deletions.contains(where: { $0.row.name == doomed })
      {
        try keep(whole: local, winner: tombstone)
      }
      for held in try children(of: doomed, where: \.holdsBack) { try parkWithDependents(held, "its parent was deleted") }
    }
  }

  // MARK: Lost

  /// Keeps a row that goes, with its columns that stay on this device.
  func keep(whole local: LocalRow, winner: SyncRow) throws {
    let here = try tables[local.row.name.table]?.here(local, in: tx) ?? [:]
    try keep(local.row.with(here), winner: winner)
  }

  /// Keeps values of this device that lost against others.
  func keep(_ lost: SyncRow, winner: SyncRow) throws {
    try tx.execute(
      """
      INSERT INTO holdfast_sync_lost (at, tbl, key, body, winner)
      VALUES (\(at), \(lost.name.table.text), \(lost.name.key.text), \(lost.line), \(winner.line))
      """)
  }
}

extension SyncRow {
  /// Whether registers can hold the row, and edits after it. Another one was never made by a device, and is skipped.
  fileprivate var canBeStored: Bool { 1...Self.largestGeneration ~= generation && SyncResponse.times ~= latest.milliseconds }

  /// What of this row is no longer in the one that it and `remote` were merged into, and is not of a birth that they share: values with an
  /// earlier stamp than the winning ones; the whole row, where another generation won. Nil where nothing is lost.
  ///
  /// - Parameters:
  ///   - remote: nil for a row that others replace, whatever they share.
  ///   - sent: the groups whose exception the server has had, so that it was not this device's to lose.
  func lost(in merged: SyncRow, against remote: SyncRow?, sent: Set<ExactText> = []) -> SyncRow? {
    guard isAlive else { return nil }
    guard merged.generation == generation else { return self }
    let current = merged.current
    let values = remote?.birth == birth ? [:] : values.filter { current[$0.key] != $0.value }
    let own = self.current
    let exceptions = exceptions.filter { group, exception in
      !sent.contains(group) && zip(Self.columns(of: group), exception.values).contains { own[$0] == $1 && current[$0] ?? Self.null != $1 }
    }
    guard !values.isEmpty || !exceptions.isEmpty else { return nil }
    return SyncRow(name, generation: generation, birth: birth, values: values, exceptions: exceptions)
  }
}

extension StoreError {
  /// Whether the table refuses the row, and would take another one.
  var refusesRow: Bool { [.constraint, .invalidValue, .decoding].contains(code) }
}

extension DeviceTable.Link {
  /// Whether the child stands in the way of deleting its parent.
  var holdsBack: Bool { ["RESTRICT", "NO ACTION"].contains(action) }
}

extension DeviceTable {
  func delete(_ name: SyncRow.Name, in tx: Writer) throws {
    guard let key = key.values(of: name.key.text) else { return }
    try tx.execute("DELETE FROM \(raw: quoted(self.name)) WHERE \(sql: self.key.matches(key))")
  }

  func unpark(_ name: SyncRow.Name, in tx: Writer) throws {
    try tx.execute("DELETE FROM holdfast_sync_parked WHERE tbl = \(number) AND key = \(name.key.text)")
  }
}
