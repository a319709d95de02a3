import Foundation
internal import GRDB
internal import GRDBSQLite

/// Runs one query and returns every value as text. Works with `RawConnection` and with GRDB's connections.
typealias TextQuery = (String) throws -> [[String?]]

/// The shape of a file: its objects by name with their SQL, and the columns of its tables.
package struct SchemaShape {
  struct Object {
    var type: String
    var table: String
    var sql: String

    /// Whether both declare the same. In an older SQLite, ALTER rewrites the SQL with other quotes, spaces and upper or lower case.
    func isSame(as other: Object) -> Bool {
      type == other.type && table.lowercased() == other.table.lowercased()
        && (sql == other.sql || SQLTokens.of(sql) == SQLTokens.of(other.sql))
    }
  }

  /// By name; without SQLite's own objects.
  var objects: [String: Object] = [:]
  /// The columns of each table, by table name; without full-text indexes.
  var columns: [String: Set<String>] = [:]

  /// The suffixes of the tables in which FTS5 keeps an index.
  static let shadows = ["_data", "_idx", "_content", "_docsize", "_config"]

  init(_ query: TextQuery) throws {
    let rows = try query("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
    for row in rows {
      guard row.count == 4, let type = row[0], let name = row[1], let table = row[2], let sql = row[3] else { continue }
      objects[name] = Object(type: type, table: table, sql: sql)
    }
    let virtual = objects.filter { $1.sql.hasPrefix("CREATE VIRTUAL TABLE") }.keys
    let shadows = Set(virtual.flatMap { table in ([""] + Self.shadows).map { table + $0 } })
    let names = try query(
      """
      SELECT s.name, c.name FROM sqlite_schema s CROSS JOIN pragma_table_xinfo(s.name) c
      WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL TABLE%'
      """)
    for row in names {
      guard row.count == 2, let table = row[0], let column = row[1], objects[table] != nil, !shadows.contains(table) else { continue }
      columns[table, default: []].insert(column)
    }
  }

  init(_ db: Database) throws { try self.init(db.texts) }

  /// The end of a sentence about an object that only the file has.
  static let notDeclared = " is not declared"

  /// The differences between this file's objects and the expected ones, one sentence each. An object that only this file has counts as a
  /// difference, except a trigger: other parts of the app may have added triggers to these tables.
  func differences(from expected: SchemaShape) -> [String] {
    var found: [String] = []
    for (name, object) in expected.objects.sorted(by: { $0.key < $1.key }) {
      if let mine = objects[name] {
        if !mine.isSame(as: object) { found.append("\(object.type) \(name) is not as declared: \(mine.sql)") }
      } else {
        found.append("\(object.type) \(name) is missing")
      }
    }
    for (name, object) in objects.sorted(by: { $0.key < $1.key }) where expected.objects[name] == nil && object.type != "trigger" {
      found.append("\(object.type) \(name)\(Self.notDeclared)")
    }
    return found
  }

  /// The declared columns that this file lacks, as `table.column`.
  func missingColumns(of expected: SchemaShape) -> [String] {
    expected.columns.flatMap { table, names in
      names.subtracting(columns[table] ?? []).map { "\(table).\($0)" }
    }.sorted()
  }
}

extension Database {
  /// All rows of a query, each value as text.
  func texts(_ sql: String) throws -> [[String?]] {
    guard let handle = sqliteConnection else { throw StoreError(.closed, "the connection is closed") }
    let path = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    return try RawConnection.texts(sql, on: handle, path: path.isEmpty ? nil : path)
  }

  /// The virtual tables made by FTS5.
  func fullTextTables() throws -> [String] { try String.fetchAll(self, sql: Self.fullTextTables) }

  static let fullTextTables =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY name"
}
