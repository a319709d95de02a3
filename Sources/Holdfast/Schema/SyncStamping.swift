extension SyncedTable {
  /// Statements that stamp what differs between a row of `main` and its row in another table, as the triggers would have done.
  ///
  /// - Parameters:
  ///   - old: the other table, with all synced columns.
  ///   - time, node: the new stamp in SQL, where `r` is the row's register and `s` the state of the space. A group that has a later stamp
  ///     gets the next one.
  ///   - unless: what keeps a group from being stamped.
  func stampingDifferences(
    from old: String, _ known: SchemaShape, time: String = now, node: String = "s.node", unless: ([String]) -> String? = { _ in nil }
  ) throws -> [String] {
    let columns = try columns(known)
    let others = columns.filter { !key.contains($0) }
    guard !others.isEmpty else { return [] }
    let same = key.map { "new.\(quoted($0)) = old.\(quoted($0))" }.joined(separator: " AND ")
    let rows = """
      main.\(quoted(name)) new JOIN \(old) old ON \(same)
        JOIN main.holdfast_sync_row r ON r.tbl = \(number) AND r.key = \(AuditedTable.rowName(key, of: "new"))
      """
    func differs(_ columns: [String]) -> String { "(\(columns.map(AuditedTable.differs).joined(separator: " OR ")))" }
    func changed(_ condition: String) -> String { "tbl = \(number) AND key IN (SELECT r.key FROM \(rows) WHERE \(condition))" }
    if isWhole {
      return [
        """
        UPDATE main.holdfast_sync_row AS r SET (hlc, node, dirty) = (SELECT \(time), \(node), 1 FROM main.holdfast_sync s)
        WHERE \(changed(differs(others)))
        """
      ]
    }
    let groups = groups(of: columns).map { group in
      (name: Self.name(ofGroup: group), condition: differs(group) + (unless(group).map { " AND NOT \($0)" } ?? ""))
    }
    return groups.map { group in
      """
      INSERT INTO main.holdfast_sync_cell
        SELECT r.tbl, r.key, \(Self.number(of: group.name)), \(time), \(node), 0
        FROM \(rows) CROSS JOIN main.holdfast_sync s
        WHERE \(group.condition)
        ON CONFLICT (tbl, key, grp) DO UPDATE SET hlc = max(hlc + 1, excluded.hlc), node = excluded.node, sent = 0
      """
    } + ["UPDATE main.holdfast_sync_row SET dirty = 1 WHERE \(changed(groups.map(\.condition).joined(separator: " OR ")))"]
  }
}
