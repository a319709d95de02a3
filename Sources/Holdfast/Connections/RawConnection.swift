internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// A connection without GRDB: for looking, copying and locking. Made by `ConnectionFactory`.
package final class RawConnection {
  package let handle: OpaquePointer
  let path: String
  private var hasKey = false

  /// - Parameter name: the path, or a URI with further options.
  init(_ name: String, path: String, flags: Int32) throws {
    try ConnectionFactory.checkLength(path)
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard let opened else { throw StoreError(.outOfMemory, "\(path): there is not enough memory to open a connection") }
    handle = opened
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    // A connection that looks or copies never checkpoints.
    _ = holdfast_checkpoints_on_close(handle, 0)
    sqlite3_wal_autocheckpoint(handle, 0)
    guard code == SQLITE_OK else { throw failure(code) }
  }

  deinit { sqlite3_close(handle) }

  /// Call before the first read.
  func use(_ key: StoreKey) throws {
    hasKey = true
    try Encryption.give(key, to: handle, path)
  }

  enum Lock {
    case taken
    case held
    case failed(StoreError)
  }

  /// Takes SQLite's exclusive lock on the file, and changes nothing. The lock ends when the connection closes.
  func lockExclusively() -> Lock {
    let code = holdfast_lock_exclusively(handle)
    switch code & 0xFF {
    case SQLITE_OK: return .taken
    case SQLITE_BUSY: return .held
    default: return .failed(failure(code))
    }
  }

  /// All rows of a query, each value as text.
  func texts(_ sql: String) throws -> [[String?]] { try withKey { try Self.texts(sql, on: handle, path: path) } }

  func run(_ sql: String) throws { try withKey { try Self.each(sql, on: handle, path: path) { _ in } } }

  /// Calls `body` with each row of a query.
  func rows(_ sql: BoundSQL, _ body: (inout StoredRow) throws -> Void) throws {
    try withKey {
      try Self.each(sql.text, binding: sql.values, on: handle, path: path) { statement in
        var row = StoredRow(statement)
        try body(&row)
      }
    }
  }

  /// The values that `body` makes, one for each row of a query.
  func values<T>(_ sql: BoundSQL, _ body: (inout StoredRow) throws -> T) throws -> [T] {
    var result: [T] = []
    try rows(sql) { row in result.append(try body(&row)) }
    return result
  }

  /// With a key, a file that SQLite does not take for a database has another key, or none.
  private func withKey<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as StoreError where hasKey && error.code == .notADatabase {
      throw StoreError(.wrongKey, "\(path) cannot be read with this key", cause: error)
    }
  }

  package static func texts(_ sql: String, on handle: OpaquePointer, path: String? = nil) throws -> [[String?]] {
    var rows: [[String?]] = []
    try each(sql, on: handle, path: path) { statement in
      rows.append((0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
    }
    return rows
  }

  /// Makes SQLite refuse values that are longer than `bytes`.
  package func limitValues(to bytes: Int64) { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes)) }

  private static func each(
    _ sql: String, binding values: [SQLValue] = [], on handle: OpaquePointer, path: String?, _ body: (OpaquePointer) throws -> Void
  ) throws {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw StoreError(sqlite: handle, code, path: path) }
    defer { sqlite3_finalize(statement) }
    var bound = Values(copyingInto: statement)
    for value in values { try bound.value(value) }
    while true {
      // Stepped by hand: it looks, copies and checks; what it writes is a file that nobody watches.
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(statement)
      case SQLITE_DONE: return
      case let code: throw StoreError(sqlite: handle, code, path: path)
      }
    }
  }

  /// SQLite's error of the last call.
  package func failure() -> StoreError { StoreError(sqlite: handle, sqlite3_extended_errcode(handle)) }

  func failure(_ code: Int32, _ path: String? = nil) -> StoreError { StoreError(sqlite: handle, code, path: path ?? self.path) }
}
