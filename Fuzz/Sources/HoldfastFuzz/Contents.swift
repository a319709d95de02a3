import Foundation
import Holdfast

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
      var print = RowsHash()
      for table in tables {
        print.combine(0, table.name.utf8)
        try reader.rows("\(raw: table.sql)") { row in
          for _ in 0..<table.columns {
            switch try row.value() {
            case .null: print.combine(1, [])
            case .integer(let value): print.combine(2, UInt64(bitPattern: value))
            case .real(let value): print.combine(3, value.bitPattern)
            case .text(let value): print.combine(4, value.utf8)
            case .blob(let value): print.combine(5, value)
            }
          }
        }
      }
      return print.value
    }
  }
}

/// FNV-1a over a tag, a length and the bytes of each value: the same in every process, and different for ("a", "bc") and ("ab", "c").
private struct RowsHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  var value: Int64 { Int64(bitPattern: state) }

  mutating func combine(_ tag: UInt8, _ bytes: some Collection<UInt8>) {
    absorb(tag)
    absorb(UInt64(bytes.count))
    for byte in bytes { absorb(byte) }
  }

  mutating func combine(_ tag: UInt8, _ number: UInt64) {
    absorb(tag)
    absorb(number)
  }

  private mutating func absorb(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { absorb(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
  }

  private mutating func absorb(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
