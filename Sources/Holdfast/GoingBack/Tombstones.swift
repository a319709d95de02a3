import Foundation

/// The register of a deleted row of a synced table; see `SyncTables`. It is marked where every device of the person should forget the row.
package struct Tombstone: Sendable, Hashable {
  /// The number of the table.
  package let table: Int64
  package let key: ExactText
  package let generation: Int64

  /// The UUID that is the key, as text or as the hexadecimal digits of a BLOB.
  var id: UUID? { IDCodec.parse(key.text) ?? PurgedIDs.id(SHA256Hex.data(hex: key.text).map(SQLValue.blob)) }
}

extension Reader {
  /// Those of all deleted rows; none where the store is not connected.
  package func tombstones() throws -> [Tombstone] { try tombstones("holdfast_sync_row WHERE generation & 1 = 0") }

  /// The marked ones whose rows this store has yet to forget: its snapshots, its archive and the kit's own tables may have them.
  package func unforgotten() throws -> [Tombstone] {
    try tombstones("holdfast_sync_row JOIN holdfast_sync_forgotten USING (tbl, key, generation) WHERE NOT is_done")
  }

  private func tombstones(_ source: BoundSQL) throws -> [Tombstone] {
    guard try !tables(named: SyncTables.state).isEmpty else { return [] }
    return try values("SELECT tbl, key, generation FROM \(sql: source) ORDER BY tbl, key") { row in
      Tombstone(table: try row.int64(), key: ExactText(try row.text()), generation: try row.int64())
    }
  }
}

extension Writer {
  /// Marks the tombstones that were not there before. They will be sent.
  package func mark(tombstonesSince before: Set<Tombstone>) throws { try mark(tombstonesSince: before, naming: PurgedIDs(ids: [])) }

  /// The same, and marks those whose key names one of the ids.
  func mark(tombstonesSince before: Set<Tombstone>, naming ids: PurgedIDs) throws {
    for new in try tombstones() where !before.contains(new) || ids.areNamed(in: Data(new.key.text.utf8)) {
      let marked = try execute(
        """
        INSERT INTO holdfast_sync_forgotten (tbl, key, generation, is_done) VALUES (\(new.table), \(new.key.text), \(new.generation), 0)
        ON CONFLICT (tbl, key) DO UPDATE SET generation = excluded.generation, is_done = 0 WHERE generation <> excluded.generation
        """)
      if marked > 0 { try execute("UPDATE holdfast_sync_row SET dirty = 1 WHERE tbl = \(new.table) AND key = \(new.key.text)") }
    }
  }

  /// Removes what lost against others in purged rows. Returns the names of these rows, for the audit.
  func purgeLost(_ rows: [Tombstone], _ tables: [SyncedTable]) throws -> [(table: String, key: String)] {
    try rows.flatMap { row in
      try tables.filter { $0.number == row.table }.map { table in
        try execute("DELETE FROM holdfast_sync_lost WHERE tbl = \(table.name) AND key = \(row.key.text)")
        return (table.name, row.key.text)
      }
    }
  }

  /// Notes that this store has forgotten the rows. One that was deleted again meanwhile is not meant.
  func noteForgotten(_ rows: [Tombstone]) throws {
    for row in rows {
      try execute(
        """
        UPDATE holdfast_sync_forgotten SET is_done = 1
        WHERE tbl = \(row.table) AND key = \(row.key.text) AND generation = \(row.generation)
        """)
    }
  }
}

extension PurgedIDs {
  /// The keys of these rows that are ids of their own: not those that are foreign keys, because the parent may stay.
  init(of rows: [Tombstone], _ tables: [SyncedTable], _ reader: Reader) throws {
    ids = []
    guard !rows.isEmpty else { return }
    let shapes = try TableShape.all(reader.database.texts)
    for table in tables where table.key.count == 1 {
      let isReference = shapes[table.name.lowercased()]?.references.contains { $0.from == table.key } ?? false
      if !isReference { ids.formUnion(rows.filter { $0.table == table.number }.compactMap(\.id)) }
    }
  }
}
