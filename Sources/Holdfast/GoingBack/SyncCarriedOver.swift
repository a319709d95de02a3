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
    for table in synced {
      let differences = try table.stampingDifferences(from: "live.\(quoted(table.name))", shape)
      for sql in differences + table.stampingParked { try copy.run(sql) }
    }
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
    let latest = "(SELECT max(c.hlc) FROM holdfast_sync_cell c WHERE c.tbl = r.tbl AND c.key = r.key)"
    return [
      """
      UPDATE holdfast_sync_row AS r SET (hlc, node, dirty) =
        (SELECT max(coalesce(\(latest), 0) + 1, \(Self.now)), s.node, 1 FROM holdfast_sync s)
        WHERE generation & 1 AND \(returned)
      """,
      "DELETE FROM holdfast_sync_cell WHERE \(returned)",
    ]
  }
}
