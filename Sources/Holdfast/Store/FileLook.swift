package import Foundation
internal import GRDBSQLite

/// What stands at a path, found through a read-only connection: opening one with a log converts a foreign file just by
/// looking, and a store must never change what is not its own.
package struct FileLook {
  enum Content {
    /// No file.
    case missing
    /// A database without any table.
    case empty
    /// A database that Holdfast did not make.
    case foreign(tables: [String])
    /// A store.
    case store(versions: [String: Int], ran: [MigrationRunner.Ran], shape: SchemaShape)
  }

  var content: Content

  /// - Throws: `.notADatabase`, `.damaged`, `.busy`, `.permissionDenied`, `.wrongKey` …; the file is left as it is.
  init(_ path: String, busyTimeout: Duration, key: Data?) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      content = .missing
      return
    }
    if isFolder.boolValue { throw StoreError(.notADatabase, "\(path) is a folder") }
    if DurableFile.isSpecial(path) { throw StoreError(.notADatabase, "\(path) is not a file") }
    let log = FileLook.size(path + "-wal")
    if FileLook.size(path) == 0 {
      // A new file that was made and not filled yet. With a log beside it, it once held something.
      if log > 0 {
        throw StoreError(.damaged, "\(path) is empty, and the log beside it is not: the file was cut off")
      }
      content = .empty
      return
    }
    do {
      content = try FileLook.read(path, hasLog: log > 0, busyTimeout: busyTimeout, key: key)
    } catch {
      var failure = StoreError(error, path: path)
      if failure.code == .notADatabase {
        if key != nil {
          failure = StoreError(.wrongKey, "\(path) cannot be read with this key", cause: error)
        } else {
          failure.message = "\(path) is not a SQLite database"
        }
      }
      throw failure
    }
  }

  private static func read(_ path: String, hasLog: Bool, busyTimeout: Duration, key: Data?) throws -> Content {
    // Without a log nothing needs to be locked or replayed, and an immutable look leaves no -wal and -shm behind.
    let look = try ReadOnlyLook(hasLog ? path : immutable(path), uri: !hasLog, path: path, busyTimeout: busyTimeout, key: key)
    let tables = try look.texts("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").compactMap { $0.first ?? nil }
    guard tables.contains("holdfast_schemas") else { return tables.isEmpty ? .empty : .foreign(tables: tables) }
    do {
      var versions: [String: Int] = [:]
      for row in try look.texts("SELECT name, version FROM holdfast_schemas") {
        if let name = row[0], let version = row[1] { versions[name] = Int(version) ?? 0 }
      }
      return .store(versions: versions, ran: try MigrationRunner.ran(look.texts), shape: try SchemaShape(look.texts))
    } catch let error as StoreError where error.code == .misuse {
      // Tables of our names without our columns.
      return .foreign(tables: tables)
    }
  }

  /// A URI that promises SQLite that nobody changes the file meanwhile.
  static func immutable(_ path: String) -> String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
    guard let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) else { return path }
    return "file:\(escaped)?immutable=1"
  }

  package static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}

/// A read-only connection of SQLite's own, for looking before GRDB opens anything.
private final class ReadOnlyLook {
  private let handle: OpaquePointer

  init(_ name: String, uri: Bool, path: String, busyTimeout: Duration, key: Data?) throws {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (uri ? SQLITE_OPEN_URI : 0), nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      // SQLite says "unable to open" also for a file that may not be read.
      if access(path, R_OK) != 0 { throw StoreError(.permissionDenied, "\(path) may not be read") }
      throw StoreError(sqliteCode: code, message: String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Int32(clamping: Int(busyTimeout.inSeconds * 1000)))
    if let key { _ = try texts(Encryption.pragma(key)) }
  }

  deinit { sqlite3_close(handle) }

  func texts(_ sql: String) throws -> [[String?]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure() }
    defer { sqlite3_finalize(statement) }
    var rows: [[String?]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } })
      case SQLITE_DONE: return rows
      default: throw failure()
      }
    }
  }

  private func failure() -> StoreError {
    StoreError(sqliteCode: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }
}

extension Duration {
  package var inSeconds: TimeInterval { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
