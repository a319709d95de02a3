internal import Holdfast

/// What this device knows of a row besides its values: the server's push that changed it last, 0 for none; and whether the server should get it.
struct RowState: Equatable {
  var sequence: Int64
  /// 0: the server has it. 1: it should get it. 2: it has refused it.
  var dirty: Int64
  /// The groups whose exception the server has.
  var sent: Set<ExactText> = []
}

/// A row as this device has it.
struct LocalRow {
  enum Place {
    case table, parked
    /// Of a table that this version does not know.
    case extra
    /// A deleted row. Or a living one whose content another program removed unnoticed: the next opening finds that.
    case nowhere
  }

  var row: SyncRow
  var state: RowState
  var place: Place
  /// What a parked row keeps of the columns that stay on this device.
  var here: [String: SQLValue] = [:]
}

extension DeviceTables {
  /// - Returns: Nil for a row that this device has never seen.
  func local(_ name: SyncRow.Name, in reader: Reader) throws -> LocalRow? {
    let key = name.key.text
    guard let table = self[name.table] else {
      return try reader.value(
        "SELECT body, sequence, dirty FROM holdfast_sync_extra WHERE tbl = \(name.table.text) AND key = \(key)"
      ) { row in
        let body = try row.text()
        let state = RowState(sequence: try row.int64(), dirty: try row.int64())
        return SyncRow(body: body, of: name).map { LocalRow(row: $0, state: state, place: .extra) }
      } ?? nil
    }
    var local = try reader.value(
      """
      SELECT generation, hlc, node, sequence, dirty, generation & 1 = 0 AND EXISTS (
          SELECT 1 FROM holdfast_sync_forgotten f WHERE f.tbl = r.tbl AND f.key = r.key AND f.generation = r.generation)
        FROM holdfast_sync_row r WHERE tbl = \(table.number) AND key = \(key)
      """
    ) { row in
      let (generation, birth) = (try row.int64(), Stamp(time: try row.int64(), node: try row.int64()))
      let state = RowState(sequence: try row.int64(), dirty: try row.int64())
      return LocalRow(
        row: SyncRow(name, generation: generation, birth: birth, forgets: try row.bool()), state: state, place: .nowhere)
    }
    guard let register = local?.row, register.isAlive else { return local }
    var cells: [(group: DeviceTable.Group, stamp: Stamp)] = []
    try reader.rows("SELECT grp, hlc, node, sent FROM holdfast_sync_cell WHERE tbl = \(table.number) AND key = \(key)") { row in
      let (number, stamp, isSent) = (try row.int64(), Stamp(time: try row.int64(), node: try row.int64()), try row.bool())
      guard let group = table.group(number) else { return }
      cells.append((group, stamp))
      if isSent { local?.state.sent.insert(group.name) }
    }
    if let values = try table.content(of: name, in: reader) {
      var exceptions: [ExactText: SyncRow.Exception] = [:]
      for (group, stamp) in cells { exceptions[group.name] = .init(stamp, group.columns.map { values[ExactText($0)] ?? SyncRow.null }) }
      let row = SyncRow(name, generation: register.generation, birth: register.birth, values: values, exceptions: exceptions)
      local?.row = try table.adding(extraOf: row, in: reader)
      local?.place = .table
    } else if let body = try table.parkedBody(of: name, in: reader), let parked = SyncRow(body: body, of: name), parked.isAlive {
      var row = parked.stamped(as: register)
      local?.here = table.here(inParked: body)
      for column in table.here.keys { row.values[ExactText(column)] = nil }
      local?.row = row
      local?.place = .parked
    }
    return local
  }
}

extension DeviceTable {
  /// The texts of the row's columns; nil when the table does not have the row.
  fileprivate func content(of name: SyncRow.Name, in reader: Reader) throws -> RowValues? {
    guard let key = key.values(of: name.key.text) else { return nil }
    return try reader.value(
      "SELECT \(sql: .names(columns)) FROM \(raw: quoted(self.name)) WHERE \(sql: self.key.matches(key))"
    ) { row in
      RowValues(try names.map { ($0, SyncValue.text(of: try row.value())) })
    }
  }

  /// The row as it was parked, with the columns that stay on this device.
  func parked(_ name: SyncRow.Name, in reader: Reader) throws -> SyncRow? {
    try parkedBody(of: name, in: reader).flatMap { SyncRow(body: $0, of: name) }
  }

  fileprivate func parkedBody(of name: SyncRow.Name, in reader: Reader) throws -> String? {
    try reader.value("SELECT body FROM holdfast_sync_parked WHERE tbl = \(number) AND key = \(name.key.text)") { try $0.text() }
  }

  /// The columns that stay on this device, as a body was parked with them: also those that are NULL, which no row has.
  fileprivate func here(inParked body: String) -> [String: SQLValue] {
    guard !here.isEmpty, case .object(let members)? = JSONValue(json: body), case .object(let values)? = members["v"] else { return [:] }
    return here.keys.reduce(into: [:]) { $0[$1] = values[$1].flatMap { SyncValue.value(of: $0) } }
  }

  /// The columns of a row that stay on this device; empty when the table does not have the row.
  func kept(of name: SyncRow.Name, in reader: Reader) throws -> [String: SQLValue] {
    let columns = here.keys.sorted()
    guard !columns.isEmpty, let key = key.values(of: name.key.text) else { return [:] }
    return try reader.value(
      "SELECT \(sql: .names(columns)) FROM \(raw: quoted(self.name)) WHERE \(sql: self.key.matches(key))"
    ) { row in
      try columns.reduce(into: [:]) { $0[$1] = try row.value() }
    } ?? [:]
  }

  /// The columns of a row that stay on this device, whether it is in the table or parked.
  func here(_ local: LocalRow?, in reader: Reader) throws -> [String: SQLValue] {
    guard let local else { return [:] }
    return local.place == .table ? try kept(of: local.row.name, in: reader) : local.here
  }

  /// The row with what only other versions know of it. What the table has is the latest: an edit of this device counts as later than what
  /// other versions had written into its columns, whatever the clocks said.
  fileprivate func adding(extraOf row: SyncRow, in reader: Reader) throws -> SyncRow {
    let body = try reader.value(
      "SELECT body FROM holdfast_sync_extra WHERE tbl = \(name) AND key = \(row.name.key.text)", { try $0.text() })
    guard var whole = body.flatMap({ SyncRow(body: $0, of: row.name) }).map(row.joined) else { return row }
    let current = whole.current
    for (group, own) in row.exceptions.sorted(by: { $0.key < $1.key })
    where zip(SyncRow.columns(of: group), own.values).contains(where: { current[$0] != $1 }) {
      whole.exceptions[group] = .init(Stamp(time: whole.latest.time &+ 1, node: own.stamp.node), own.values)
    }
    return whole
  }

  /// Writes the register of a row: its stamps and state, its mark where it was purged, and what only other versions know of it.
  ///
  /// - Parameter isNew: the device has no register of the row, so there is nothing to replace. Its snapshots and archive may have the row
  ///   nevertheless, as after a healing; only a new device has nothing to forget.
  func save(_ row: SyncRow, _ state: RowState, isNew: Bool, in tx: Writer) throws {
    let key = row.name.key.text
    if row.forgets {
      // Before the register changes. A mark that holds already stays as it is; the row of an outdated one was here since.
      try tx.execute(
        """
        INSERT INTO holdfast_sync_forgotten (tbl, key, generation, is_done)
        VALUES (\(number), \(key), \(row.generation),
          (SELECT \(isNew ? 1 : 0) AND is_resync = \(SpaceState.Resync.begins.rawValue) FROM holdfast_sync))
        ON CONFLICT (tbl, key) DO UPDATE SET generation = excluded.generation, is_done = is_done AND generation IN (
          excluded.generation,
          ifnull((SELECT r.generation FROM holdfast_sync_row r WHERE r.tbl = excluded.tbl AND r.key = excluded.key), 0))
        """)
    }
    try tx.execute(
      """
      INSERT INTO holdfast_sync_row (tbl, key, generation, hlc, node, sequence, dirty)
      VALUES (\(number), \(key), \(row.generation), \(row.birth.time), \(row.birth.node), \(state.sequence), \(state.dirty))
      ON CONFLICT (tbl, key) DO UPDATE SET generation = excluded.generation, hlc = excluded.hlc, node = excluded.node,
        sequence = excluded.sequence, dirty = excluded.dirty
      """)
    if !isNew {
      try tx.execute("DELETE FROM holdfast_sync_cell WHERE tbl = \(number) AND key = \(key)")
      try tx.execute("DELETE FROM holdfast_sync_extra WHERE tbl = \(name) AND key = \(key)")
    }
    for group in groups {
      guard let stamp = row.exceptions[group.name]?.stamp else { continue }
      try tx.execute(
        """
        INSERT INTO holdfast_sync_cell (tbl, key, grp, hlc, node, sent)
        VALUES (\(number), \(key), \(group.number), \(stamp.time), \(stamp.node), \(state.sent.contains(group.name) ? 1 : 0))
        """)
    }
    // -1: it is sent with its row, never alone.
    if let unknown = unknown(of: row) { try tx.saveExtra(unknown, RowState(sequence: -1, dirty: 0)) }
  }
}

extension Writer {
  /// What the server did not take waits to be sent again.
  func sendRefusedAgain() throws {
    for table in ["holdfast_sync_row", "holdfast_sync_extra"] {
      try execute("UPDATE \(raw: table) SET dirty = 1 WHERE dirty AND dirty = 2")
    }
  }

  func saveExtra(_ row: SyncRow, _ state: RowState) throws {
    try execute(
      """
      INSERT INTO holdfast_sync_extra (tbl, key, body, sequence, dirty)
      VALUES (\(row.name.table.text), \(row.name.key.text), \(row.line), \(state.sequence), \(state.dirty))
      ON CONFLICT (tbl, key) DO UPDATE SET body = excluded.body, sequence = excluded.sequence, dirty = excluded.dirty
      """)
  }
}

extension SyncRow {
  /// The row with columns that stay on this device, for *parked* and *lost*. It does not travel.
  func with(_ here: [String: SQLValue]) -> SyncRow {
    var whole = self
    for (column, value) in here { whole.values[ExactText(column)] = SyncValue.text(of: value) }
    // A name that no line can have.
    return here.isEmpty || SyncRow(body: whole.line, of: name) != nil ? whole : self
  }

  /// The row with what was kept of it beside its table.
  func joined(_ extra: SyncRow) -> SyncRow {
    guard extra.generation == generation else { return self }
    return SyncRow(
      name, generation: generation, birth: birth, values: values.merging(extra.values) { $1 },
      exceptions: exceptions.merging(extra.exceptions) { $0.stamp <= $1.stamp ? $1 : $0 })
  }

  /// The row with the generation and the birth of its register. They are not its own where a rewind has parked it again: then all its values
  /// are as late as that.
  fileprivate func stamped(as register: SyncRow) -> SyncRow {
    guard (generation, birth) != (register.generation, register.birth) else { return self }
    return SyncRow(name, generation: register.generation, birth: register.birth, values: current)
  }

  /// A row that the store keeps as its line; nil for a line that is damaged, or another row's.
  init?(body: String, of name: Name) {
    guard let row = try? SyncRow(line: body), row.name == name else { return nil }
    self = row
  }
}
