package import Holdfast

/// Imports the rows of another program's database into tables of a store that have the same names. No code of the store's app runs.
///
/// A row that the store refuses goes into quarantine, and so does one that the store would keep with another value than the source has.
package struct NamedTablesImport: ImportFormat {
  /// One row: its values for the store, in the order of the table's columns.
  package struct Row: Sendable {
    fileprivate let table: NamedTables.Table
    fileprivate let values: [SQLValue]
  }

  /// A foreign key of a table: the parent, and the columns that name its row, as places among the table's columns.
  private typealias Link = (parent: String, from: [Int])

  package let name = "tables-by-name"
  package let version = 1
  /// The number of rows in all tables.
  package let total: Int
  private let source: SQLiteSource
  private let tables: [NamedTables.Table]

  /// - Throws: `.invalidSource` when a table has refusals.
  package init(_ named: NamedTables, _ source: SQLiteSource) throws {
    for table in named.tables { try Self.check(table, table.refusals) }
    (tables, self.source) = (named.tables, source)
    total = tables.reduce(0) { $0 + $1.rows }
  }

  /// Checks once more, in the transaction that writes: an app may have added rows since the plan was made.
  package func settled(in reader: Reader) throws -> NamedTablesImport {
    for table in tables where table.rows > 0 {
      let names = table.columns.map(\.name)
      try Self.check(table, NamedTables.Table.otherRows(table.stored, table.key.map { names[$0] }, names, reader))
    }
    return self
  }

  private static func check(_ table: NamedTables.Table, _ refusals: [String]) throws {
    guard !refusals.isEmpty else { return }
    throw StoreError(
      .invalidSource, "the table \(table.source) cannot be imported: \(refusals.joined(separator: "; "))",
      suggestion: "Import it with an importer of the app's own (SQLiteImport); or import a copy of the source without this table.")
  }

  /// The tables of the store, parents first.
  package var kinds: [(name: String, table: String)] { tables.map { ($0.name, $0.name) } }

  package func scan(_ reader: Reader, _ visit: (Scanned<Row>, Int) throws -> Void) throws {
    var done = 0
    for table in tables {
      try scan(table, from: done, visit)
      done += table.rows
    }
  }

  private func scan(_ table: NamedTables.Table, from start: Int, _ visit: (Scanned<Row>, Int) throws -> Void) throws {
    let links = links(of: table)
    let isTree = links.contains { $0.parent == table.name }
    var tree = TreeOrder<Row>()
    var number = start
    try source.rows(of: table.source) { row in
      number += 1
      let written = table.columns.map { $0.read(row) }
      let key = Self.key(table.key, written)
      func refuse(_ reason: String) throws {
        try visit(.damaged(kind: table.name, key: key, path: row.path, reason: reason, original: row.original), number)
      }
      if let wrong = written.firstIndex(where: { $0 == nil }) {
        let column = table.columns[wrong]
        return try refuse("\(column.source) should be \(column.kind.words), found \(row.json(column.source).prefix(60))")
      }
      guard let key else { return try refuse("a part of the key is NULL") }
      let known = written.compactMap(\.self)
      let named = links.compactMap { link in Self.key(link.from, written).map { (parent: link.parent, key: $0) } }
      let record = SourceRecord(
        kind: table.name, key: key, references: named.filter { $0.parent != table.name }.map { .init(kind: $0.parent, key: $0.key) },
        path: row.path, fields: zip(table.columns, known).map { SourceField($0.source, $1.text) },
        content: Row(table: table, values: known.map(\.value)), original: row.original)
      guard isTree else { return try visit(.record(record), number) }
      try tree.take(record, above: named.filter { $0.parent == table.name }.map(\.key), at: number, visit)
    }
    try tree.end(visit)
  }

  /// The foreign keys that name a row of an imported table by the key of that table.
  private func links(of table: NamedTables.Table) -> [Link] {
    table.stored.references.compactMap { reference -> Link? in
      guard let parent = tables.first(where: { $0.name.isSameName(as: reference.parent) }) else { return nil }
      let key = parent.key.map { parent.columns[$0].name }
      let to = reference.to.isEmpty ? parent.stored.primaryKey : reference.to
      let from = reference.from.compactMap { name in table.columns.firstIndex { $0.name.isSameName(as: name) } }
      guard to.count == key.count, zip(to, key).allSatisfy({ $0.isSameName(as: $1) }), from.count == key.count else { return nil }
      return (parent.name, from)
    }
  }

  /// A key as the ledger has it. Nil where a part of it is NULL, or could not be read.
  private static func key(_ places: [Int], _ written: [Written<SQLValue>?]) -> String? {
    let texts = places.compactMap { written[$0]?.text }.filter { $0 != .null }
    return texts.count == places.count ? PortableImport.key(texts.map(\.plainText)) : nil
  }

  package func write(_ record: SourceRecord<Row>, in tx: Writer) throws {
    try record.content.keyed.write(in: tx)
    try KeyedRow.check(readBack(record, in: tx), is: record.fields)
  }

  package func readBack(_ record: SourceRecord<Row>, in reader: Reader) throws -> StoredShape? {
    let table = record.content.table
    let columns = BoundSQL.names(table.columns.map(\.name))
    return try reader.value("SELECT \(sql: columns) FROM \(sql: .names([table.name])) WHERE \(sql: record.content.keyed.condition)") {
      row in
      StoredShape(fields: try table.columns.map { SourceField($0.source, $0.told(try row.value())) })
    }
  }
}

extension NamedTablesImport.Row {
  fileprivate var keyed: KeyedRow { KeyedRow(table: table.name, columns: table.columns.map(\.name), values: values, key: table.key) }
}
