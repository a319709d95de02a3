import Holdfast
import HoldfastTransfer

/// The tables of a store that this program does not know, with values as the file describes them.
enum PlainTables {
  /// The description with what follows from the file: a list and numbers for each table, by name; a kind of record for each table whose rows
  /// one column identifies; and what its search indexes find.
  static func described(_ library: LibraryDescription, in reader: Reader) throws -> LibraryDescription {
    let tables = try tables(in: reader)
    var library = library
    library.lists = tables.map(\.list)
    library.kinds = tables.compactMap(\.kind)
    library.stats = { try ShownTable.stats(of: tables, in: $0) }
    let indexes = try indexes(of: tables, in: reader)
    guard !indexes.isEmpty else { return library }
    library.search = { text, ranked, limit, reader in
      let found = try indexes.map { try $0.table.found(text, in: $0.index, ranked: ranked, limit: limit, reader) }
      return (found.flatMap(\.hits), found.map(\.table))
    }
    return library
  }

  /// The full-text indexes that the kit has made for these tables.
  private static func indexes(of tables: [ShownTable], in reader: Reader) throws -> [(table: ShownTable, index: String)] {
    let named = try reader.values(
      """
      SELECT i.name, t.tbl_name FROM sqlite_schema i JOIN sqlite_schema t ON t.type = 'trigger' AND t.name = i.name || '_insert'
      WHERE i.type = 'table' AND i.sql LIKE 'CREATE VIRTUAL TABLE % /* declared by % USING fts5 %' ORDER BY i.rowid
      """
    ) { row in (index: try row.text(), table: try row.text()) }
    return named.compactMap { name in tables.first { $0.name == name.table }.map { ($0, name.index) } }
  }

  /// Leaves out tables of the kit, of SQLite and of search indexes, and those that are never exported.
  static func tables(in reader: Reader) throws -> [ShownTable] {
    let description = try reader.description()
    return try reader.tables().filter { !$0.isOfKit && !description.isNeverExported($0.name) }.map { table in
      // A number that only this file gives says nothing beside another key.
      if let number = table.rowIDColumn, let key = table.uniqueKey, key.count == 1 {
        return ShownTable(table.name, table.given, key: key, number: number)
      }
      return ShownTable(table.name, table.given, key: table.primaryKey.isEmpty ? table.rowID.map { [$0] } ?? [] : table.primaryKey)
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
