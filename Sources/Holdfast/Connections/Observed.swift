internal import GRDB

/// An SQL text whose statements GRDB executes.
final class Observed {
  let sql: String
  /// Whether the SQL begins or ends a transaction, which a closure in a transaction may not do.
  let controlsTransaction: Bool
  /// Whether SQLite counts the rows that it changes.
  let countsRows: Bool
  /// The table that it writes to, for the archive's time line; nil when its first words do not tell.
  private(set) lazy var table = SQLTokens.writtenTable(sql)
  var spare = Spare<GRDB.Statement>()

  init(_ sql: String) {
    self.sql = sql
    controlsTransaction = SQLTokens.controlsTransaction(sql)
    countsRows = SQLTokens.countsRows(sql)
  }
}
