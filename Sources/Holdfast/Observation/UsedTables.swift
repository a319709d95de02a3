internal import GRDB
internal import GRDBSQLite

/// The columns, in lower case, by the tables that a read uses, spelt as the schema does; nil: all columns.
package typealias UsedTables = [String: Set<String>?]

/// Collects what the statements of one read use.
final class TableCollector {
  private(set) var tables: UsedTables = [:]
  /// Kept, so that no other statement gets the identity of one that was seen.
  private var seen: [ObjectIdentifier: Prepared] = [:]

  /// Notes the tables of a statement that has made its first step. SQLite may have compiled it anew for that.
  func note(_ prepared: Prepared, _ statement: OpaquePointer, _ db: Database) throws {
    if sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 1) > 0 { prepared.tables = nil }
    let used = try prepared.tables ?? Self.tables(of: prepared.sql, db)
    prepared.tables = used
    guard seen.updateValue(prepared, forKey: ObjectIdentifier(prepared)) == nil else { return }
    tables.merge(used) { known, columns in known.flatMap { known in columns.map(known.union) } }
  }

  /// SQLite tells what a statement reads while it is compiled, and GRDB listens.
  static func tables(of sql: String, _ db: Database) throws -> UsedTables {
    let region = try db.makeStatement(sql: sql).databaseRegion
    var used: UsedTables = [:]
    for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    where region.isModified(byEventsOfKind: .delete(tableName: table)) {
      // No column has an empty name.
      guard !region.isModified(byEventsOfKind: .update(tableName: table, columnNames: [""])) else {
        used.updateValue(nil, forKey: table)
        continue
      }
      let columns = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_xinfo(?)", arguments: [table])
      used[table] = Set(
        columns.filter { region.isModified(byEventsOfKind: .update(tableName: table, columnNames: [$0])) }.map { $0.lowercased() })
    }
    return used
  }
}
