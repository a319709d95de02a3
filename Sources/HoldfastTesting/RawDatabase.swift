public import Foundation
internal import GRDBSQLite
public import Holdfast

/// SQLite without the kit: reads a file as it is, also while a store has it open, and damages files that no store has open.
public struct RawDatabase {
  /// An error of SQLite.
  public struct Failure: Error {
    /// SQLite's message, and the statement.
    public var message: String
  }

  private let handle: OpaquePointer

  /// Opens the file while `body` runs; makes it when `creating` is true.
  ///
  /// - Parameter key: the key of an encrypted store.
  /// - Throws: `Failure` when the file cannot be opened; the errors of `body`.
  public static func with<T>(_ url: URL, creating: Bool = false, key: StoreKey? = nil, _ body: (RawDatabase) throws -> T) throws -> T {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(url.path, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw Failure(message: "\(url.path) cannot be opened")
    }
    defer { sqlite3_close(opened) }
    if let key { try Encryption.give(key, to: opened, url.path) }
    return try body(RawDatabase(handle: opened))
  }

  /// Runs one or more statements.
  public func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// The values of all rows as text; NULL becomes "NULL".
  public func rows(_ sql: String) throws -> [[String]] {
    do { return try RawConnection.texts(sql, on: handle).map { row in row.map { $0 ?? "NULL" } } } catch { throw failure(sql) }
  }

  /// A statement that inserts one row of SQL literals, by column. `changes` replace some of them, or add columns.
  package static func insert(into table: String, _ values: [String: String], _ changes: [String: String] = [:]) -> String {
    let row = values.merging(changes) { $1 }.sorted { $0.key < $1.key }
    return "INSERT INTO \(table) (\(row.map(\.key).joined(separator: ", "))) VALUES (\(row.map(\.value).joined(separator: ", ")))"
  }

  /// Stores each text of a database that is a UUID as its 16 bytes, as GRDB does for a Codable record.
  package static func storeIDsAsBytes(in file: URL) throws {
    try with(file) { database in
      try database.execute("PRAGMA foreign_keys = OFF")
      for table in try database.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").joined() {
        let name = table.replacingOccurrences(of: "'", with: "''")
        for column in try database.rows("SELECT name FROM pragma_table_info('\(name)')").joined() {
          let (table, column) = (quoted(table), quoted(column))
          let texts = try database.rows("SELECT DISTINCT \(column) FROM \(table) WHERE typeof(\(column)) = 'text'").joined()
          for id in texts where IDCodec.parse(id) != nil {
            let bytes = id.replacingOccurrences(of: "-", with: "")
            try database.execute("UPDATE \(table) SET \(column) = x'\(bytes)' WHERE \(column) = '\(id)'")
          }
        }
      }
    }
  }

  private func failure(_ sql: String) -> Failure { Failure(message: "\(String(cString: sqlite3_errmsg(handle))) in: \(sql)") }
}
