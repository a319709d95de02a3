import Holdfast
import HoldfastTransfer

/// A hash of every row of some tables, which shows whether a store changed.
struct Contents {
  private let tables: [(name: String, columns: Int, sql: String)]

  /// - Parameter others: columns that are left out of the hash.
  init(of store: Store, _ tables: [String], without others: Set<String> = []) throws {
    self.tables = try store.read { reader in
      try tables.map { table in
        // A row id is only the row's place in the file.
        let columns = try reader.values("SELECT name FROM pragma_table_info(\(table)) WHERE name <> 'rowid' ORDER BY cid") { try $0.text() }
          .filter { !others.contains($0) }
        return (table, columns.count, "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY 1, 2")
      }
    }
  }

  func hash(of store: Store) throws -> Int64 {
    try store.read { reader in
      var print = Fingerprint()
      for table in tables {
        print.combine(table.name)
        try reader.rows("\(raw: table.sql)") { row in
          for _ in 0..<table.columns {
            switch try row.value() {
            case .null: print.combineNil()
            case .integer(let value): print.combine(value)
            case .real(let value): print.combine(value)
            case .text(let value): print.combine(value)
            case .blob(let value): print.combine(value)
            }
          }
        }
      }
      return print.value
    }
  }
}
