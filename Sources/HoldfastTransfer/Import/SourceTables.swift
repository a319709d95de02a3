public import Holdfast

/// The tables of another program's database as its importer sees them: its own, one after the other, and others that stay in the source.
///
/// ```swift
/// tables = try SourceTables(source, own: ["shelves", "books"])
/// try tables.rows(of: "books") { row in try book(row, visit) }
/// try tables.skipOthers("library", visit)
/// ```
public struct SourceTables {
  /// The database.
  public let source: SQLiteSource
  /// The number of rows in all tables but the bookkeeping, for the format's `total`.
  public let total: Int
  /// The tables that the importer does not read, with their numbers of rows.
  public let others: [(table: String, rows: Int)]
  /// The number of rows in all own tables before an own table, by its name in lower case.
  private let before: [String: Int]
  private let ownRows: Int

  /// Counts the rows.
  ///
  /// - Parameters:
  ///   - own: the tables that the importer reads, in this order. They may be missing. Names match without case, as in SQLite.
  ///   - bookkeeping: tables about the file itself, which are neither read nor reported. Default: GRDB's.
  /// - Throws: `.invalidSource` when the file is damaged.
  public init(_ source: SQLiteSource, own: [String], bookkeeping: [String] = ["grdb_migrations"]) throws {
    let known = Set((own + bookkeeping).map(SQLiteSource.lowercased))
    others = try source.tables.filter { !known.contains(SQLiteSource.lowercased($0)) }.map { ($0, try source.count(of: $0)) }
    var (before, rows) = ([String: Int](), 0)
    for table in own {
      before[SQLiteSource.lowercased(table)] = rows
      rows += try source.count(of: table)
    }
    (self.source, self.before, ownRows) = (source, before, rows)
    total = others.reduce(rows) { $0 + $1.rows }
  }

  /// Calls `body` with each row of an own table, as `SQLiteSource.rows(of:only:where:orderedBy:_:)` does, and tells each row its position.
  public func rows(of table: String, orderedBy order: [SQLiteSource.Order] = [], _ body: (SQLiteRow) throws -> Void) throws {
    let before = before[SQLiteSource.lowercased(table)] ?? 0
    try source.rows(of: table, orderedBy: order) { try body($0.read(after: before)) }
  }

  /// Visits each row of the other tables as skipped. Called after the own tables were read.
  ///
  /// - Parameters:
  ///   - store: what the library calls its store: `library`.
  ///   - kept: where the rows stay.
  public func skipOthers<Content>(
    _ store: String, kept: String = "the source and its copy", _ visit: (Scanned<Content>, Int) throws -> Void
  ) throws {
    var position = ownRows
    for (table, rows) in others {
      let reason = "the table \(table) has no place in this \(store); it stays in \(kept)"
      for number in 0..<rows {
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), position + number)
      }
      position += rows
    }
  }
}

extension SQLiteSource {
  /// Refuses a database of a later version of its program, by GRDB's names of migrations.
  ///
  /// - Throws: `error` for the first migration that is not among `known`.
  public func refuseMigrations(except known: Set<String>, _ error: (String) -> StoreError) throws {
    try rows(of: "grdb_migrations") { row in
      if let name = row.text("identifier"), !known.contains(name) { throw error(name) }
    }
  }
}

extension SourceMembers {
  /// Ends a record that was read from a row; see `finish(kind:key:path:original:at:_:)`.
  public mutating func finish<Content>(
    kind: String, _ row: SQLiteRow, _ visit: (Scanned<Content>, Int) throws -> Void
  ) throws -> Bool {
    try finish(kind: kind, path: row.path, original: row.original, at: row.position, visit)
  }
}
