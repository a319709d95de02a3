public import Foundation
internal import GRDBSQLite

/// SQLite without the kit: to look at a file as it is, also while a store has it open, and to damage one that no store has open.
public struct RawDatabase {
  /// What SQLite said.
  public struct Failure: Error {
    /// SQLite's message with the statement.
    public var message: String
  }

  private let handle: OpaquePointer

  /// Opens the file for the length of `body`; makes it when `creating`.
  ///
  /// - Throws: `Failure` when it cannot be opened; what `body` throws.
  public static func with<T>(_ url: URL, creating: Bool = false, _ body: (RawDatabase) throws -> T) throws -> T {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
    guard sqlite3_open_v2(url.path, &opened, flags, nil) == SQLITE_OK, let opened else {
      throw Failure(message: "\(url.path) cannot be opened")
    }
    defer { sqlite3_close(opened) }
    return try body(RawDatabase(handle: opened))
  }

  /// Runs one or more statements.
  public func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
  }

  /// Every row's values as text; NULL is "NULL".
  public func rows(_ sql: String) throws -> [[String]] {
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
