import Foundation
internal import GRDB
internal import GRDBSQLite

/// `SQLITE_IOERR_NOMEM`, a macro that Swift cannot import.
private let ioErrorNoMemory: Int32 = SQLITE_IOERR | 12 << 8

extension StoreError {
  /// Translates SQLite's result codes; no other code does.
  ///
  /// - Parameter systemCode: the `errno` that SQLite kept for the connection; 0 when there is none.
  init(sqliteCode extended: Int32, message: String, path: String? = nil, systemCode: Int32 = 0, cause: (any Error)? = nil) {
    let subject = path.map { "\($0): " } ?? ""
    let code: Code =
      switch extended & 0xFF {
      case _ where extended == ioErrorNoMemory: .outOfMemory
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      // Another connection was faster, or has just changed the schema. The same call will succeed later.
      case SQLITE_PROTOCOL, SQLITE_SCHEMA: .busy
      case SQLITE_FULL: .diskFull
      case SQLITE_NOMEM: .outOfMemory
      case SQLITE_ABORT: .rolledBack
      case SQLITE_CORRUPT: .damaged
      case SQLITE_NOTADB: .notADatabase
      case SQLITE_READONLY: .readOnly
      case SQLITE_PERM: .permissionDenied
      case SQLITE_CONSTRAINT: .constraint
      case SQLITE_INTERRUPT: .cancelled
      case SQLITE_AUTH: Self.withholdsData(systemCode) ? .deviceLocked : .misuse
      case SQLITE_CANTOPEN: Self.code(of: systemCode, .cannotCreate)
      case SQLITE_IOERR: Self.code(of: systemCode, .inputOutput)
      case SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG: .invalidValue
      case SQLITE_ERROR where Self.unreadableIndex.contains(where: message.hasPrefix): .damaged
      default: .misuse
      }
    let heals = code == .damaged && extended & 0xFF == SQLITE_ERROR
    self.init(
      code, subject + message,
      suggestion: heals ? "A search index cannot be read. Heal the store: the index is made again, and no row is lost." : nil, cause: cause)
    sqliteCode = extended
    if code == .constraint { readConstraint(message) }
  }

  /// The system's error decides: SQLite makes the index of a log, for example, with a plain write.
  private static func code(of systemCode: Int32, _ otherwise: Code) -> Code {
    let told = DurableFile.code(of: systemCode, otherwise)
    return withholdsData(systemCode) ? .deviceLocked : told == .notFound ? otherwise : told
  }

  /// How SQLite's messages begin where FTS5 cannot read the tables of an index. Their code is that of wrong SQL, which has other messages.
  private static let unreadableIndex = ["invalid fts5 file format", "vtable constructor failed", "SQL logic error"]

  /// The last error of a connection.
  init(sqlite handle: OpaquePointer, _ code: Int32, path: String? = nil) {
    let extended = sqlite3_extended_errcode(handle)
    // A call without a statement does not change the connection's last code.
    let isOwn = extended & 0xFF == code & 0xFF
    self.init(
      sqliteCode: isOwn ? extended : code, message: String(cString: isOwn ? sqlite3_errmsg(handle) : sqlite3_errstr(code)), path: path,
      systemCode: sqlite3_system_errno(handle))
  }

  /// Converts any error. A `StoreError` stays as it is; another error becomes its `cause`, with the code `.cancelled` for a
  /// `CancellationError`, the code of a file's error of Foundation or the system, and `.misuse` for an error that the kit does not know.
  public init(_ error: any Error) { self.init(error, path: nil) }

  /// - Parameters:
  ///   - path: the file that an error of SQLite names.
  ///   - systemCode: the `errno` that SQLite kept for the connection; nil: the thread's own `errno`, for a connection that could not be
  ///     opened.
  init(_ error: any Error, path: String?, systemCode: Int32? = nil) {
    switch error {
    case let error as StoreError: self = path.map { error.naming(URL(fileURLWithPath: $0)) } ?? error
    case let error as DatabaseError:
      self.init(
        sqliteCode: error.extendedResultCode.rawValue, message: error.message ?? String(describing: error.resultCode), path: path,
        systemCode: systemCode ?? errno, cause: error)
    case is CancellationError: self.init(.cancelled, "the task was cancelled", cause: error)
    case _ where DurableFile.isOfFiles(error): self = DurableFile.failure(error, path.map { URL(fileURLWithPath: $0) })
    default: self.init(.misuse, String(describing: error), cause: error)
    }
  }

  /// On Apple platforms, data protection fails reads of a locked device with EPERM.
  private static func withholdsData(_ code: Int32) -> Bool {
    // Platform: data protection is the system's.
    #if canImport(Darwin)
      code == EPERM
    #else
      false
    #endif
  }

  /// Whether a unique value belongs to another row. The numbers are those of `SQLITE_CONSTRAINT_PRIMARYKEY`, `UNIQUE` and `ROWID`.
  var isOfTakenValue: Bool { [6, 8, 10].contains { sqliteCode == SQLITE_CONSTRAINT | $0 << 8 } }

  /// Sets the column of a failed CHECK: the first of `columns` in the constraint's name or expression.
  func naming(columns: [String]) -> StoreError {
    guard code == .constraint, column == nil, let range = message.range(of: "CHECK constraint failed: ") else { return self }
    let words = message[range.upperBound...].split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    var error = self
    error.column = words.first { columns.contains(String($0)) }.map(String.init)
    return error
  }

  /// Sets table and column from SQLite's message, which alone has them: "UNIQUE constraint failed: tracks.id".
  private mutating func readConstraint(_ message: String) {
    let range = message.range(of: "constraint failed: ") ?? message.range(of: " column ", options: .backwards)
    guard let range, let first = message[range.upperBound...].split(separator: ",").first else { return }
    let parts = first.split(separator: ".", maxSplits: 1)
    if parts.count == 2, let table = parts.first, let column = parts.last {
      self.table = String(table)
      self.column = String(column)
    }
  }
}

extension Database {
  /// Runs `body`. An error of SQLite gets the system's reason that SQLite kept for this connection.
  func telling<T>(of path: String?, _ body: (Database) throws -> T) throws -> T {
    do {
      return try body(self)
    } catch let error as DatabaseError {
      throw StoreError(error, path: path, systemCode: sqliteConnection.map { sqlite3_system_errno($0) })
    }
  }
}
