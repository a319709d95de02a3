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

  /// By name; without SQLite's own objects, and without the file's description and the tables of sync, which it may lack.
  var objects: [String: Object] = [:]
  /// The names of `objects` in the order of making.
  var names: [String] = []
  /// The columns of each table, by table name; without full-text indexes.
  var columns: [String: Set<String>] = [:]
  /// Those among them whose values SQLite gives: generated columns, and an INTEGER PRIMARY KEY that is the rowid.
  var givenBySQLite: [String: Set<String>] = [:]
  /// Whether the file is connected to a space: see `SyncTables`.
  var isConnected = false
  /// The full-text indexes that SQLite cannot open.
  var unreadable: Set<String> = []

  init(_ query: TextQuery) throws {
    let rows = try query(
      """
      SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
      WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '\(StoreDescription.name)' ORDER BY rowid
      """)
    for row in rows {
      guard row.count == 4, let type = row[0], let name = row[1], let table = row[2], let sql = row[3] else { continue }
      if SyncTables.isOne(table) {
        isConnected = isConnected || name == SyncTables.state
        continue
      }
      if objects.updateValue(Object(type: type, table: table, sql: sql), forKey: name) == nil { names.append(name) }
    }
    let virtual = objects.filter { $1.sql.hasPrefix("CREATE VIRTUAL TABLE") }.keys
    let shadows = Set(virtual.flatMap { table in ([""] + SearchIndex.shadows).map { table + $0 } })
    let columns = try query(
      """
      SELECT s.name, c.name,
        c.hidden IN (2, 3)
          OR c.pk = 1 AND upper(c.type) = 'INTEGER' AND NOT EXISTS (SELECT 1 FROM pragma_index_list(s.name) WHERE origin = 'pk')
      FROM sqlite_schema s CROSS JOIN pragma_table_xinfo(s.name) c
      WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL TABLE%'
      """)
    for row in columns {
      guard row.count == 3, let table = row[0], let column = row[1], objects[table] != nil, !shadows.contains(table) else { continue }
      self.columns[table, default: []].insert(column)
      if row[2] == "1" { givenBySQLite[table, default: []].insert(column) }
    }
    for index in searchIndexes where try !index.isReadable({ objects[$0] != nil }, query) { unreadable.insert(index.name) }
  }

  init(_ db: Database) throws { try self.init(db.texts) }

  /// The full-text indexes, in the order of making.
  var searchIndexes: [SearchIndex] { names.compactMap { name in objects[name].flatMap { SearchIndex(name, $0.sql) } } }

  /// The expected objects that hold no rows and that this file lacks, in the order of making: indexes, triggers, views, and full-text indexes
  /// whose text is in another table, also those that SQLite cannot open. None where a table is missing: that is a loss of rows, and the check
  /// tells it.
  func missing(of expected: SchemaShape) -> [String] {
    guard expected.columns.keys.allSatisfy({ columns[$0] != nil }) else { return [] }
    return expected.names.filter { name in
      guard let object = expected.objects[name] else { return false }
      if let index = SearchIndex(name, object.sql) {
        guard index.hasTextElsewhere else { return false }
        return objects[name].map { unreadable.contains(name) && $0.isSame(as: object) } ?? true
      }
      return object.type != "table" && objects[name] == nil
    }
  }

  /// The end of a sentence about an object that opening makes again.
  static let madeAgain = "; opening the store for writing, `heal` or `migrate --run` makes it again"

  /// The end of a sentence about an object that only the file has.
  static let notDeclared = " is not declared"

  /// The differences between this file's objects and the expected ones, one sentence each. An object that only this file has counts as a
  /// difference, except a trigger: other parts of the app may have added triggers to these tables.
  ///
  /// - Parameter again: the names of the objects that opening makes again.
  func differences(from expected: SchemaShape, again: [String] = []) -> [String] {
    var found: [String] = []
    let again = Set(again + again.flatMap { index in SearchIndex.shadows.map { index + $0 } })
    for (name, object) in expected.objects.sorted(by: { $0.key < $1.key }) {
      let end = again.contains(name) ? Self.madeAgain : ""
      if let mine = objects[name] {
        if !mine.isSame(as: object) { found.append("\(object.type) \(name) is not as declared: \(mine.sql)\(end)") }
      } else {
        found.append("\(object.type) \(name) is missing\(end)")
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

extension Reader {
  /// The shape of the store's file.
  package func schemaShape() throws -> SchemaShape {
    try checkOpen()
    return try SchemaShape(database)
  }
}

extension Database {
  /// Drops an object; a full-text index whatever state its tables are in.
  func drop(_ name: String, _ object: SchemaShape.Object) throws {
    guard let index = SearchIndex(name, object.sql) else { return try execute(sql: "DROP \(object.type) \(quoted(name))") }
    guard let handle = sqliteConnection else { throw StoreError(.closed, "the connection is closed") }
    try index.drop(on: handle) { try execute(sql: $0) }
  }

  /// All rows of a query, each value as text.
  func texts(_ sql: String) throws -> [[String?]] {
    guard let handle = sqliteConnection else { throw StoreError(.closed, "the connection is closed") }
    let path = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    return try RawConnection.texts(sql, on: handle, path: path.isEmpty ? nil : path)
  }
}
