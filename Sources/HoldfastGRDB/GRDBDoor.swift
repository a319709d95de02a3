public import GRDB
public import Holdfast

extension Writer {
  /// The GRDB connection of this transaction, for what GRDB offers and Holdfast does not.
  ///
  /// Runs inside the transaction of the kit, which commits or rolls back: do not begin or end one here. The connection is
  /// valid only inside `body`. Statements run through GRDB's own calls are seen by every observer.
  ///
  /// What `body` did before it threw is undone; the transaction goes on where the error is caught. `body` is a savepoint: while a live
  /// query follows a table, GRDB keeps each row that `body` changes there in memory until `body` ends. Change millions of rows with
  /// `execute` instead. Do not call this while the rows of a statement that writes are
  /// being read: GRDB throws `SQLITE_BUSY`. Read all its rows first.
  /// - Throws: what `body` throws. After SQLite has ended the transaction by itself, GRDB's calls throw `SQLITE_ABORT` and reach nothing.
  ///   This throws `.rolledBack` then, unless `body` throws an error of its own.
  public func withGRDB<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOpen()
    var result: T?
    // Inside a savepoint of its own, GRDB asks before each statement whether the transaction still stands.
    do {
      try database.inSavepoint {
        result = try body(database)
        return .commit
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ABORT {
      try checkOpen()
      throw error
    }
    guard let result else { throw StoreError(.rolledBack, "the transaction was ended inside its closure") }
    return result
  }
}

extension Reader {
  /// The GRDB connection of this read. Valid only inside `body`; the connection refuses to write.
  public func withGRDBReader<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOpen()
    // What GRDB remembers of the tables may be older than a migration or restore through another connection.
    database.clearSchemaCache()
    return try database.readOnly { try body(database) }
  }
}
