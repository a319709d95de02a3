import Foundation
import GRDBSQLite

/// SQLite without the kit: to look at a file as it is, and to damage it.
struct RawDatabase {
  struct Failure: Error { var message: String }

  private let handle: OpaquePointer

  static func with<T>(_ url: URL, _ body: (RawDatabase) throws -> T) throws -> T {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(url.path, &opened, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let opened else {
      throw Failure(message: "\(url.path) cannot be opened")
    }
    defer { sqlite3_close(opened) }
    return try body(RawDatabase(handle: opened))
  }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Every row's values as text; NULL is "NULL".
  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? "NULL" })
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  private func failure(_ sql: String) -> Failure { Failure(message: "\(String(cString: sqlite3_errmsg(handle))) in: \(sql)") }
}
