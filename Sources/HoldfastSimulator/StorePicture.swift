internal import Holdfast

/// The content of a store at one moment, as a copy of its file has it. Without the kit's own tables.
struct StorePicture {
  private struct Table {
    let name: String
    let columns: [String]
    let rows: [[SQLValue]]
  }

  private let tables: [Table]

  init(of store: Store) throws {
    tables = try store.read { reader in
      let names = try reader.values(
        """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
          AND (name NOT LIKE 'holdfast_%' OR name LIKE 'holdfast_sync%') ORDER BY rowid
        """
      ) { row in try row.text() }
      return try names.map { name in
        let columns = try reader.values("SELECT name FROM pragma_table_info(\(name))") { row in try row.text() }
        let rows = try reader.values("SELECT \(sql: .names(columns)) FROM \(sql: .names([name]))") { row in
          try columns.map { _ in try row.value() }
        }
        return Table(name: name, columns: columns, rows: rows)
      }
    }
  }

  /// Gives the content to a store that has at least these tables and columns: what a restored file has, or a migrated one.
  func restore(into store: Store) throws {
    try store.write { tx in
      try tx.execute("PRAGMA defer_foreign_keys = ON")
      // Nothing is captured while the state's row is missing.
      let state = tables.filter { $0.name == SyncTables.state }
      let others = tables.filter { $0.name != SyncTables.state }
      for table in state + others.reversed() { try tx.execute("DELETE FROM \(sql: .names([table.name]))") }
      for table in others + state {
        for row in table.rows {
          let values = row.map { value -> BoundSQL in "\(value)" }
          try tx.execute(
            """
            INSERT INTO \(sql: .names([table.name])) (\(sql: .names(table.columns))) VALUES (\(sql: .joined(values, separator: ", ")))
            """)
        }
      }
    }
  }
}
