internal import Holdfast

extension DeviceTables {
  /// Whole rows for one push, and how they travel: as many as fit, and one that is too large alone, which the server then refuses.
  func unsent(in reader: Reader, limit: Int = SyncRequest.greatestRows) throws -> [(row: SyncRow, sent: SyncRow)] {
    var rows: [(row: SyncRow, sent: SyncRow)] = []
    // The head of a body needs some bytes, too.
    var space = SyncRequest.greatestBytes - 4_096
    /// Returns false when the push is full.
    func add(_ name: SyncRow.Name) throws -> Bool {
      guard let row = try self.row(name, in: reader) else { return true }
      let sent = try seal?.sealed(row) ?? row
      space -= sent.line.utf8.count + 1
      guard rows.isEmpty || space >= 0 else { return false }
      rows.append((row, sent))
      return rows.count < limit
    }
    // Deleted rows last: where the rest does not fit into one push, what was moved away from them is there before they go.
    for parity in [1, 0] {
      var last = (number: Int64.min, key: "")
      while true {
        let names = try reader.values(
          """
          SELECT tbl, key FROM holdfast_sync_row
          WHERE dirty AND dirty = 1 AND generation & 1 = \(parity) AND (tbl, key) > (\(last.number), \(last.key))
          ORDER BY tbl, key LIMIT \(SyncRequest.greatestRows)
          """
        ) { row in (number: try row.int64(), key: try row.text()) }
        guard let end = names.last else { break }
        for (number, key) in names {
          guard let table = numbered(number) else { continue }
          guard try add(.init(table.name, key)) else { return rows }
        }
        last = end
      }
    }
    let others = try reader.values(
      "SELECT tbl, key FROM holdfast_sync_extra WHERE dirty = 1 ORDER BY tbl, key LIMIT \(SyncRequest.greatestRows)"
    ) { row in SyncRow.Name(try row.text(), try row.text()) }
    for name in others { guard try add(name) else { break } }
    return rows
  }

  /// The names of all rows that the server does not have, or has refused.
  func unsentNames(in reader: Reader) throws -> [SyncRow.Name] {
    let known = try names("SELECT tbl, key FROM holdfast_sync_row WHERE dirty ORDER BY tbl, key", in: reader)
    let others = try reader.values("SELECT tbl, key FROM holdfast_sync_extra WHERE dirty ORDER BY tbl, key") { row in
      SyncRow.Name(try row.text(), try row.text())
    }
    return known + others
  }

  /// A row as it travels. Nil for a row without a register, and for a living one without content.
  func row(_ name: SyncRow.Name, in reader: Reader) throws -> SyncRow? {
    guard let local = try local(name, in: reader), !local.row.isAlive || local.place != .nowhere else { return nil }
    return local.row
  }

  /// Of the rows as they travel.
  func digest(in reader: Reader) throws -> UInt64 {
    var digest: UInt64 = 0
    func add(_ name: SyncRow.Name) throws {
      if let row = try row(name, in: reader) { digest &+= SyncRow.digest(ofLine: try (seal?.sealed(row) ?? row).line) }
    }
    try reader.rows("SELECT tbl, key FROM holdfast_sync_row ORDER BY tbl, key") { row in
      let (number, key) = (try row.int64(), try row.text())
      if let table = numbered(number) { try add(.init(table.name, key)) }
    }
    try reader.rows("SELECT tbl, key FROM holdfast_sync_extra WHERE sequence >= 0 ORDER BY tbl, key") { row in
      try add(.init(row.text(), row.text()))
    }
    return digest
  }
}
