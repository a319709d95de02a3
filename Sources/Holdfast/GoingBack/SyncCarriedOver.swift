internal import Foundation
internal import GRDB

// MARK: A closed store

extension Store {
  /// Refuses to replace the file of a sound store that is connected to a space. The file would have the stamps of an earlier time, so the next
  /// round would take everything back from the server, and nobody would learn of it. A damaged file may be replaced: its stamps prove nothing,
  /// and what the server has is more than a hole.
  ///
  /// - Throws: `.misuse`; what keeps a connected store from being checked, such as `.diskFull`.
  static func checkIsRecovery(_ files: StoreFiles, _ options: StoreOptions) throws {
    // The same way back again only finishes one that was interrupted.
    guard !Replacement.isPending(files), case .store(let bookkeeping, let shape)? = (try? StoreLook(files, options))?.content,
      shape.isConnected, try bookkeeping.isWhole && isSound(files, options)
    else { return }
    throw StoreError(
      .misuse, "\(files.path) syncs and is not damaged: if its file were replaced, the next sync would bring back what is there now",
      suggestion: """
        Open the store with its schemas and go back there, with `Store.rewind(to:)` or `Store.restore(snapshot:)`: the other devices then go \
        back, too. In a terminal, a store of an older version needs `holdfast migrate` first.
        """)
  }

  private static func isSound(_ files: StoreFiles, _ options: StoreOptions) throws -> Bool {
    do {
      return try check(at: files.url, schemas: [], options: options, isCancelled: { false }).hasSoundFiles
    } catch {
      _ = try StoreError(error).ofContent()
      return false
    }
  }
}

extension IntegrityReport {
  /// Whether nothing is wrong with the files, whatever is wrong with what they hold.
  var hasSoundFiles: Bool { findings.allSatisfy { ![.files, .file].contains($0.part) } }
}

// MARK: An open store

extension Store {
  /// Refuses to go back with a connected store that was opened without one of its schemas: what differs in the tables of that one could not be
  /// stamped, and would never reach the other devices.
  ///
  /// - Throws: `.misuse`.
  func checkKnowsWhatSyncs(_ files: StoreFiles) throws {
    let examiner = try ConnectionFactory(files, options).examiner()
    guard try SchemaShape(examiner.texts).isConnected else { return }
    let unknown = Set(try Bookkeeping(examiner.texts).versions.keys).subtracting(schemas.map(\.name) + [StoreSchema.kit.name])
    guard !unknown.isEmpty else { return }
    throw StoreError(
      .misuse,
      "\(files.path) syncs, and was opened without the schema \(unknown.sorted().joined(separator: ", ")): what goes back could not be sent",
      suggestion: "Go back in a program that opens the store with all of its schemas, such as the app that made it.")
  }

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
