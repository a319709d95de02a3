import Foundation
internal import GRDBSQLite

/// Finds the rows of one table by their ids. Where the ids come in the order of the rows, each next row is read without looking for it.
///
/// Only while nobody writes to the table: SQLite then does not say which rows a statement under way still gives.
final class RowsInOrder {
  private let connection: Connection
  private let statement: OpaquePointer
  private let key: Int32
  private var isUnderWay = false
  private var (hits, restarts) = (0, 0)
  /// False where the order helps too seldom.
  var isWorthwhile: Bool { restarts < 64 || hits > restarts }

  /// Nil for a table without row numbers, or whose key is not one column of the record.
  init?<Record: StoredRecord>(_ type: Record.Type, _ connection: Connection) {
    guard type.key.count == 1, let key = type.columns.firstIndex(of: type.key[0]),
      let select = try? connection.statements(of: type).selectAll
    else { return nil }
    let (table, column) = (ColumnName.sql(type.table), ColumnName.sql(type.key[0]))
    let sql = "\(select) WHERE _rowid_ >= (SELECT _rowid_ FROM \(table) WHERE \(column) = ?) ORDER BY _rowid_"
    guard let statement = try? connection.prepare(sql) else { return nil }
    (self.connection, self.statement, self.key) = (connection, statement, Int32(clamping: key))
  }

  deinit { sqlite3_finalize(statement) }

  /// Whether the statement stands at the row with this id. If not, there may be one all the same: where a column of the table is called
  /// `_rowid_`.
  func find(_ id: UUID) throws -> Bool {
    if isUnderWay, try step(), isAt(id) {
      hits += 1
      return true
    }
    restarts += 1
    sqlite3_reset(statement)
    var values = Values(statement, nil)
    try values.id(id)
    return try step() && isAt(id)
  }

  /// The row at which the statement stands.
  var row: StoredRow { StoredRow(statement) }

  private func step() throws -> Bool {
    // Stepped by hand: it only reads.
    let code = sqlite3_step(statement)
    isUnderWay = code == SQLITE_ROW
    guard isUnderWay || code == SQLITE_DONE else { throw connection.failure(code) }
    return isUnderWay
  }

  private func isAt(_ id: UUID) -> Bool {
    guard sqlite3_column_type(statement, key) == SQLITE_TEXT, sqlite3_column_bytes(statement, key) == 36,
      let text = sqlite3_column_text(statement, key)
    else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 36, alignment: 8) { wanted in
      guard let start = wanted.baseAddress else { return false }
      IDCodec.write(id, to: start)
      return memcmp(start, text, 36) == 0
    }
  }
}
