extension SchemaDeclaration {
  /// Numbers the revisions of each row: every UPDATE that changes a column's value adds 1 to the row's `revision`, whichever code writes
  /// it. An app stores the revision that it sent, and sends the rows with a newer one.
  ///
  ///     .revisions(of: "orders", except: ["acknowledged_revision"], parts: ["order_lines": "order_id"])
  ///
  /// Columns that a later migration adds count, too. An UPDATE that sets `revision` to another value itself keeps that value.
  /// - Parameters:
  ///   - table: must declare `rowid INTEGER PRIMARY KEY` and `revision INTEGER NOT NULL DEFAULT 1`.
  ///   - unrevised: columns whose changes do not count. `rowid` and `revision` never count.
  ///   - parts: tables whose rows belong to rows of this table, with their column that holds the `key`. Inserting, changing or deleting a
  ///     part raises the revision of its row.
  ///   - key: the column of this table that parts refer to; it needs an index.
  public static func revisions(
    of table: String, except unrevised: Set<String> = [], parts: [String: String] = [:], key: String = "id"
  ) -> SchemaDeclaration {
    SchemaDeclaration { comment, known in
      let known = known.columns
      let own = try columns(of: table, known, needed: ["rowid", "revision"] + unrevised + (parts.isEmpty ? [] : [key]))
      let revised = own.subtracting(unrevised).subtracting(["rowid", "revision"]).sorted()
      let name = quoted(table)
      let raise = "UPDATE \(name) SET revision = old.revision + 1 WHERE rowid = new.rowid AND revision IS old.revision"
      var objects = revised.isEmpty ? [] : [trigger(table + "_revised", comment, after: "UPDATE", of: revised, on: table, raise)]
      for (part, reference) in parts.sorted(by: { $0.key < $1.key }) {
        let of = try columns(of: part, known, needed: [reference]).subtracting(["rowid", "revision"]).sorted()
        func raise(_ rows: String...) -> String {
          let ids = rows.map { "\($0).\(quoted(reference))" }.joined(separator: ", ")
          return "UPDATE \(name) SET revision = revision + 1 WHERE \(quoted(key)) IN (\(ids))"
        }
        objects += [
          trigger(part + "_insert_revises", comment, after: "INSERT", on: part, raise("new")),
          trigger(part + "_update_revises", comment, after: "UPDATE", of: of, on: part, raise("old", "new")),
          trigger(part + "_delete_revises", comment, after: "DELETE", on: part, raise("old")),
        ]
      }
      return objects
    }
  }
}
