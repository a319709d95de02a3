import Foundation
import Holdfast
import HoldfastTransfer

/// The tables of a store that this program does not know, with values as the file describes them.
enum PlainTables {
  private typealias Row = [SQLValue]

  /// One list for each table, by name.
  static func lists(in reader: Reader) throws -> [ListDescription] {
    let description = try reader.description()
    return try tables(in: reader, description).map { list($0, description) }
  }

  /// One kind of record for each table whose rows one column identifies.
  static func kinds(in reader: Reader) throws -> [ShownKind] {
    let description = try reader.description()
    return try tables(in: reader, description).compactMap { kind($0, description) }
  }

  /// Leaves out tables of the kit, of SQLite and of search indexes, and those that are never exported.
  private static func tables(in reader: Reader, _ description: StoreDescription) throws -> [SQLTable] {
    try reader.tables().filter { !$0.isOfKit && !description.isNeverExported($0.name) }
  }

  private static func fields(_ table: SQLTable, _ description: StoreDescription) -> [ShownField<Row>] {
    table.given.enumerated().map { place, name in
      let kind = description.kind(of: name, in: table.name)
      return ShownField<Row>(name, name.uppercased()) { row in row.indices.contains(place) ? .of(row[place], as: kind) : .text(nil) }
    }
  }

  private static func list(_ table: SQLTable, _ description: StoreDescription) -> ListDescription {
    let columns = table.given
    let (source, order) = (BoundSQL.names([table.name]), BoundSQL.names(table.storedOrder))
    return ListDescription(table.name, "as they are stored", fields(table, description)) {
      try $0.count("SELECT count(*) FROM \(sql: source)")
    } rows: { reader, offset, limit, body in
      // SQLite reads a negative limit as none.
      let window: BoundSQL = "LIMIT \(limit ?? -1) OFFSET \(offset)"
      try reader.rows("SELECT \(sql: .names(columns)) FROM \(sql: source) ORDER BY \(sql: order) \(sql: window)") { row in
        try body(columns.map { _ in try row.value() })
      }
    }
  }

  private static func kind(_ table: SQLTable, _ description: StoreDescription) -> ShownKind? {
    let key = table.primaryKey.isEmpty ? table.rowID.map { [$0] } ?? [] : table.primaryKey
    guard key.count == 1 else { return nil }
    let (columns, fields) = (table.given, fields(table, description))
    let name = columns.first { ["title", "name"].contains($0.lowercased()) }
    let (source, id) = (BoundSQL.names([table.name]), BoundSQL.names(key))
    let label = name.map { BoundSQL.names([$0]) } ?? id
    return ShownKind(table.name) { wanted, reader in
      let condition: BoundSQL
      switch wanted {
      case .id(let text): condition = "\(sql: id) IN (\(text), \(text.lowercased()), \(text.uppercased()))"
      case .beginning(let text): condition = "\(sql: id) >= \(text) AND \(sql: id) < \(text + "g") AND typeof(\(sql: id)) = 'text'"
      case .name(let text): condition = "\(sql: label) = \(text) COLLATE NOCASE"
      }
      return try reader.values(
        "SELECT CAST(\(sql: id) AS TEXT), coalesce(CAST(\(sql: label) AS TEXT), ''), \(sql: .names(columns)) FROM \(sql: source) WHERE \(sql: condition) LIMIT 6"
      ) { row in
        let (id, label) = (try row.text(), try row.text())
        let values = try columns.map { _ in try row.value() }
        return ShownKind.Found(id, label) { _ in
          // A column may have the name of a member that every document has.
          let members = fields.members(of: values).map { ["kind", "ok", "schema", "store"].contains($0) ? ("column_\($0)", $1) : ($0, $1) }
          return Shown(Dictionary(members) { first, _ in first }, [fields.facts(of: values)])
        }
      }
    }
  }
}

extension StoreDescription {
  /// A value as the app shows it, where the file tells its kind.
  func shown(_ value: SQLValue, in table: String, _ column: String) -> ShownValue { .of(value, as: kind(of: column, in: table)) }
}

extension ShownValue {
  /// A value as the app shows it, if it is of the kind of its column; any other value as it is stored.
  static func of(_ value: SQLValue, as kind: ColumnKind?) -> ShownValue {
    switch (kind, value) {
    case (.id?, .text(let text)): if let id = IDCodec.parse(text) { return .id(id) }
    case (.date?, .integer(let number)): if let date = DateCodec.date(milliseconds: number) { return .time(date) }
    case (.seconds?, .real(let number)) where number.isFinite: return .length(number)
    case (.seconds?, .integer(let number)): return .length(Double(number))
    case (.flag?, .integer(0)): return .told(.flag(false), "no")
    case (.flag?, .integer(1)): return .flag(true)
    case (.json?, .text(let text)): return .stored(text)
    default: break
    }
    switch value {
    case .null: return .text(nil)
    case .integer(let number): return .count(Int(number))
    case .real(let number): return .told(.number(number.isFinite ? number : nil), number.description)
    case .text(let text): return .text(text)
    case .blob(let data): return .bytes(data)
    }
  }
}

extension ShownValue {
  /// For people: lengths in minutes, anything else as for programs.
  var told: JSONValue {
    if case .length = self { return .string(words) }
    return json
  }
}

extension StoreDescription {
  /// Values as people or programs read them, where the file tells their kinds.
  func shown(_ values: [String: JSONValue], in table: String, as form: (ShownValue) -> JSONValue) -> [String: JSONValue] {
    Dictionary(
      uniqueKeysWithValues: values.map { column, value in
        let stored: SQLValue? =
          switch (kind(of: column, in: table), value) {
          case (.date?, .integer(let number)), (.flag?, .integer(let number)), (.seconds?, .integer(let number)): .integer(number)
          case (.seconds?, .double(let number)): .real(number)
          case (.json?, .string(let text)): .text(text)
          default: nil
          }
        return (column, stored.map { form(shown($0, in: table, column)) } ?? value)
      })
  }
}

extension RowDifference {
  /// The same with values as people or programs read them.
  func shown(_ table: String, by description: StoreDescription, as form: (ShownValue) -> JSONValue) -> RowDifference {
    func shown(_ values: [String: JSONValue]) -> [String: JSONValue] { description.shown(values, in: table, as: form) }
    return RowDifference(kind: kind, key: shown(key), before: before.map(shown), after: after.map(shown))
  }
}
