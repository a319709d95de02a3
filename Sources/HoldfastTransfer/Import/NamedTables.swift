import Foundation
package import Holdfast

/// What of another program's database has a place in a store: by the names of tables and columns, without case and underscores.
///
/// Nothing is guessed. A table that would need a guess has `refusals`.
package struct NamedTables {
  package struct Column: Sendable {
    /// The column's names in the source and in the store.
    package let source: String
    package let name: String
    let kind: ColumnKind
  }

  /// A table of the source, with the store's table for its rows.
  package struct Table: Sendable {
    package let source: String
    package let rows: Int
    package let columns: [Column]
    /// The columns of the source that have no place.
    package let unplaced: [String]
    /// The columns of the store that the source lacks: a new row has their default, or NULL.
    package let unfilled: [String]
    /// Why the rows cannot be imported, as sentences for people. Empty: they can.
    package let refusals: [String]
    /// The columns by which a row is found again, as places in `columns`.
    let key: [Int]
    let stored: SQLTable

    /// The table's name in the store.
    package var name: String { stored.name }
  }

  /// The tables that have a place; parents come before their children.
  package let tables: [Table]
  /// The tables of the source that have no place.
  package let unplaced: [(table: String, rows: Int)]

  /// Compares the tables of a source with those of a store. Tables of the kit, of search indexes, and those that the store never exports are
  /// no place for anything.
  ///
  /// - Throws: `.wrongKind` for a source that is a Holdfast store; `.invalidSource`; `.decoding` when the store's description is damaged.
  package init(_ source: SQLiteSource, in reader: Reader) throws {
    try source.refuseStore()
    let description = try reader.description()
    let stored = try reader.tables().filter { !$0.isOfKit && !description.isNeverExported($0.name) }
    let pairs = Self.pairs(source.tables, stored.map(\.name))
    let found = try stored.compactMap { table in
      try pairs.first { $0.name == table.name }.map { try Table(table, from: $0.source, source, description, reader) }
    }
    tables = TableOutline.parentsFirst(found, name: \.name, parents: { $0.stored.references.map(\.parent) })
    let placed = Set(pairs.map(\.source))
    unplaced = try source.tables.filter { !placed.contains($0) }.map { ($0, try source.count(of: $0)) }
  }

  /// The names of the store for which the source has the same name, or else the only other spelling on both sides.
  fileprivate static func pairs(_ source: [String], _ store: [String]) -> [(source: String, name: String)] {
    let theirs = Dictionary(grouping: source, by: SourceMembers.plain)
    let ours = Dictionary(grouping: store, by: SourceMembers.plain)
    return store.compactMap { name in
      let spellings = theirs[SourceMembers.plain(name)] ?? []
      let same = spellings.first { $0.isSameName(as: name) }
      let isOnly = spellings.count == 1 && ours[SourceMembers.plain(name)]?.count == 1
      return (same ?? (isOnly ? spellings.first : nil)).map { ($0, name) }
    }
  }
}

extension NamedTables.Table {
  fileprivate init(
    _ table: SQLTable, from name: String, _ source: SQLiteSource, _ description: StoreDescription, _ reader: Reader
  ) throws {
    let theirs = try source.columns(of: name)
    // Only the app knows the meaning of the others.
    let described = table.given.filter { description.kind(of: $0, in: table.name) != nil }
    columns = NamedTables.pairs(theirs, described).compactMap { pair in
      description.kind(of: pair.name, in: table.name).map { NamedTables.Column(source: pair.source, name: pair.name, kind: $0) }
    }
    let (placed, filled) = (Set(columns.map(\.source)), columns.map(\.name))
    unplaced = theirs.filter { !placed.contains($0) }
    unfilled = table.given.filter { !filled.contains($0) && $0 != table.rowIDColumn }
    // The number of a row means nothing outside its file: another key comes first.
    let keys = table.rowIDColumn == nil && !table.primaryKey.isEmpty ? [table.primaryKey] : [table.uniqueKey ?? [], table.primaryKey]
    key = keys.map { $0.compactMap(filled.firstIndex(of:)) }.enumerated().first { !$1.isEmpty && $1.count == keys[$0].count }?.element ?? []
    rows = try source.count(of: name)
    (self.source, stored) = (name, table)
    refusals =
      if rows == 0 {
        []
      } else if !description.describes(table.name) {
        ["the store does not tell what the columns hold; its app must declare a record for the table, and open the store"]
      } else {
        try Self.refusals(table, filled, isKeyed: !key.isEmpty, keys) + Self.numbers(columns, of: name, source)
          + Self.otherRows(table, key.map { filled[$0] }, filled, reader)
      }
  }

  private static func refusals(_ table: SQLTable, _ filled: [String], isKeyed: Bool, _ keys: [[String]]) -> [String] {
    let missing = table.needed.filter { !filled.contains($0) }.map { "the column \($0) needs a value, and the source has no such column" }
    guard !isKeyed, missing.isEmpty else { return missing }
    guard let key = keys.last(where: { !$0.isEmpty }) else { return ["the store's table has no key, by which a row could be found again"] }
    return ["a row is found again by \(key.joined(separator: ", ")), which the source does not have"]
  }

  /// Rows that bring their numbers along must not meet rows of the store's own: what names a row by its number would then name another one.
  static func otherRows(_ table: SQLTable, _ key: [String], _ filled: [String], _ reader: Reader) throws -> [String] {
    guard let number = table.rowIDColumn, filled.contains(number), let column = key.first else { return [] }
    // An id is in the ledger as the source spells it. A key of several columns is not looked for: then every row counts as the store's own.
    let text: BoundSQL = "CAST(t.\(sql: .names([column])) AS TEXT)"
    let isKnown: BoundSQL = key.count == 1 ? "i.key IN (\(sql: text), upper(\(sql: text)), lower(\(sql: text)))" : "FALSE"
    let others = try reader.count(
      """
      SELECT count(*) FROM \(sql: .names([table.name])) t WHERE NOT EXISTS (
        SELECT 1 FROM holdfast_imported i WHERE i.kind = \(table.name) AND \(sql: isKnown))
      """)
    guard others > 0 else { return [] }
    return ["the source gives its rows numbers (\(number)), and the store's table has rows of its own, whose numbers mean other rows"]
  }

  /// Columns with numbers where only text or bytes say what is meant.
  private static func numbers(_ columns: [NamedTables.Column], of table: String, _ source: SQLiteSource) throws -> [String] {
    let asked = columns.filter { $0.kind == .date || $0.kind == .id }
    guard !asked.isEmpty else { return [] }
    var found: Set<String> = []
    try source.rows(of: table, only: asked.map { SQLiteSource.lowercased($0.source) }) { row in
      for column in asked {
        switch row.value(column.source) {
        case .integer?, .real?: found.insert(column.source)
        default: break
        }
      }
    }
    return asked.filter { found.contains($0.source) }.map { column in
      column.kind == .id
        ? "the column \(column.source) has numbers, and the store's ids are UUIDs"
        : "the column \(column.source) has numbers, which may be seconds or milliseconds, since 1970 or since 2001"
    }
  }
}

extension NamedTables.Column {
  /// The value for the store, with the source's text for it. Nil for a value that is not of the column's kind.
  func read(_ row: SQLiteRow) -> Written<SQLValue>? {
    guard let value = row.value(source), !row.isBrokenText(source) else { return nil }
    let text = SourceMembers.value(row, source)
    switch (kind, value) {
    case (_, .null): return Written(value: value, text: .null)
    case (.id, .text), (.id, .blob):
      return ValueForm<UUID>.id.read(SourceMembers.id(row, source) ?? text).map { Written(value: .id($0.value), text: $0.text) }
    case (.date, .text):
      guard let date = ValueForm<Date>.sqlText.read(text), let number = DateCodec.milliseconds(date.value) else { return nil }
      return Written(value: .integer(number), text: date.text)
    case (.json, .text), (.json, .blob):
      // SQLite takes no byte order mark for JSON.
      guard case .string(let json) = text, json.unicodeScalars.first != "\u{FEFF}" else { return nil }
      return JSONValue(json: json).map { Written(value: .text(json), text: $0) }
    case (.flag, .integer(0)), (.flag, .integer(1)), (.seconds, .integer), (.number, .integer), (.text, .text), (.bytes, .blob):
      return Written(value: value, text: told(value))
    case (.seconds, .real(let number)) where number.isFinite, (.number, .real(let number)) where number.isFinite:
      return Written(value: value, text: told(value))
    default: return nil
    }
  }

  /// A stored value in the source's form. A whole number is one number, however it is stored.
  func told(_ value: SQLValue) -> JSONValue {
    switch (kind, value) {
    case (.id, .text(let text)): IDCodec.parse(text).map(JSONValue.id) ?? .string(text)
    case (.date, .integer(let number)): DateCodec.date(milliseconds: number).map(JSONValue.sqlDate) ?? .integer(number)
    case (.json, .text(let text)): JSONValue(json: text) ?? .string(text)
    case (_, .null): .null
    case (_, .integer(let number)): .integer(number)
    case (_, .real(let number)): Int64(exactly: number).map(JSONValue.integer) ?? .double(number)
    case (_, .text(let text)): .string(text)
    case (_, .blob(let bytes)): .object(["blob": .string(bytes.base64EncodedString())])
    }
  }
}
