import Foundation
internal import GRDB
internal import GRDBSQLite

extension StoreError {
  /// The one translation of SQLite's result codes.
  package init(sqliteCode extended: Int32, message: String, path: String? = nil, cause: (any Error)? = nil) {
    let subject = path.map { "\($0): " } ?? ""
    let code: Code
    switch extended & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: code = .busy
    case SQLITE_FULL: code = .diskFull
    case SQLITE_CORRUPT: code = .damaged
    case SQLITE_NOTADB: code = .notADatabase
    case SQLITE_READONLY: code = .readOnly
    case SQLITE_PERM: code = .permissionDenied
    case SQLITE_CONSTRAINT: code = .constraint
    case SQLITE_INTERRUPT: code = .cancelled
    case SQLITE_AUTH: code = Self.withholdsData(errno) ? .deviceLocked : .misuse
    case SQLITE_CANTOPEN: code = errno == EACCES || errno == EPERM ? .permissionDenied : .cannotCreate
    // The index of a log, for example, is made with a plain write.
    case SQLITE_IOERR: code = errno == ENOSPC ? .diskFull : Self.withholdsData(errno) ? .deviceLocked : .inputOutput
    case SQLITE_MISMATCH, SQLITE_RANGE, SQLITE_TOOBIG: code = .invalidValue
    default: code = .misuse
    }
    self.init(code, subject + message, cause: cause)
    if code == .constraint { readConstraint(message) }
  }

  /// Any error as a `StoreError`: what the doors throw.
  package init(_ error: any Error, path: String? = nil) {
    switch error {
    case let error as StoreError: self = error
    case let error as DatabaseError:
      self.init(
        sqliteCode: error.extendedResultCode.rawValue, message: error.message ?? String(describing: error.resultCode), path: path,
        cause: error)
    case is CancellationError: self.init(.cancelled, "the task was cancelled", cause: error)
    default: self.init(.misuse, String(describing: error), cause: error)
    }
  }

  /// Data protection answers a locked device's reads with EPERM on Apple platforms.
  private static func withholdsData(_ code: Int32) -> Bool {
    #if canImport(Darwin)
      code == EPERM
    #else
      false
    #endif
  }

  /// A failed CHECK is told by its name or expression: the first of `columns` that it mentions.
  func naming(columns: [String]) -> StoreError {
    guard code == .constraint, column == nil, let range = message.range(of: "CHECK constraint failed: ") else { return self }
    let words = message[range.upperBound...].split { !$0.isLetter && !$0.isNumber && $0 != "_" }
    var error = self
    error.column = words.first { columns.contains(String($0)) }.map(String.init)
    return error
  }

  /// SQLite names the column only in its message: "UNIQUE constraint failed: tracks.id".
  private mutating func readConstraint(_ message: String) {
    let subject: Substring
    if let range = message.range(of: "constraint failed: ") {
      subject = message[range.upperBound...]
    } else if let range = message.range(of: " column ", options: .backwards) {
      subject = message[range.upperBound...]
    } else {
      return
    }
    let first = subject.split(separator: ",")[...].first ?? subject
    let parts = first.split(separator: ".", maxSplits: 1)
    if parts.count == 2, let table = parts.first, let column = parts.last {
      self.table = String(table)
      self.column = String(column)
    }
  }
}
