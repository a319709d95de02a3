import Foundation
import Holdfast
import HoldfastTransfer

/// The tables of a store that this program does not know, as lists.
enum PlainTables {
  private typealias Row = [SQLValue]

  /// One list for each table, by name. Tables of the kit, of SQLite and of search indexes are left out.
  static func lists(in reader: Reader) throws -> [ListDescription] {
    try reader.tables().filter { !$0.isOfKit }.map(list)
  }

  private static func list(_ table: SQLTable) -> ListDescription {
    let columns = table.given
    let fields = columns.enumerated().map { place, name in
      ShownField<Row>(name, name.uppercased()) { row in row.indices.contains(place) ? value(row[place]) : .text(nil) }
    }
    let (source, order) = (BoundSQL.names([table.name]), BoundSQL.names(table.storedOrder))
    return ListDescription(table.name, "as they are stored", fields) {
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
