import Foundation

extension Writer {
  /// Removes the rows that wait beside their tables and that would have gone from these: those whose own key is purged, those with a foreign
  /// key with ON DELETE CASCADE to a row that goes, and what went with a parked row that goes. Others stay, also where they name an id.
  ///
  /// The registers of parked rows become those of deleted ones, with their keys: the other devices must learn of it.
  /// - Returns: the ids, with those of the rows that were removed.
  func purgeWaiting(_ purged: PurgedIDs, _ synced: [SyncedTable]) throws -> PurgedIDs {
    guard try !tables(named: SyncTables.state).isEmpty else { return purged }
    let shapes = try TableShape.all(database.texts)
    var waiting = try values(
      "SELECT NULL, tbl, key, body FROM holdfast_sync_parked UNION ALL SELECT id, tbl, key, body FROM holdfast_sync_aside"
    ) { row in try WaitingRow(&row, shapes, synced) }
    var ids = purged
    var parents: Set<WaitingRow.Parked> = []
    var before: Int?
    // One that goes may take others along.
    while waiting.count != before {
      before = waiting.count
      waiting = try waiting.filter { row in
        guard parents.contains(row.parked) || ids.areNamed(in: row.names) else { return true }
        if let id = row.aside {
          try execute("DELETE FROM holdfast_sync_aside WHERE id = \(id)")
        } else {
          let register: BoundSQL = "tbl = \(row.parked.table) AND key = \(row.parked.key.text)"
          try execute("DELETE FROM holdfast_sync_parked WHERE \(sql: register)")
          let standing = synced.first { $0.number == row.parked.table }.map { table -> BoundSQL in
            "EXISTS (SELECT 1 FROM \(raw: quoted(table.name)) t WHERE \(raw: AuditedTable.rowName(table.key, of: "t")) = \(row.parked.key.text))"
          }
          let isAlive: BoundSQL = "generation & 1 AND NOT \(sql: standing ?? "0") AND \(sql: register)"
          let deleted = try execute("UPDATE holdfast_sync_row SET generation = generation + 1, dirty = 1 WHERE \(sql: isAlive)")
          // Otherwise its table has another row under its key by now.
          guard deleted > 0 else { return false }
          try execute("DELETE FROM holdfast_sync_cell WHERE \(sql: register)")
          parents.insert(row.parked)
        }
        if let id = row.id { ids.ids.insert(id) }
        return false
      }
    }
    return ids
  }
}

/// A row that cannot stand in its table now: one that sync has parked, or one of a table that does not sync, which went with a parked row. Of the
/// latter it may be only a foreign key, of a row that stays.
private struct WaitingRow {
  struct Parked: Hashable {
    let table: Int64
    let key: ExactText
  }

  /// Its number in `holdfast_sync_aside`; nil for a parked row.
  let aside: Int64?
  /// The row itself, or the one with which it went.
  let parked: Parked
  /// The id that is its key.
  let id: UUID?
  /// What says whether it goes with a row: the keys, and what it refers to with CASCADE. Of a foreign key alone that one, too.
  let names: Data

  init(_ row: inout StoredRow, _ shapes: [String: TableShape], _ synced: [SyncedTable]) throws {
    aside = try row.int64OrNil()
    parked = Parked(table: try row.int64(), key: ExactText(try row.text()))
    let line = [String: JSONValue](json: try row.text()) ?? [:]
    let table = line.string("t") ?? ""
    let shape = shapes[table.lowercased()]
    let references = shape?.references ?? []
    let key = synced.first { $0.name == table }?.key ?? shape?.key ?? []
    var columns = key + references.filter(\.cascades).flatMap(\.from)
    var values: [String: JSONValue] = [:]
    if case .object(let birth)? = line["v"] { values = birth }
    if case .object(let exceptions)? = line["x"] {
      for case (let group, .array(let exception)) in exceptions {
        let changed = group.split(separator: ",").map(String.init)
        values.merge(zip(changed, exception.dropFirst())) { $1 }
        if aside != nil { columns += changed }
      }
    }
    let isID = key.count == 1 && !references.contains { $0.from == key } && (aside == nil || line["x"] == nil)
    id = isID ? key.first.flatMap { PurgedIDs.id(values[$0]) } : nil
    names = Data(([parked.key.text] + columns.compactMap { values[$0]?.canonicalText() }).joined(separator: "\n").utf8)
  }
}

extension PurgedIDs {
  /// Of a value as sync writes it: a text, or the bytes of a BLOB in base64.
  fileprivate static func id(_ value: JSONValue?) -> UUID? {
    switch value {
    case .string(let text)?: id(.text(text))
    case .object(let blob)?: id(blob.string("b").flatMap { Data(base64Encoded: $0) }.map(SQLValue.blob))
    default: nil
    }
  }
}
