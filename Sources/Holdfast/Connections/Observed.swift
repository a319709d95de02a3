internal import GRDB

/// The statements of one SQL text that GRDB executes: one as a rule, more while the same SQL is used inside itself.
final class Observed {
  let sql: String
  /// Whether it would begin or end the transaction of the closure that runs it.
  let controlsTransaction: Bool
  private var first: GRDB.Statement?
  private var others: [GRDB.Statement] = []

  init(_ sql: String) {
    self.sql = sql
    let words = sql.prefix(200).uppercased().split { $0.isWhitespace || $0 == ";" }
    controlsTransaction =
      switch words.first {
      case "BEGIN", "COMMIT", "END": true
      case "ROLLBACK": !words.contains("TO")
      default: false
      }
  }

  /// One that nobody uses, or nil when there is none.
  @inline(__always)
  func take() -> GRDB.Statement? {
    if let statement = first {
      first = nil
      return statement
    }
    return others.popLast()
  }

  @inline(__always)
  func give(_ statement: GRDB.Statement) {
    if first == nil { first = statement } else { others.append(statement) }
  }

  func forget() {
    first = nil
    others = []
  }
}
