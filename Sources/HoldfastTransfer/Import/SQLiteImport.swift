public import Foundation
public import Holdfast

/// The importer of another program's SQLite database, described by one table of fields for each of its tables.
///
/// ```swift
/// try SQLiteImport(
///   "notes-grdb", SQLiteSource(source),
///   [.table("folder", Folder.grdb, blank: …), .table("note", Note.grdb, blank: …, ids: ["id"])])
/// ```
/// Each row becomes one record, which is found again by its id. A record that an earlier import wrote gets only the fields that the source
/// has.
public struct SQLiteImport: ImportFormat {
  /// One table of the source.
  public struct Table {
    let name: String
    let kind: (name: String, table: String)
    let scan: (SQLiteSource, (Scanned<SaidContent>, Int) throws -> Void) throws -> Void

    /// Describes one table.
    ///
    /// - Parameters:
    ///   - name: the table's name in the source.
    ///   - fields: the columns that are read; one of them is the id. Names match without case and underscores.
    ///   - blank: the values of a new record for the fields that a row lacks.
    ///   - ids: the columns with UUIDs of 16 bytes, in lower case. GRDB stores a UUID so by default. Default: none.
    ///   - json: the columns with JSON, in lower case. Default: none.
    ///   - modifiedAt: the time of a row's last change. Of source and store, the newer one counts. Default: rows have no such time.
    ///   - save: the library's verb that inserts or updates a record. Default: `Writer.upsert(_:)`.
    public static func table<Row: StoredRecord & Identifiable & Sendable>(
      _ name: String, _ fields: FieldTable<Row>, blank: Row, ids: Set<String> = [], json: Set<String> = [],
      modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
      save: @escaping @Sendable (Row, Writer) throws -> Void = { try $1.upsert($0) }
    ) -> Table where Row.ID == UUID {
      Table(name: name, kind: (name: Row.table, table: Row.table)) { source, visit in
        var number = 0
        try source.rows(of: name) { row in
          number += 1
          var members = SourceMembers(row, json: json, ids: ids)
          let said = members.read(fields, into: blank)
          guard try members.finish(kind: Row.table, path: row.path, original: row.original, at: number, visit) else { return }
          try visit(
            .record(
              fields.record(said, kind: Row.table, path: row.path, original: row.original, modifiedAt: modifiedAt, save: save)), number)
        }
      }
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
  ///   - tables: the tables to read, parents before their children. Other tables of the source are not read.
  /// - Throws: `.invalidSource` when one of the tables is missing, or the file is damaged; `.wrongKind` for a Holdfast store.
  public init(_ name: String, version: Int = 1, _ source: SQLiteSource, _ tables: [Table]) throws {
    try source.refuseStore()
    for table in tables where !source.tables.contains(table.name) {
      throw StoreError(
        .invalidSource, "this database has no table \(table.name)", suggestion: "Check that this is the database of the right app.")
    }
    (self.name, self.version, self.source, self.tables) = (name, version, source, tables)
    total = try tables.reduce(0) { try $0 + source.count(of: $1.name) }
  }

  /// The tables of the store, in the order of the source's tables.
  public var kinds: [(name: String, table: String)] { tables.map(\.kind) }

  /// Reads the tables, row by row.
  public func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var done = 0
    for table in tables {
      try table.scan(source) { scanned, number in try visit(scanned, done + number) }
      done += try source.count(of: table.name)
    }
  }

  /// Saves the record. A stored record gets only the fields that the source has.
  public func write(_ record: SourceRecord<SaidContent>, in tx: Writer) throws { try record.content.write(tx) }

  /// The stored record in the source's form.
  public func readBack(_ record: SourceRecord<SaidContent>, in reader: Reader) throws -> StoredShape? {
    try record.content.readBack(reader)
  }
}
