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
  private var kinds: [ExactText: [ExactText: ColumnKind]] = [:]
  private var hidden: Set<ExactText> = []

  /// Empty where the file has none. A kind that this version does not know is left out.
  ///
  /// - Throws: `.decoding` where the table is not as the kit makes it: what the file says of secrets is then not known.
  init(_ query: TextQuery) throws {
    guard let type = try Self.type(query) else { return }
    guard try Self.isSound(type, query) else {
      throw StoreError(
        .decoding, "the table \(Self.name), in which the file describes itself, is not as it was made",
        suggestion: "Open the store with its app, which makes the table again.")
    }
    for row in try query("SELECT table_name, column_name, kind FROM \(Self.name)") {
      guard let table = row[0].map(ColumnName.folded), let column = row[1].map(ColumnName.folded), let kind = row[2] else { continue }
      if kind == Self.neverExported { hidden.insert(table) }
      if let kind = ColumnKind(rawValue: kind) { kinds[table, default: [:]][column] = kind }
    }
  }

  /// Nil where the file has nothing of this name.
  private static func type(_ query: TextQuery) throws -> String? {
    try query("SELECT type FROM sqlite_schema WHERE type IN ('table', 'view') AND name = '\(name)' COLLATE NOCASE").first?.first ?? nil
  }

  private static func isSound(_ type: String, _ query: TextQuery) throws -> Bool {
    let columns = try query("SELECT name FROM pragma_table_info('\(name)')").compactMap { $0.first ?? nil }
    return type == "table" && columns == ["table_name", "column_name", "kind"]
  }

  package func kind(of column: String, in table: String) -> ColumnKind? {
    kinds[ColumnName.folded(table)]?[ColumnName.folded(column)]
  }

  package func describes(_ table: String) -> Bool { kinds[ColumnName.folded(table)] != nil }

  package func isNeverExported(_ table: String) -> Bool { hidden.contains(ColumnName.folded(table)) }

  /// The schemas of whose tables the file describes none, or of which it does not tell what is never exported. All, where the table is not
  /// sound.
  static func lacking(_ schemas: [StoreSchema], in query: TextQuery) throws -> [StoreSchema] {
    let told: StoreDescription
    do { told = try StoreDescription(query) } catch let error as StoreError where error.code == .decoding { return schemas }
    return schemas.filter { schema in
      !schema.neverExported.allSatisfy(told.isNeverExported)
        || !schema.records.isEmpty && !schema.records.contains { told.describes(ColumnName.bare($0.table)) }
    }
  }

  /// Writes what the schemas' records and declarations tell. Call in a transaction, after the migrations.
  static func write(_ schemas: [StoreSchema], to db: Database) throws {
    if let type = try type(db.texts), try !isSound(type, db.texts) { try db.execute(sql: "DROP \(type) \(name)") }
    try db.execute(sql: table)
    // What was never to be exported is still in the archive.
    try db.execute(
      sql: """
        DELETE FROM \(name) WHERE kind <> '\(neverExported)'
          AND lower(table_name) NOT IN (SELECT lower(name) FROM sqlite_schema WHERE type = 'table')
        """)
    let records = schemas.flatMap(\.records)
    let hidden = schemas.flatMap(\.neverExported)
    for table in Set(records.map { ColumnName.bare($0.table) } + hidden).sorted() {
      try db.execute(sql: "DELETE FROM \(name) WHERE table_name = ?", arguments: [table])
    }
    for table in hidden { try add(table, "", neverExported, db) }
    for record in records { try add(record, db) }
  }

  private static func add<Record: StoredRecord>(_ type: Record.Type, _ db: Database) throws {
    let find = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE"
    let table = ColumnName.bare(type.table)
    let sql = try String.fetchOne(db, sql: find, arguments: [table]) ?? ""
    let kinds = try KindProbe.kinds(of: type, declaredAs: sql)
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
      let source: BoundSQL = "FROM \(sql: .names([table.name])) WHERE"
      func finding(_ row: inout StoredRow, _ words: String) throws -> IntegrityReport.Finding {
        let place: String? =
          switch try? row.value() {
          case .text(let text)?: text
          case .integer(let number)?: String(number)
          default: nil
          }
        return .init(part: .kinds, table: table.name, row: place, message: "\(column) should hold \(words), and does not")
      }
      var found = try reader.values(
        "SELECT \(sql: row) \(sql: source) \(sql: name) IS NOT NULL AND NOT (\(sql: kind.holds(for: name))) LIMIT 100"
      ) { row in try finding(&row, kind.words) }
      // SQLite does not tell whether a text is UTF-8.
      guard [.id, .json, .text].contains(kind) else { return found }
      try reader.rows("SELECT \(sql: name), \(sql: row) \(sql: source) typeof(\(sql: name)) = 'text'") { row in
        do { _ = try row.text() } catch let error as StoreError where error.code == .decoding {
          if found.count < 100 { found.append(try finding(&row, "text in UTF-8")) }
        }
      }
      return found
    }
  }

  /// What is wrong with the first value of a row that is not of the kind of its column. Nil: none is. NULL is of every kind.
  ///
  /// - Parameter condition: SQL that is true for this row alone.
  package func finding(_ table: String, _ columns: [String], where condition: BoundSQL, in reader: Reader) throws -> String? {
    let described = columns.compactMap { column in kind(of: column, in: table).map { (column: column, kind: $0) } }
    guard !described.isEmpty else { return nil }
    let terms = described.map { one -> BoundSQL in
      let name = BoundSQL.names([one.column])
      return "\(sql: name) IS NULL OR (\(sql: one.kind.holds(for: name)))"
    }
    let select: BoundSQL = "SELECT \(sql: .joined(terms, separator: ", ")) FROM \(sql: .names([table])) WHERE \(sql: condition)"
    let held = try reader.value(select) { row in try described.map { _ in try row.value() != .integer(0) } } ?? []
    return zip(described, held).first { !$1 }.map { "\($0.0.column) should hold \($0.0.kind.words), and does not" }
  }
}

extension ColumnKind {
  /// A value of this kind, for people.
  package var words: String {
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
      // What follows a NUL is not seen by GLOB.
      return "typeof(\(sql: column)) = 'text' AND length(CAST(\(sql: column) AS BLOB)) = 36 AND lower(\(sql: column)) GLOB \(digits)"
    case .date:
      let range = DateCodec.range
      return "typeof(\(sql: column)) = 'integer' AND \(sql: column) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .seconds, .number: return "typeof(\(sql: column)) IN ('integer', 'real')"
    case .flag: return "typeof(\(sql: column)) = 'integer' AND \(sql: column) IN (0, 1)"
    case .json: return "typeof(\(sql: column)) = 'text' AND json_valid(\(sql: column)) AND instr(\(sql: column), char(0)) = 0"
    case .bytes: return "typeof(\(sql: column)) = 'blob'"
    case .text: return "typeof(\(sql: column)) = 'text'"
    }
  }
}
