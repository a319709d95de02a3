import Foundation
import Holdfast
import HoldfastTransfer

/// The tables of a store that this program does not know, as lists.
enum PlainTables {
  private typealias Row = [SQLValue]

  /// One list for each table, by name. Tables of the kit, of SQLite and of search indexes are left out.
  static func lists(in reader: Reader) throws -> [ListDescription] {
    let names = try reader.values(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
      AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'holdfast\\_%' ESCAPE '\\' ORDER BY name
      """
    ) { row in try row.text() }
    return try names.map { try list($0, reader) }
  }

  private static func list(_ table: String, _ reader: Reader) throws -> ListDescription {
    let columns = try reader.values("SELECT name FROM pragma_table_info(\(table))") { row in try row.text() }
    let fields = columns.enumerated().map { place, name in
      ShownField<Row>(name, name.uppercased()) { row in row.indices.contains(place) ? value(row[place]) : .text(nil) }
    }
    let source: BoundSQL = "\(sql: .names([table]))"
    let order = try reader.storedOrder(of: table)
    return ListDescription(table, "as they are stored", fields) {
      try $0.count("SELECT count(*) FROM \(sql: source)")
    } rows: { reader, offset, limit, body in
      // SQLite reads a negative limit as none.
      let window: BoundSQL = "LIMIT \(limit ?? -1) OFFSET \(offset)"
      try reader.rows("SELECT \(sql: .names(columns)) FROM \(sql: source) ORDER BY \(sql: order) \(sql: window)") { row in
        try body(columns.map { _ in try row.value() })
      }
    }
  }

  private static func value(_ value: SQLValue) -> ShownValue {
    switch value {
    case .null: .text(nil)
    case .integer(let number): .count(Int(number))
    case .real(let number): .told(.number(number.isFinite ? number : nil), number.description)
    case .text(let text): .text(text)
    case .blob(let data): .told(.json(.object(["base64": .string(data.base64EncodedString())])), "\(data.count) bytes")
    }
  }
}
