internal import GRDB

/// An SQL text whose statements GRDB executes.
final class Observed {
  let sql: String
  /// Whether it would begin or end the transaction of the closure that runs it.
  let controlsTransaction: Bool
  var spare = Spare<GRDB.Statement>()

  init(_ sql: String) {
    self.sql = sql
    controlsTransaction = SQLTokens.controlsTransaction(sql)
  }
}
