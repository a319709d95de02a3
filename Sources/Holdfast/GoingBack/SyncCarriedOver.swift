internal import Foundation
internal import GRDB

extension Store {
  /// Makes going back an edit of this device, in a store that is connected: the content that will replace the present one gets the present
  /// registers, and what differs is stamped now and will be sent. Otherwise the server would undo it with the next answer. A store that is
  /// not connected stays so, whatever it was at that time.
  ///
  /// - Parameter file: the new content, with the schema of this store.
  /// - Returns: what must be checked when the content is replaced: whether another process has committed meanwhile. Nil: the store is not connected.
  func carrySyncOver(to file: URL, _ files: StoreFiles) throws -> (() throws -> Void)? {
    let examiner = try ConnectionFactory(files, options).examiner()
    let copy = try ConnectionFactory(file.path, options).working()
    let isConnected = try SchemaShape(copy.texts).isConnected
    guard try SchemaShape(examiner.texts).isConnected else {
      if isConnected { try edit(file, dropSync) }
      return nil
    }
    let version = try examiner.texts("PRAGMA data_version")
    let synced = schemas.flatMap { $0.declarations.compactMap(\.synced) }
    try copy.attach(files.path, as: "live", options.key)
    if !isConnected { for sql in SyncTables.making { try copy.run(sql) } }
    for table in SyncTables.all { try copy.run("DELETE FROM main.\(table)") }
    for table in SyncTables.all.reversed() { try copy.run("INSERT INTO main.\(table) SELECT * FROM live.\(table)") }
    let shape = try SchemaShape(copy.texts)
    for table in synced { for sql in try table.stampingDifferences(shape) + table.stampingParked { try copy.run(sql) } }
    try copy.run("DETACH live")
    try edit(file) { db in
      for schema in schemas { try schema.makeDeclared(db) }
      let shape = try SchemaShape(db)
      for table in synced { try table.fill(db, shape) }
    }
    return { guard try examiner.texts("PRAGMA data_version") == version else { throw files.changedMeanwhile } }
  }

  private func edit(_ file: URL, _ body: (Database) throws -> Void) throws {
    let queue = try ConnectionFactory(file.path, options).writer(keepsLog: false)
    try queue.write(body)
    try queue.close()
  }
}

extension SyncedTable {
  /// Statements that stamp the rows of `main` that are parked now as if they were inserted. Their parked content stays, until the device finds
  /// that its row is in the table, and keeps it in *lost*.
  fileprivate var stampingParked: [String] {
    let rowName = AuditedTable.rowName(key, of: "t")
    let returned = """
      tbl = \(number) AND key IN (SELECT p.key FROM holdfast_sync_parked p WHERE p.tbl = \(number))
        AND key IN (SELECT \(rowName) FROM main.\(quoted(name)) t)
      """
    let latest = """
      (SELECT max(c.hlc) FROM holdfast_sync_cell c WHERE c.tbl = holdfast_sync_row.tbl AND c.key = holdfast_sync_row.key)
      """
    return [
      """
      UPDATE holdfast_sync_row SET (hlc, node, dirty) =
        (SELECT max(max(holdfast_sync_row.hlc, coalesce(\(latest), 0)) + 1, (\(Self.milliseconds)) << 15), s.node, 1 FROM holdfast_sync s)
        WHERE generation & 1 AND \(returned)
      """,
      "DELETE FROM holdfast_sync_cell WHERE \(returned)",
    ]
  }

  /// Statements that stamp what differs between a row of `live` and its row of `main`, as the triggers would have done.
  fileprivate func stampingDifferences(_ known: SchemaShape) throws -> [String] {
    let columns = try columns(known)
    let others = columns.filter { !key.contains($0) }
    guard !others.isEmpty else { return [] }
    let rowName = AuditedTable.rowName(key, of: "new")
    let same = key.map { "new.\(quoted($0)) = old.\(quoted($0))" }.joined(separator: " AND ")
    let pair = "main.\(quoted(name)) new JOIN live.\(quoted(name)) old ON \(same)"
    let anyDiffers = others.map(AuditedTable.differs).joined(separator: " OR ")
    let changed = "tbl = \(number) AND key IN (SELECT \(rowName) FROM \(pair) WHERE \(anyDiffers))"
    if isWhole {
      return [
        """
        UPDATE holdfast_sync_row SET (hlc, node, dirty) =
          (SELECT max(holdfast_sync_row.hlc + 1, (\(Self.milliseconds)) << 15), s.node, 1 FROM holdfast_sync s) WHERE \(changed)
        """
      ]
    }
    return groups(of: columns).map { group in
      """
      INSERT INTO holdfast_sync_cell
        SELECT r.tbl, r.key, \(Self.number(of: Self.name(ofGroup: group))), max(r.hlc + 1, (\(Self.milliseconds)) << 15), s.node
        FROM \(pair) JOIN main.holdfast_sync_row r ON r.tbl = \(number) AND r.key = \(rowName) CROSS JOIN main.holdfast_sync s
        WHERE \(group.map(AuditedTable.differs).joined(separator: " OR "))
        ON CONFLICT (tbl, key, grp) DO UPDATE SET hlc = max(hlc + 1, excluded.hlc), node = excluded.node
      """
    } + ["UPDATE holdfast_sync_row SET dirty = 1 WHERE \(changed)"]
  }
}
