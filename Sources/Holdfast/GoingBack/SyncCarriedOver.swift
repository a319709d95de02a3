internal import Foundation
internal import GRDB

extension Store {
  /// Makes going back an edit of this device, in a store that is connected: the content that will replace the present one gets the present
  /// registers, and what differs is stamped now and will be sent. Otherwise the server would undo it with the next answer.
  ///
  /// - Parameter file: the new content, with the schema of this store.
  /// - Returns: what must be checked when the content is replaced: whether another process has committed meanwhile. Nil: the store is not connected.
  func carrySyncOver(to file: URL, _ files: StoreFiles) throws -> (() throws -> Void)? {
    let examiner = try ConnectionFactory(files, options).examiner()
    guard try SchemaShape(examiner.texts).isConnected else { return nil }
    let version = try examiner.texts("PRAGMA data_version")
    let synced = schemas.flatMap { $0.declarations.compactMap(\.synced) }
    let copy = try ConnectionFactory(file.path, options).working()
    try copy.run("ATTACH \(AuditedTable.literal(files.path)) AS live")
    let isConnected = try SchemaShape(copy.texts).isConnected
    if !isConnected { for sql in SyncTables.making { try copy.run(sql) } }
    for table in SyncTables.all { try copy.run("DELETE FROM main.\(table)") }
    for table in SyncTables.all.reversed() { try copy.run("INSERT INTO main.\(table) SELECT * FROM live.\(table)") }
    let shape = try SchemaShape(copy.texts)
    for table in synced { for sql in try table.stampingDifferences(shape) { try copy.run(sql) } }
    try copy.run("DETACH live")
    let queue = try ConnectionFactory(file.path, options).writer(keepsLog: false)
    try queue.write { db in
      for schema in schemas { try schema.makeDeclared(db) }
      let shape = try SchemaShape(db)
      for table in synced { try table.fill(db, shape) }
    }
    try queue.close()
    return { guard try examiner.texts("PRAGMA data_version") == version else { throw files.changedMeanwhile } }
  }
}

extension SyncedTable {
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
