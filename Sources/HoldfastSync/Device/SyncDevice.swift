package import Holdfast

/// The device's half of sync, over a connected store: says what to ask of the server, and takes the answers. Not `Sendable`: one task at a time.
///
/// ```swift
/// device.beginRound()
/// while let request = try device.next() { try device.receive(await server.answer(request), to: request) }
/// ```
/// What has to be sent is known from the store alone, so a request that fails, or a process that ends, loses nothing: the next round asks again.
/// Each answer is one transaction.
package final class SyncDevice {
  package struct Status: Sendable {
    /// Rows that have yet to be sent.
    package var pending = 0
    /// Rows that the server did not take.
    package var refused = 0
    /// Rows that cannot stand in their table now.
    package var parked = 0
    /// Entries in *lost*.
    package var lost = 0
    /// The error of the last answer; nil after one without.
    package var lastError: StoreError?
    /// Whether the device has pulled all since it was opened.
    package var isCaughtUp = false
  }

  /// Where the device is in its round.
  private struct Round {
    enum Phase {
      case pulls, pushes, over
    }

    var phase = Phase.pulls
    /// The end of the last page, while there are more.
    var pulled: (epoch: String, cursor: Int64, floor: Int64)?
    /// In this epoch, since opening.
    var isCaughtUp = false
    /// The most rows of a push: fewer after one whose answer would have been too large.
    var rows = SyncRequest.greatestRows
    /// What ends the round.
    var error: StoreError?
    /// What could not be mended here, and does not keep anything from being sent.
    var note: StoreError?

    mutating func pullAnew() { (phase, isCaughtUp, pulled) = (.pulls, false, nil) }
  }

  private let store: Store
  private var tables: DeviceTables
  private let node: Int64
  private let key: StoreKey?
  private let clock: () -> Int64
  private var round = Round()
  /// The request whose answer is awaited, as it is sent; and with plain rows.
  private var asked: (sent: SyncRequest, plain: SyncRequest)?

  /// Makes the tables of sync in a store, and registers for the rows that are there.
  ///
  /// Connecting a second time to the same space changes nothing.
  /// - Throws: `.wrongKind` for a store that is connected to another space; `.misuse` for a declaration that the store's tables do not fit.
  package static func connect(_ store: Store, space: String, node: Int64, first: StoreSync.FirstConnection = .merge) throws {
    try store.write(as: "sync.connect") { tx in
      guard try tx.tables(named: SyncTables.state).isEmpty else { return try SpaceState.check(space, in: tx) }
      _ = try DeviceTables(store.schemas, in: tx)
      for sql in SyncTables.making { try tx.execute(BoundSQL(raw: sql)) }
      let resync = first == .merge ? SpaceState.Resync.sends : .takes
      try tx.execute("INSERT INTO holdfast_sync (place, node, space, is_resync) VALUES (1, \(node), \(space), \(resync.rawValue))")
      try store.makeDeclared(in: tx)
      guard first == .merge else { return }
      try tx.execute(
        "UPDATE holdfast_sync SET is_resync = \(SpaceState.Resync.begins.rawValue) WHERE NOT EXISTS (SELECT 1 FROM holdfast_sync_row)")
    }
  }

  /// Opens sync for a connected store, with a round that has yet to begin.
  ///
  /// - Parameters:
  ///   - node: a random number of 40 bits, another at each opening.
  ///   - key: of a sealed space; nil for a plain one.
  ///   - clock: the device's milliseconds since 1970.
  /// - Throws: `.misuse` for a store that is not connected, and for a declaration that the store's tables do not fit.
  package init(_ store: Store, node: Int64, key: StoreKey? = nil, clock: @escaping () -> Int64) throws {
    (self.store, self.node, self.key, self.clock) = (store, node, key, clock)
    tables = try Self.open(store, node, key, at: clock())
  }

  private static func open(_ store: Store, _ node: Int64, _ key: StoreKey?, at now: Int64) throws -> DeviceTables {
    try store.write(as: "sync.open") { tx in
      guard let space = try SpaceState.space(in: tx) else { throw SpaceState.notConnected }
      var tables = try DeviceTables(store.schemas, in: tx)
      tables.seal = key.map { SpaceSeal($0, space: space) }
      try tx.execute("UPDATE holdfast_sync SET node = \(node)")
      let arrival = try Arrival(tx, tables, at: now)
      // What an earlier opening has pulled may be of an epoch that has ended since.
      let resync = try SpaceState(tx).resync
      if resync != .none { try arrival.beginResync(resync) }
      // A pull that was interrupted has left a full resync, or numbers above the stored cursor.
      let isWhole: BoundSQL = "is_resync = 0 AND NOT EXISTS (SELECT 1 FROM holdfast_sync_row WHERE sequence > cursor)"
      arrival.hasAll = try tx.count("SELECT \(sql: isWhole) FROM holdfast_sync") > 0
      let hasDrained = try arrival.drainExtra()
      try arrival.end(settles: hasDrained && arrival.hasAll)
      return tables
    }
  }

  // MARK: A round

  /// Begins a round: a pull, then pushes while something has to be sent. A push that finds others' pushes is followed by a pull.
  package func beginRound() { (round.phase, round.rows) = (.pulls, SyncRequest.greatestRows) }

  /// What to ask next. Nil: the round is over.
  ///
  /// - Throws: `.keyNeeded`, `.wrongKey` and `.notSealed` for another key than before; the errors of reading.
  package func next() throws -> SyncRequest? {
    if try store.read(as: "sync.node", { reader in try SpaceState(reader).node }) != node {
      // Healing has replaced the content. What was pulled and asked before belongs to the state that is gone.
      tables = try Self.open(store, node, key, at: clock())
      (round, asked) = (Round(), nil)
    }
    asked = try store.read(as: "sync.next") { reader in
      let state = try SpaceState(reader)
      try state.check(tables.seal)
      let schema = store.schemas.map(\.version).reduce(0, +)
      if round.phase == .pushes {
        let rows = try tables.unsent(in: reader, limit: round.rows)
        func push(_ rows: [SyncRow]) -> SyncRequest {
          SyncRequest(.push(rows), epoch: state.epoch, cursor: state.cursor, schema: schema)
        }
        if !rows.isEmpty { return (push(rows.map(\.sent)), push(rows.map(\.row))) }
        round.phase = .over
      }
      guard round.phase == .pulls else { return nil }
      let pull = SyncRequest(
        .pull, epoch: round.pulled?.epoch ?? state.epoch, cursor: round.pulled?.cursor ?? state.cursor, schema: schema)
      return (pull, pull)
    }
    return asked?.sent
  }

  /// Takes the answer to `request`. An answer to another request than the last one is ignored, and so is one whose store was healed meanwhile.
  ///
  /// - Parameter arrived: the device's milliseconds since 1970 when the answer came, from which the offset of its clock follows; nil: now. A page that
  ///   was asked for ahead has waited for the page before it.
  /// - Throws: the errors of writing; `.keyNeeded`, `.wrongKey`, `.notSealed` and `.verificationFailed` for rows that cannot be read. The store is as
  ///   before then, and the same is asked again.
  package func receive(_ response: SyncResponse, to request: SyncRequest, arrived: Int64? = nil) throws {
    guard let asked, asked.sent == request else { return }
    self.asked = nil
    var round = round
    round.error = nil
    do {
      guard SyncResponse.times ~= response.now else { throw StoreError(.inputOutput, "the server's answer has no time") }
      let response = try response.opened(by: tables.seal)
      try store.write(as: "sync.receive") { tx in
        guard try SpaceState(tx).node == node else { return }
        try tx.execute("UPDATE holdfast_sync SET offset = \(response.now - max(0, arrived ?? clock()))")
        try take(response, to: asked.plain, &round, tx)
      }
      self.round = round
    } catch {
      self.round.error = StoreError(error)
      throw error
    }
  }

  private func take(_ response: SyncResponse, to request: SyncRequest, _ round: inout Round, _ tx: Writer) throws {
    let state = try SpaceState(tx)
    let arrival = try Arrival(tx, tables, at: clock(), takesTheServers: state.resync == .takes, floor: response.floor)
    var (settles, mayRepair) = (false, false)
    // Up to this number the device has missed no deletion. In a full resync it needs none of before the first page: those rows do not come.
    let seen = state.resync == .none ? request.cursor : round.pulled.map { max($0.cursor, $0.floor) } ?? .max
    switch (response.outcome, request.verb) {
    case _ where response.floor > seen && request.epoch ?? response.epoch == response.epoch:
      try arrival.beginResync(state.resync == .none ? .removes : state.resync)
      round.pullAnew()
    case (.page(let rows, let cursor, let more), .pull)
    where request.epoch ?? response.epoch == response.epoch && (!more || cursor > request.cursor):
      try arrival.take(rows, hasAll: !more)
      round.pulled = more ? (response.epoch, cursor, round.pulled?.floor ?? response.floor) : nil
      guard !more else { break }
      try arrival.endResync(state.resync)
      try tx.execute(
        """
        UPDATE holdfast_sync
        SET epoch = \(response.epoch), cursor = \(cursor), is_resync = 0, synced_at = \(clock()), seal = \(tables.seal?.check ?? "")
        """)
      (round.phase, round.isCaughtUp) = (.pushes, true)
      round.note = nil
      // A device that sends more than fits into one push may be in the midst of it: only where nothing came is the merge complete.
      (settles, mayRepair) = (true, rows.isEmpty)
    case (.pushed(let rows, let refused, let cursor), .push(let sent))
    where request.epoch == response.epoch && Set(sent.map(\.name)).isSubset(of: rows.map(\.row.name) + refused.map(\.name)):
      // Without a cursor others have pushed meanwhile. What they changed in these rows comes with the rest of their pushes, by the next pull.
      let own = Set(sent)
      let known = cursor == nil ? rows.filter { own.contains($0.row) || $0.sequence <= request.cursor } : rows
      try arrival.take(known, hasAll: cursor != nil)
      let names = Set(refused.map(\.name))
      try refuse(sent.filter { names.contains($0.name) }, tx)
      if let cursor { try tx.execute("UPDATE holdfast_sync SET cursor = max(cursor, \(cursor))") } else { round.phase = .pulls }
      settles = cursor != nil
    case (.branched(let fork), _):
      if let fork, [.none, .removes].contains(state.resync) {
        try arrival.branch(at: max(0, fork), to: response.epoch, state.resync)
      } else {
        try arrival.beginResync()
      }
      round.pullAnew()
    case (.future, .push): try arrival.stampAgain(response.now, by: node)
    case (.failed(let error), .push(let sent)) where sent.count == 1 && error.code == .invalidValue:
      // One row that is larger than a request may be.
      try refuse(sent, tx)
    case (.failed(let error), .push(let sent)) where error.code == .invalidValue: round.rows = max(1, sent.count / 2)
    case (.failed(let error), _): (round.phase, round.error) = (.over, error)
    case (.oldSchema, _):
      let error = StoreError(.newerSchema, "the server needs a newer version of the app", recoveryOptions: [.updateApp])
      (round.phase, round.error) = (.over, error)
    default: (round.phase, round.error) = (.over, StoreError(.inputOutput, "the server's answer does not fit what was asked"))
    }
    try arrival.end(settles: settles, repairing: mayRepair ? store.schemas.flatMap(\.invariants) : [])
    round.note = arrival.failure ?? round.note
  }

  /// Marks rows that the server did not take, unless they have changed since they were sent.
  private func refuse(_ rows: [SyncRow], _ tx: Writer) throws {
    for row in rows where try tables.row(row.name, in: tx) == row {
      let key = row.name.key.text
      if let table = tables[row.name.table] {
        try tx.execute("UPDATE holdfast_sync_row SET dirty = 2 WHERE tbl = \(table.number) AND key = \(key)")
      } else {
        try tx.execute("UPDATE holdfast_sync_extra SET dirty = 2 WHERE tbl = \(row.name.table.text) AND key = \(key)")
      }
      try tx.execute("UPDATE holdfast_sync SET refused_at = \(clock())")
    }
  }

  /// Sends the rows again that the server did not take.
  package func retryRefused() throws {
    try store.write(as: "sync.retryRefused") { tx in try tx.sendRefusedAgain() }
  }

  /// The same, if the server has refused nothing for a day, or nothing since the clock was set back: its limits may be others by now.
  func retryRefusedDaily() throws {
    let isDue = try store.read(as: "sync.retryRefused") { reader in
      let now = clock()
      return try reader.count(
        "SELECT refused_at BETWEEN 1 AND \(now - 86_400_000) OR refused_at > \(now) FROM holdfast_sync") > 0
        && Status(in: reader).refused > 0
    }
    if isDue { try retryRefused() }
  }

  /// Begins a full resync: the next round pulls everything, and sends what the server does not have.
  package func resync() throws {
    try store.write(as: "sync.resync") { tx in
      let arrival = try Arrival(tx, tables, at: clock())
      try arrival.beginResync()
      try arrival.end(settles: false)
    }
    (round, asked) = (Round(), nil)
  }

  // MARK: Looking

  /// The error of the last answer; nil after one without.
  var lastError: StoreError? { round.error }

  /// What could not be mended on this device in the last round; it goes on nevertheless.
  var note: StoreError? { round.note }

  /// Without counts, and with the error, when the store cannot be read.
  package var status: Status {
    var status = Status()
    do {
      status = try store.read(as: "sync.status") { reader in try Status(in: reader) }
      status.lastError = round.error ?? round.note
    } catch {
      status.lastError = StoreError(error)
    }
    status.isCaughtUp = round.isCaughtUp
    return status
  }

  /// A row as it travels, from its register and its table or its parked body, with what other versions know of it.
  ///
  /// - Returns: Nil for a row without a register, and for a living one whose content is nowhere.
  package func row(_ name: SyncRow.Name, in reader: Reader) throws -> SyncRow? { try tables.row(name, in: reader) }

  /// The digest of all rows that the device knows: equal to that of a server with the same rows.
  package func digest(in reader: Reader) throws -> UInt64 { try tables.digest(in: reader) }
}

extension SyncDevice.Status {
  /// The counts.
  init(in reader: Reader) throws {
    func count(_ state: Int) throws -> Int {
      try reader.count(
        """
        SELECT (SELECT count(*) FROM holdfast_sync_row WHERE dirty AND dirty = \(state))
          + (SELECT count(*) FROM holdfast_sync_extra WHERE dirty = \(state))
        """)
    }
    (pending, refused) = (try count(1), try count(2))
    parked = try reader.count("SELECT count(*) FROM holdfast_sync_parked")
    lost = try reader.count("SELECT count(*) FROM holdfast_sync_lost")
  }
}
