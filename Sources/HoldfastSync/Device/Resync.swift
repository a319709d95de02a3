internal import Holdfast

/// The state of the space, of `holdfast_sync`.
struct SpaceState {
  enum Resync: Int64 {
    case none = 0
    /// A full resync is under way: at its end, rows that the server did not have are sent.
    case sends = 1
    /// The first pull of `FirstConnection.takeTheServers`: at its end, such rows are removed.
    case takes = 2
    /// The full resync of a device that may have missed deletions, in the same epoch: at its end, rows that the server had and has no more are
    /// removed. Below `none`, so that a resync that sends takes its place: in another epoch, such rows may be what the server has lost.
    case removes = -1
    /// The first pull of a store that had no row when it was connected, with `FirstConnection.merge`: as `sends`; and of rows that were purged by then it
    /// has nothing to forget.
    case begins = 3
  }

  let epoch: String?
  let cursor: Int64
  let resync: Resync
  /// That of the present opening; 0 after the store was healed while it was open.
  let node: Int64
  /// What tells the key of a sealed space from others. Empty for a plain space; nil before the first whole pull.
  let seal: String?

  init(_ reader: Reader) throws {
    let state = try reader.value("SELECT epoch, cursor, is_resync, node, seal FROM holdfast_sync") { row in
      (try row.textOrNil(), try row.int64(), Resync(rawValue: try row.int64()) ?? .sends, try row.int64(), try row.textOrNil())
    }
    guard let state else { throw Self.notConnected }
    (epoch, cursor, resync, node, seal) = state
  }

  static let notConnected = StoreError(.misuse, "the store is not connected to a space", suggestion: "Connect it first.")
}

extension Arrival {
  /// Begins a full resync, or begins it anew: the server may have none of the rows.
  func beginResync(_ resync: SpaceState.Resync = .sends) throws {
    try tx.execute("UPDATE holdfast_sync_extra SET sequence = 0 WHERE sequence > 0")
    if resync == .removes {
      // Now a negative number is that of a row that the server had, and 0 that of one that it may never have had.
      try tx.execute("UPDATE holdfast_sync_row SET sequence = -sequence WHERE sequence > 0")
      try tx.execute("UPDATE holdfast_sync SET is_resync = -1, cursor = 0")
      return
    }
    if try SpaceState(tx).resync == .takes {
      // What the server has given already is -1: what it gives now replaces that, and nothing of this device is lost.
      try tx.execute("UPDATE holdfast_sync_row SET sequence = -1 WHERE sequence")
      try tx.execute("DELETE FROM holdfast_sync_extra WHERE sequence = 0 AND dirty = 0")
    } else {
      try tx.execute("UPDATE holdfast_sync_row SET sequence = 0")
    }
    try tx.execute("UPDATE holdfast_sync SET is_resync = max(is_resync, 1), cursor = 0, epoch = NULL")
  }

  /// Ends it, after the last page: what the server did not have should be sent, or is removed.
  func endResync(_ resync: SpaceState.Resync) throws {
    if resync == .takes { try removeUnknownToServer() }
    if resync == .removes { try removeGoneFromServer() }
    guard resync != .none else { return }
    try tx.execute("UPDATE holdfast_sync_row SET sequence = 0 WHERE sequence < 0")
    try tx.sendRefusedAgain()
    try tx.execute("UPDATE holdfast_sync_row SET dirty = 1 WHERE sequence = 0 AND dirty = 0")
    try tx.execute("UPDATE holdfast_sync_extra SET dirty = 1 WHERE sequence = 0 AND dirty = 0")
  }

  /// The device's epoch ended at push number `fork`: what came behind it may be gone from the server, and is sent again. A full resync that
  /// removes begins anew in the next epoch.
  func branch(at fork: Int64, to epoch: String, _ resync: SpaceState.Resync) throws {
    try tx.execute("UPDATE holdfast_sync_row SET sequence = -sequence WHERE sequence < 0")
    for table in ["holdfast_sync_row", "holdfast_sync_extra"] {
      try tx.execute("UPDATE \(raw: table) SET sequence = 0, dirty = 1 WHERE sequence > \(fork)")
    }
    // A space whose limits were changed has a new epoch.
    try tx.sendRefusedAgain()
    try tx.execute("UPDATE holdfast_sync SET epoch = \(epoch), cursor = min(cursor, \(fork))")
    if resync == .removes { try beginResync(.removes) }
  }

  /// Removes the rows of before connecting that the server does not have, after it has kept them in *lost*. With them go the rows that refer to
  /// them and were written since: elsewhere they would wait for ever. Those that the server has are parked.
  private func removeUnknownToServer() throws {
    var names = try registers("sequence <= 0 AND dirty = 0")
    func lose(_ name: SyncRow.Name) throws {
      guard let local = try tables.local(name, in: tx), local.row.isAlive else { return }
      try keep(whole: local, winner: SyncRow(name, generation: local.row.generation &+ 1))
      try parkWithDependents(name, "the server does not have it")
    }
    for name in names { try lose(name) }
    var (gone, before) = (Set(names), -1)
    while names.count != before {
      before = names.count
      for name in try registers("sequence = 0 AND dirty AND (tbl, key) IN (SELECT tbl, key FROM holdfast_sync_parked)")
      where try !gone.contains(name) && parents(of: name).contains(where: gone.contains) {
        try lose(name)
        names.append(name)
        gone.insert(name)
      }
    }
    for name in names {
      guard let table = tables[name.table] else { continue }
      try table.unpark(name, in: tx)
      for place in ["row", "cell"] {
        try tx.execute("DELETE FROM holdfast_sync_\(raw: place) WHERE tbl = \(table.number) AND key = \(name.key.text)")
      }
    }
  }

  /// Deletes the rows that the server had in this epoch and has no more, and keeps those with unsent changes in *lost*. Their tombstones are
  /// not sent: they count as the server's, at the floor up to which it has removed its own.
  private func removeGoneFromServer() throws {
    // Of all before the first is deleted: what that does to the others is no change of this device.
    for name in try registers("sequence < 0 AND generation & 1") {
      guard let local = try tables.local(name, in: tx), local.row.isAlive else { continue }
      let tombstone = SyncRow(name, generation: local.row.generation &+ 1)
      if local.state.dirty != 0 { try keep(whole: local, winner: tombstone) }
      deletions.append((tombstone, RowState(sequence: floor, dirty: 0)))
    }
    try applyDeletions()
    try mendParents()
    try tx.execute("UPDATE holdfast_sync_row SET sequence = iif(dirty, 0, \(floor)) WHERE sequence < 0")
    // Of tables that this version does not know, so nobody has changed them here.
    try tx.execute("DELETE FROM holdfast_sync_extra WHERE sequence = 0 AND dirty = 0")
  }

  private func registers(_ condition: BoundSQL) throws -> [SyncRow.Name] {
    try tables.names("SELECT tbl, key FROM holdfast_sync_row WHERE \(sql: condition) ORDER BY tbl, key", in: tx)
  }

  // MARK: Extra

  /// Brings values into tables and columns that this version knows now. Returns whether there were any.
  func drainExtra() throws -> Bool {
    let kept = try tx.values("SELECT tbl, key, body, sequence, dirty FROM holdfast_sync_extra ORDER BY tbl, key") { row in
      let name = SyncRow.Name(try row.text(), try row.text())
      let body = try row.text()
      let state = RowState(sequence: try row.int64(), dirty: try row.int64())
      return SyncRow(body: body, of: name).map { (row: $0, state: state) }
    }.compactMap(\.self)
    var hasDrained = false
    for (extra, state) in kept {
      guard let table = tables[extra.name.table], state.sequence >= 0 || table.unknown(of: extra) != extra else { continue }
      hasDrained = true
      try tx.execute("DELETE FROM holdfast_sync_extra WHERE tbl = \(table.name) AND key = \(extra.name.key.text)")
      let local = try tables.local(extra.name, in: tx)
      if state.sequence < 0 {
        // Columns of a row that its table has.
        if let local, local.row.isAlive, local.place != .nowhere { try place(local.row.joined(extra), local.state, over: local, in: table) }
      } else {
        // A row of a table that was unknown.
        let merged = try local?.row.merged(with: extra, under: tables.seal) ?? extra
        let dirty = max(state.dirty, merged == extra ? 0 : 1)
        let whole = RowState(sequence: state.sequence, dirty: dirty)
        if merged.isAlive { try place(merged, whole, over: local, in: table) } else { try apply(merged, whole) }
      }
    }
    guard hasDrained else { return false }
    // In a resync that removes, what is clean had come from the server.
    if try SpaceState(tx).resync == .removes {
      try tx.execute("UPDATE holdfast_sync_row SET sequence = -1 WHERE sequence = 0 AND dirty = 0")
    }
    try mendParents()
    return true
  }
}
