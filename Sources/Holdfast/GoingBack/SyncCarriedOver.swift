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
  /// Refuses to go back with a connected store that was opened without one of its schemas: what differs there could not be stamped, and
  /// sent.
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
    // What is parked and kept aside belongs to the content: it is what the tables lack.
    for table in SyncTables.all where !["holdfast_sync_parked", "holdfast_sync_aside"].contains(table) {
      try copy.run("DELETE FROM main.\(table)")
      try copy.run("INSERT INTO main.\(table) SELECT * FROM live.\(table)")
    }
    let shape = try SchemaShape(copy.texts)
    for table in synced {
      let differences = try table.stampingDifferences(from: "live.\(quoted(table.name))", shape)
      for sql in differences + table.stampingParked + table.markingParkedThen { try copy.run(sql) }
    }
    try copy.run("DETACH live")
    try edit(file) { db in
      for schema in schemas { try schema.makeDeclared(db) }
      let shape = try SchemaShape(db)
      for table in synced { try table.fill(db, shape) }
      try db.execute(sql: SyncedTable.stampingMarked)
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
  /// The latest stamp of the columns of the row whose register is `r`.
  private static let latest = "coalesce((SELECT max(c.hlc) FROM holdfast_sync_cell c WHERE c.tbl = r.tbl AND c.key = r.key), 0)"

  /// Statements that mark, with `dirty` 3, the registers of the rows that were parked at that moment and are not parked with the same content
  /// now. They live, as the rows that were in the table do: also where they were deleted since.
  fileprivate var markingParkedThen: [String] {
    [
      // The person had given its key to another row.
      """
      DELETE FROM main.holdfast_sync_parked
        WHERE tbl = \(number) AND key IN (SELECT \(AuditedTable.rowName(key, of: "t")) FROM main.\(quoted(name)) t)
      """,
      """
      INSERT INTO main.holdfast_sync_row
        SELECT p.tbl, p.key, 1, 0, 0, 0, 3 FROM main.holdfast_sync_parked p WHERE p.tbl = \(number) AND NOT EXISTS (
          SELECT 1 FROM live.holdfast_sync_parked l JOIN live.holdfast_sync_row r ON r.tbl = l.tbl AND r.key = l.key
            WHERE l.tbl = p.tbl AND l.key = p.key AND l.body = p.body AND r.generation & 1)
        ON CONFLICT (tbl, key) DO UPDATE SET generation = generation + 1 - (generation & 1), sequence = 0, dirty = 3
      """,
    ]
  }

  /// Stamps the marked rows as if they were inserted, behind the rows that came back into their tables: these stood then, and stand again. The
  /// parked body keeps its own stamps; those of its register count.
  fileprivate static let stampingMarked = """
    UPDATE holdfast_sync_row AS r SET (hlc, node) = (SELECT max(\(latest), \(now)) + 1, s.node FROM holdfast_sync s) WHERE dirty = 3;
    DELETE FROM holdfast_sync_cell WHERE (tbl, key) IN (SELECT r.tbl, r.key FROM holdfast_sync_row r WHERE r.dirty = 3);
    UPDATE holdfast_sync_row SET dirty = 1 WHERE dirty = 3
    """

  /// Statements that stamp the rows of `main` that are parked now as if they were inserted.
  fileprivate var stampingParked: [String] {
    let rowName = AuditedTable.rowName(key, of: "t")
    let returned = """
      tbl = \(number) AND key IN (SELECT p.key FROM live.holdfast_sync_parked p WHERE p.tbl = \(number))
        AND key IN (SELECT \(rowName) FROM main.\(quoted(name)) t)
      """
    return [
      """
      UPDATE holdfast_sync_row AS r SET (hlc, node, dirty) =
        (SELECT max(\(Self.latest) + 1, \(Self.now)), s.node, 1 FROM holdfast_sync s)
        WHERE generation & 1 AND \(returned)
      """,
      "DELETE FROM holdfast_sync_cell WHERE \(returned)",
    ]
  }
}
