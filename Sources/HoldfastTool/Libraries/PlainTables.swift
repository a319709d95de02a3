import Holdfast
import HoldfastTransfer

/// The tables of a store that this program does not know, with values as the file describes them.
enum PlainTables {
  /// One list for each table, by name.
  static func lists(in reader: Reader) throws -> [ListDescription] { try tables(in: reader).map(\.list) }

  /// One kind of record for each table whose rows one column identifies.
  static func kinds(in reader: Reader) throws -> [ShownKind] { try tables(in: reader).compactMap(\.kind) }

  /// Leaves out tables of the kit, of SQLite and of search indexes, and those that are never exported.
  private static func tables(in reader: Reader) throws -> [ShownTable] {
    let description = try reader.description()
    return try reader.tables().filter { !$0.isOfKit && !description.isNeverExported($0.name) }.map { table in
      ShownTable(table.name, table.given, key: table.primaryKey.isEmpty ? table.rowID.map { [$0] } ?? [] : table.primaryKey)
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
