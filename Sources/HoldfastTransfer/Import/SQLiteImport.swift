public import Foundation
public import Holdfast

/// The importer of another program's SQLite database, described by one table of fields for each of its tables.
///
/// ```swift
/// try SQLiteImport(
///   "library-grdb", SQLiteSource(source),
///   [.table("author", Author.grdb), .table("book", Book.grdb), .table("bookAuthor", BookAuthor.grdb)])
/// ```
/// Each row becomes one record, which is found again by the key of its record type, of one column or several. A record that an earlier import
/// wrote gets only the fields that the source has. A row whose parent was not taken goes into quarantine, too: the store's
/// foreign keys say what belongs to what. The report names the tables that were not read.
public struct SQLiteImport: ImportFormat {
  /// One table of the source.
  public struct Table {
    let name: String
    let place: KindPlace
    /// The names of all fields, and of those without which no row can be imported.
    let wanted: [String]
    let required: [String]
    /// Of a file of Core Data.
    var entity: String?
    /// The names of the fields with bytes.
    var bytes: Set<String> = []
    let check: () throws -> Void
    let scan: (Table, SQLiteSource, [KindPlace], Reader, (Scanned<SaidContent>, Int) throws -> Void) throws -> Void

    /// Describes one table.
    ///
    /// - Parameters:
    ///   - name: the table's name in the source.
    ///   - fields: the columns that are read, including the record's key. Names match without case and underscores. The form of a
    ///     field says what bytes in its column are: an id, JSON, or bytes.
    ///   - blank: the values of a new record for the fields that a row lacks. Default, for a `Codable` record: numbers 0, empty texts and
    ///     lists, nil, and the first case of an enum.
    ///   - modifiedAt: the time of a row's last change. Of source and store, the newer one counts. Default: rows have no such time.
    ///   - save: the library's verb that inserts or updates a record. Default: `Writer.upsert(_:)`.
    public static func table<Row: StoredRecord>(
      _ name: String, _ fields: FieldTable<Row>, blank: Row? = nil, modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
      save: @escaping @Sendable (Row, Writer) throws -> Void = { try $1.upsert($0) }
    ) -> Table {
      func make() throws -> RecordMaker<Row> { try RecordMaker(Row.table, fields, blank: blank, modifiedAt: modifiedAt, save: save) }
      let required = fields.fields.filter { $0.parts.absence == .fails && $0.parts.object == nil }.map(\.name)
      let place = KindPlace(name: Row.table, table: Row.table, key: Row.key)
      return Table(name: name, place: place, wanted: fields.fields.map(\.name), required: required) {
        _ = try make()
      } scan: { table, source, kinds, reader, visit in
        let maker = try make()
        try maker.findReferences(among: kinds, in: reader)
        var number = 0
        let match = try table.entityNumber(source).map { (column: "z_ent", value: $0) }
        try source.rows(of: name, only: table.columns(source), where: match) { row in
          number += 1
          var members = SourceMembers(row)
          let said = members.read(fields, into: maker.blank)
          try maker.finish(&members, said, path: row.path, original: row.original, at: number, visit)
        }
        try maker.end(visit)
      }
    }

    /// The columns to read: those that SQLite computes, and those of Core Data itself, only where a field names them.
    private func columns(_ source: SQLiteSource) throws -> [String] {
      let plain = Set(wanted.map(SourceMembers.plain))
      let columns = try source.columns(of: name).filter { entity == nil || !$0.hasPrefix("Z_") || plain.contains(SourceMembers.plain($0)) }
      let generated = try source.generatedColumns(of: name).filter { plain.contains(SourceMembers.plain($0)) }
      return (columns + generated).map(SQLiteSource.lowercased)
    }

    /// - Throws: `.invalidSource` when the source has no such table, or lacks a column without which no row can be imported.
    fileprivate func check(_ source: SQLiteSource) throws {
      guard source.tables.contains(name) else {
        throw StoreError(
          .invalidSource, "this database has no table \(name)", suggestion: "Check that this is the database of the right app.")
      }
      try check()
      let columns = try source.columns(of: name) + source.generatedColumns(of: name)
      let plain = Set(columns.map(SourceMembers.plain))
      guard let missing = required.first(where: { !plain.contains(SourceMembers.plain($0)) }) else {
        return try checkAttributes(source, wanted)
      }
      throw StoreError(
        .invalidSource, "the table \(name) has no column \(missing); its columns are \(columns.joined(separator: ", "))",
        suggestion: "Check the names of the fields, and that this is the database of the right version of the app.")
    }
  }

  /// The name given to the initialiser.
  public let name: String
  /// The version given to the initialiser.
  public let version: Int
  /// The number of rows in all tables.
  public let total: Int
  private let source: SQLiteSource
  private let tables: [Table]

  /// Describes a source.
  ///
  /// - Parameters:
  ///   - name: the format's name in the report and the ledger: `notes-grdb`.
  ///   - version: the format's version in the report. Default 1.
  ///   - tables: the tables to read, parents before their children. The report names other tables that have rows.
  /// - Throws: `.invalidSource` when one of the tables or a column that it must have is missing, or the file is damaged; `.misuse` when the
  ///   fields of a table do not give the key of its records; `.wrongKind` for a Holdfast store.
  public init(_ name: String, version: Int = 1, _ source: SQLiteSource, _ tables: [Table]) throws {
    try source.refuseStore()
    for table in tables { try table.check(source) }
    (self.name, self.version, self.source, self.tables) = (name, version, source, tables)
    total = try tables.reduce(0) { try $0 + source.count(of: $1.name) }
  }

  /// Remarks on tables, and entities of a shared table, that have rows and are not read.
  private func tellUnread(_ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    for name in source.tables where !Self.isBookkeeping(name) {
      let read = tables.filter { $0.name == name }
      let numbers = try read.compactMap { try $0.entityNumber(source) }
      var count = 0
      if read.isEmpty {
        count = try source.count(of: name)
      } else if numbers.count == read.count {
        try source.rows(of: name, only: ["z_ent"]) { row in if let entity = row.value("Z_ENT"), !numbers.contains(entity) { count += 1 } }
      }
      guard count > 0 else { continue }
      let what = read.isEmpty ? "the table \(name) was not read" : "the table \(name) has entities that were not read"
      try visit(.note("\(what); rows: \(count)", path: .text(name)), 0)
    }
  }

  /// Whether a table is of GRDB, or of Core Data, and not of the app.
  private static func isBookkeeping(_ table: String) -> Bool {
    table.hasPrefix("grdb_")
      || ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"].contains(table)
  }

  /// The tables of the store, in the order of the source's tables.
  public var kinds: [(name: String, table: String)] { tables.map { ($0.place.name, $0.place.table) } }

  /// Reads the tables, row by row.
  public func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    try tellUnread(visit)
    var done = 0
    for table in tables {
      try table.scan(table, source, tables.map(\.place), reader) { scanned, number in try visit(scanned, done + number) }
      done += try source.count(of: table.name)
    }
  }
}
