import Foundation
internal import GRDB

/// What a file tells of its own columns and tables: a program that does not know the library shows and checks them as the app would.
///
/// Written with the migrations, and once into a file that lacks it; versions of an app with the same migrations leave it as it is. It is no
/// part of the declared schema: a file may lack it. References between tables are told by the foreign keys.
package struct StoreDescription: Sendable {
  static let name = "holdfast_columns"
  /// A table that is never exported has a row without a column.
  private static let neverExported = "never_exported"
  private static let table = """
    CREATE TABLE IF NOT EXISTS \(name) (
      table_name TEXT NOT NULL, column_name TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (table_name, column_name)) STRICT, WITHOUT ROWID
    """
  private var kinds: [String: [String: ColumnKind]] = [:]
  private var hidden: Set<String> = []

  /// Empty where the file has none. A kind that this version does not know is left out.
  init(_ query: TextQuery) throws {
    guard try Self.isThere(query) else { return }
    for row in try query("SELECT lower(table_name), lower(column_name), kind FROM \(Self.name)") {
      guard let table = row[0], let column = row[1], let kind = row[2] else { continue }
      if kind == Self.neverExported { hidden.insert(table) }
      if let kind = ColumnKind(rawValue: kind) { kinds[table, default: [:]][column] = kind }
    }
  }

  static func isThere(_ query: TextQuery) throws -> Bool {
    try !query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '\(name)'").isEmpty
  }

  package func kind(of column: String, in table: String) -> ColumnKind? { kinds[table.lowercased()]?[column.lowercased()] }

  package func describes(_ table: String) -> Bool { kinds[table.lowercased()] != nil }

  package func isNeverExported(_ table: String) -> Bool { hidden.contains(table.lowercased()) }

  /// The schemas of whose tables the file describes none, or of which it does not tell what is never exported.
  func lacking(_ schemas: [StoreSchema]) -> [StoreSchema] {
    schemas.filter { schema in
      !schema.neverExported.allSatisfy(isNeverExported)
        || !schema.records.isEmpty && !schema.records.contains { describes(ColumnName.bare($0.table)) }
    }
  }

  /// Writes what the schemas' records and declarations tell. Call in a transaction, after the migrations.
  static func write(_ schemas: [StoreSchema], to db: Database, _ connection: Connection) throws {
    try db.execute(sql: table)
    try db.execute(
      sql: """
        DELETE FROM \(name) WHERE lower(table_name) NOT IN (SELECT lower(name) FROM sqlite_schema WHERE type = 'table')
        """)
    let records = schemas.flatMap(\.records)
    let hidden = schemas.flatMap(\.neverExported)
    for table in Set(records.map { ColumnName.bare($0.table) } + hidden).sorted() {
      try db.execute(sql: "DELETE FROM \(name) WHERE table_name = ?", arguments: [table])
    }
    for table in hidden { try add(table, "", neverExported, db) }
    for record in records { try add(record, db, connection) }
  }

  private static func add<Record: StoredRecord>(_ type: Record.Type, _ db: Database, _ connection: Connection) throws {
    let find = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
    let table = ColumnName.bare(type.table)
    let sql = try String.fetchOne(db, sql: find, arguments: [table]) ?? ""
    let kinds = try KindProbe.kinds(of: type, declaredAs: sql, connection)
    for (column, kind) in zip(type.columns.map(ColumnName.bare), kinds) {
      if let kind { try add(table, column, kind.rawValue, db) }
    }
  }

  private static func add(_ table: String, _ column: String, _ kind: String, _ db: Database) throws {
    try db.execute(sql: "INSERT OR IGNORE INTO \(name) VALUES (?, ?, ?)", arguments: [table, column, kind])
  }
}

extension Reader {
  /// What the file tells of its columns and tables.
  package func description() throws -> StoreDescription {
    try checkOpen()
    return try StoreDescription(database.texts)
  }
}

extension StoreDescription {
  /// Values that are not of the kind that their column has, at most 100 of each column. NULL is of every kind.
  func findings(_ table: SQLTable, in reader: Reader) throws -> [IntegrityReport.Finding] {
    try table.given.flatMap { column -> [IntegrityReport.Finding] in
      guard let kind = kind(of: column, in: table.name) else { return [] }
      let (name, row) = (BoundSQL.names([column]), BoundSQL.names(Array((table.primaryKey + table.storedOrder).prefix(1))))
      return try reader.values(
        "SELECT \(sql: row) FROM \(sql: .names([table.name])) WHERE \(sql: name) IS NOT NULL AND NOT (\(sql: kind.holds(for: name))) LIMIT 100"
      ) { row in
        let place =
          switch try row.value() {
          case .text(let text): text
          case .integer(let number): String(number)
          default: "?"
          }
        return .init(part: .kinds, table: table.name, row: place, message: "\(column) should hold \(kind.words), and does not")
      }
    }
  }
}

extension ColumnKind {
  fileprivate var words: String {
    switch self {
    case .id: "a UUID"
    case .date: "a date"
    case .seconds: "a length in seconds"
    case .flag: "0 or 1"
    case .json: "JSON text"
    case .bytes: "bytes"
    case .text: "text"
    case .number: "a number"
    }
  }

  /// SQL that is true for a value of this kind.
  fileprivate func holds(for column: BoundSQL) -> BoundSQL {
    switch self {
    case .id:
      let digits = [8, 4, 4, 4, 12].map { String(repeating: "[0-9a-f]", count: $0) }.joined(separator: "-")
      return "typeof(\(sql: column)) = 'text' AND lower(\(sql: column)) GLOB \(digits)"
    case .date:
      let range = DateCodec.range
      return "typeof(\(sql: column)) = 'integer' AND \(sql: column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .seconds, .number: return "typeof(\(sql: column)) IN ('integer', 'real')"
    case .flag: return "typeof(\(sql: column)) = 'integer' AND \(sql: column) IN (0, 1)"
    case .json: return "typeof(\(sql: column)) = 'text' AND json_valid(\(sql: column))"
    case .bytes: return "typeof(\(sql: column)) = 'blob'"
    case .text: return "typeof(\(sql: column)) = 'text'"
    }
  }
}
