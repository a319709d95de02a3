internal import Foundation
internal import GRDB

extension SchemaDeclaration {
  /// Lets the rows of a table sync between the devices of a person. Costs nothing while the store is not connected to a server.
  ///
  ///     .synced("books", together: [["cover_kind", "cover_file"]], derived: ["search_title"])
  ///     .synced("positions", key: ["book_id"], whole: true, time: "updated_at")
  ///     .synced("tracks", here: ["file_url": .null])
  ///
  /// Every change of a row is noted by triggers, in the same transaction, whichever code or program makes it. Two devices that change
  /// different columns of one row keep both changes; of two changes of one column the later one stays. Generated columns do not
  /// sync, and neither does an INTEGER PRIMARY KEY that is the rowid and not in `key`.
  ///
  /// `together` may change between versions: of two changes of one column, in whichever groups two versions have it, the later one stays.
  /// Only a change in a group of several columns that has yet to be sent, when a version without that group opens the store, counts as old as
  /// its row.
  ///
  /// Not noted are rows that another program replaces (`INSERT OR REPLACE`) without `PRAGMA recursive_triggers = ON`, and what a program
  /// changes while the triggers are missing: new and deleted rows are found when the kit makes them again. What a migration changes is found
  /// by comparing.
  /// - Parameters:
  ///   - table: none in the schema's `neverExported` or with a `RetentionPolicy`, and none of the kit. Otherwise opening throws `.misuse`.
  ///   - key: the columns that identify a row on every device: a UNIQUE or PRIMARY KEY of the table, NOT NULL, of type TEXT, INTEGER or BLOB.
  ///     By default `id`. Numbers that SQLite chooses are no such key, because two devices choose the same.
  ///   - together: groups of columns that are one value, because a constraint or their meaning joins them.
  ///   - whole: whether the row is one value: a later change replaces the row of an earlier one. Default false.
  ///   - here: columns that stay on this device, with their value for a row that arrives from another.
  ///   - derived: columns that the table's record computes from others in `encode(into:)`.
  ///   - time: the column with the row's own time of change, milliseconds since 1970. It counts as the time of a new row, and of a change in
  ///     a table that syncs `whole`, unless it lies in the future. Nil: the time of writing counts.
  public static func synced(
    _ table: String, key: [String] = ["id"], together: [[String]] = [], whole: Bool = false, here: [String: SQLValue] = [:],
    derived: Set<String> = [], time: String? = nil
  ) -> SchemaDeclaration {
    let synced = SyncedTable(name: table, key: key, together: together, isWhole: whole, here: here, derived: derived, time: time)
    return SchemaDeclaration(fill: synced.fill, synced: synced) { comment, known in
      let columns = try synced.columns(known)
      return known.isConnected ? synced.triggers(comment, columns) : []
    }
  }
}

/// A table that syncs, and the SQL that notes its changes in the tables of `SyncTables`.
package struct SyncedTable: Sendable {
  package let name: String
  package let key: [String]
  package let together: [[String]]
  package let isWhole: Bool
  package let here: [String: SQLValue]
  package let derived: Set<String>
  package let time: String?

  /// The number of a table or of a group of columns in `SyncTables`: the first 32 bits of the SHA-256 of its name.
  package static func number(of name: String) -> Int64 { node(of: name) >> 8 }

  /// The node of a stamp that no opening makes: the first 40 bits of the SHA-256 of what it was made of.
  static func node(of text: String) -> Int64 {
    let bytes = SHA256Hex.leading16(of: text)
    return [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4].reduce(0) { $0 << 8 | Int64($1) }
  }

  package var number: Int64 { Self.number(of: name) }

  /// The name of a group of columns.
  package static func name(ofGroup columns: [String]) -> String { columns.joined(separator: ",") }

  /// The groups of the synced columns besides the key, by name. Empty where the row is one value.
  package func groups(of columns: [String]) -> [[String]] {
    guard !isWhole else { return [] }
    let joined = Set(together.joined())
    let single = columns.filter { !key.contains($0) && !joined.contains($0) }.map { [$0] }
    return (together + single).sorted { ExactText(Self.name(ofGroup: $0)) < ExactText(Self.name(ofGroup: $1)) }
  }

  /// The columns that sync, the key first. Throws `.misuse` for a declaration that does not fit the table.
  package func columns(_ known: SchemaShape) throws -> [String] {
    func misuse(_ reason: String) -> StoreError { StoreError(.misuse, "the table \(name) cannot be synced: \(reason)") }
    guard !name.lowercased().hasPrefix("holdfast_"), !key.isEmpty else { throw misuse("it needs a key, and must not be the kit's") }
    let named = key + together.joined() + Array(here.keys) + derived.sorted() + (time.map { [$0] } ?? [])
    let all = try SchemaDeclaration.columns(of: name, known.columns, needed: named)
    let synced = synced(of: all, known)
    guard synced.isSuperset(of: key + together.joined() + (time.map { [$0] } ?? [])) else {
      throw misuse("a column of its key, of `together` or of `time` stays on this device, or is computed")
    }
    guard Set(together.joined()).count == together.joined().count,
      together.allSatisfy({ !$0.isEmpty && $0.allSatisfy { !key.contains($0) } })
    else { throw misuse("a column is in two groups, or a group is empty or has a column of the key") }
    guard !isWhole || together.isEmpty else { throw misuse("its row is one value, so it has no groups") }
    let names = [name] + synced
    guard names.allSatisfy({ $0.utf8.allSatisfy { byte in byte > 0x20 && byte < 0x7F && !",\"'`[]".utf8.contains(byte) } }) else {
      throw misuse("a name has a comma, a quote, a space or a letter beyond ASCII")
    }
    return key + synced.subtracting(key).sorted()
  }

  /// Of all columns of the table those that sync, unchecked.
  func synced(of all: Set<String>, _ known: SchemaShape) -> Set<String> {
    all.subtracting(known.givenBySQLite[name] ?? []).union(key).subtracting(here.keys).subtracting(derived)
  }

  // MARK: Capture

  /// A new stamp's time: the milliseconds of `holdfast_sync s`, shifted.
  static let milliseconds = "coalesce(s.clock, \(AuditedTable.now) + s.offset)"
  /// The time of a change, now, of the row whose register is `r`.
  static let now = "max(r.hlc + 1, (\(milliseconds)) << 15)"
  private static let isOn = "(SELECT applying FROM holdfast_sync) = 0"

  /// The time of a birth.
  private func birth(of row: String) -> String {
    guard let time else { return "(\(Self.milliseconds)) << 15" }
    let own = "\(row).\(quoted(time))"
    return """
      (CASE typeof(\(own)) WHEN 'integer' THEN min(\(Self.milliseconds), max(0, \(own))) ELSE \(Self.milliseconds) END) << 15
      """
  }

  func triggers(_ comment: String, _ columns: [String]) -> SchemaDeclaration.Objects {
    let others = columns.filter { !key.contains($0) }
    func row(_ row: String) -> String { "tbl = \(number) AND key = \(AuditedTable.rowName(key, of: row))" }
    func forgetCells(_ of: String) -> String { "DELETE FROM holdfast_sync_cell WHERE \(row(of))" }
    let insertion = """
      INSERT INTO holdfast_sync_row SELECT \(number), \(AuditedTable.rowName(key, of: "new")), 1, \(birth(of: "new")), s.node, 0, 1
          FROM holdfast_sync s WHERE true
          ON CONFLICT (tbl, key) DO UPDATE SET generation = generation + 1 - (generation & 1), hlc = max(hlc + 1, excluded.hlc),
            node = excluded.node, sequence = 0, dirty = 1
      """
    let deletion = "UPDATE holdfast_sync_row SET generation = generation + (generation & 1), dirty = 1 WHERE \(row("old"))"
    let rekeyed = key.map(AuditedTable.differs).joined(separator: " OR ")
    var objects = [
      SchemaDeclaration.trigger(name + "_sync_insert", comment, after: "INSERT", on: name, when: Self.isOn, insertion, forgetCells("new")),
      SchemaDeclaration.trigger(name + "_sync_delete", comment, after: "DELETE", on: name, when: Self.isOn, deletion, forgetCells("old")),
      SchemaDeclaration.trigger(
        name + "_sync_rekey", comment, after: "UPDATE", of: key, on: name, when: "\(Self.isOn) AND (\(rekeyed))", deletion,
        forgetCells("old"), insertion, forgetCells("new")),
    ]
    guard !others.isEmpty else { return objects }
    let update = name + "_sync_update"
    let changed = "\(Self.isOn) AND (NOT (\(rekeyed)) AND (\(others.map(AuditedTable.differs).joined(separator: " OR "))))"
    if isWhole {
      let birth = """
        UPDATE holdfast_sync_row SET (hlc, node, dirty) =
            (SELECT max(holdfast_sync_row.hlc + 1, \(birth(of: "new"))), s.node, 1 FROM holdfast_sync s) WHERE \(row("new"))
        """
      objects.append(SchemaDeclaration.trigger(update, comment, after: "UPDATE", of: others, on: name, when: changed, birth))
      return objects
    }
    let groups = groups(of: columns).map { group in
      "SELECT \(Self.number(of: Self.name(ofGroup: group))) AS grp WHERE \(group.map(AuditedTable.differs).joined(separator: " OR "))"
    }
    // CROSS JOIN: otherwise SQLite first stores the groups in a temporary table, which takes about a sixth of the trigger's time.
    let cells = """
      INSERT INTO holdfast_sync_cell SELECT r.tbl, r.key, g.grp, \(Self.now), s.node, 0
          FROM (\(groups.joined(separator: " UNION ALL "))) g CROSS JOIN holdfast_sync_row r CROSS JOIN holdfast_sync s
          WHERE r.tbl = \(number) AND r.key = \(AuditedTable.rowName(key, of: "new"))
          ON CONFLICT (tbl, key, grp) DO UPDATE SET hlc = max(hlc + 1, excluded.hlc), node = excluded.node, sent = 0
      """
    let mark = "UPDATE holdfast_sync_row SET dirty = 1 WHERE \(row("new")) AND dirty <> 1"
    objects.append(SchemaDeclaration.trigger(update, comment, after: "UPDATE", of: others, on: name, when: changed, cells, mark))
    return objects
  }

  // MARK: Rows that are there

  /// Whether the register `r` is of a row of before connecting, and the server's rows have yet to take the place of those.
  static let isOfBefore = "(r.sequence = 0 AND r.dirty = 0 AND (SELECT is_resync FROM main.holdfast_sync) IS 2)"

  /// Brings the registers up to the rows: capture begins, or was off. A row without a register gets one, whose stamp has the row's own
  /// time or 0, and a node made of its content: so two devices with equal rows give them equal stamps. A register whose row is gone becomes
  /// that of a deleted row. Until a first pull that takes the server's rows has ended, nothing of this is to be sent.
  @Sendable func fill(_ db: Database, _ known: SchemaShape) throws {
    guard known.isConnected else { return }
    let columns = try columns(known)
    let rowName = AuditedTable.rowName(key, of: "t")
    let time = time.map { "CASE typeof(t.\(quoted($0))) WHEN 'integer' THEN max(0, t.\(quoted($0))) ELSE 0 END" } ?? "0"
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT \(rowName), \(time), \(AuditedTable.object(columns, of: "t")) FROM \(quoted(name)) t
        WHERE NOT EXISTS (SELECT 1 FROM holdfast_sync_row r WHERE r.tbl = \(number) AND r.key = \(rowName))
        """)
    let insert = try db.makeStatement(
      sql: "INSERT INTO holdfast_sync_row SELECT \(number), ?, 1, ?, ?, 0, is_resync <> 2 FROM holdfast_sync")
    while let row = try rows.next() {
      guard let key = String.fromDatabaseValue(row[0]), let time = Int64.fromDatabaseValue(row[1]) else { continue }
      let node = Self.node(of: String.fromDatabaseValue(row[2]) ?? "")
      try insert.execute(arguments: [key, min(time, Int64.max >> 15) << 15, node])
    }
    let gone = "tbl = \(number) AND generation & 1 = 1 AND key NOT IN (SELECT \(rowName) FROM \(quoted(name)) t)"
    try db.execute(
      sql: """
        UPDATE holdfast_sync_row AS r SET generation = generation + 1, dirty = NOT \(Self.isOfBefore) WHERE \(gone)
          AND key NOT IN (SELECT p.key FROM holdfast_sync_parked p WHERE p.tbl = \(number));
        UPDATE holdfast_sync_row AS r SET (generation, hlc, node, sequence, dirty) =
          (SELECT r.generation + 1, \(Self.now), s.node, 0, 1 FROM holdfast_sync s)
          WHERE tbl = \(number) AND generation & 1 = 0 AND key IN (SELECT \(rowName) FROM \(quoted(name)) t);
        DELETE FROM holdfast_sync_cell WHERE tbl = \(number) AND EXISTS (
          SELECT 1 FROM holdfast_sync_row r WHERE r.tbl = \(number) AND r.key = holdfast_sync_cell.key AND r.generation & 1 = 0)
        """)
  }
}

extension Store {
  /// Makes what the schemas declare and the file lacks, after a transaction has connected it.
  package func makeDeclared(in tx: Writer) throws {
    try tx.check()
    try tx.database.telling(of: nil) { db in for schema in schemas { try schema.makeDeclared(db) } }
  }

  /// Drops the triggers that note changes, and the tables of sync: the file is connected to no space.
  package func dropSync(in tx: Writer) throws {
    try tx.check()
    try tx.database.telling(of: nil, dropSync)
  }

  func dropSync(_ db: Database) throws {
    for name in try db.texts(SyncTables.triggers).compactMap({ $0.first ?? nil }) { try db.execute(sql: "DROP TRIGGER \(quoted(name))") }
    for table in SyncTables.all { try db.execute(sql: "DROP TABLE IF EXISTS \(table)") }
  }

  /// Takes the lock of the one process, and in it the one holder, that syncs this store. Nil in memory.
  ///
  /// - Throws: `.busy` when another holds it; the errors of making a folder.
  package func lockForSync() throws -> FolderLock? {
    guard let files else { return nil }
    return try FolderLock(
      files.sync,
      busy: StoreError(
        .busy, "\(path) is synced already, here or in another process",
        suggestion: "Let that one do it, or stop it and try again.", recoveryOptions: [.retry]))
  }
}
