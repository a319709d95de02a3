public import GRDB
public import Holdfast

extension Writer {
  /// The GRDB connection of this transaction, for what GRDB offers and Holdfast does not.
  ///
  /// Runs inside the transaction of the kit, which commits or rolls back: do not begin or end one here. The connection is
  /// valid only inside `body`. Statements run through GRDB's own calls are seen by every observer.
  public func withGRDB<T>(_ body: (Database) throws -> T) throws -> T {
    try checkOpen()
    return try body(database)
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
