public import GRDB
public import Holdfast

extension Writer {
  /// Gives GRDB's connection of this transaction, for features of GRDB that Holdfast lacks.
  ///
  /// Runs inside the kit's transaction: do not begin or end a transaction here. The connection is valid only inside `body`. All observers
  /// see the changes of statements that GRDB's own calls run.
  ///
  /// When `body` throws, its changes are undone; the transaction goes on if the error is caught. `body` is a savepoint: while a live query
  /// watches a table, GRDB keeps each row that `body` changes there in memory until `body` ends. Change millions of rows with `execute`
  /// instead. Do not call this while the rows of a statement that writes are being read: GRDB throws `SQLITE_BUSY`. Read all its rows
  /// first.
  /// - Throws: the errors of `body`. After SQLite has ended the transaction by itself, GRDB's calls throw `SQLITE_ABORT` and change
  ///   nothing. This method then throws `.rolledBack`, unless `body` throws an error of its own.
  public func withGRDB<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOpen()
    var result: T?
    // Inside its own savepoint, GRDB checks before each statement that the transaction is still open.
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
  /// Gives GRDB's connection of this read. Valid only inside `body`; the connection refuses to write.
  ///
  /// - Throws: the errors of `body`; `.misuse` in the read of a live query, which would not notice changes of what GRDB reads.
  public func withGRDBReader<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOpen()
    try checkReadsAreSeen()
    // GRDB's cached schema may be older than a migration or restore through another connection.
    database.clearSchemaCache()
    return try database.readOnly { try body(database) }
  }
}
