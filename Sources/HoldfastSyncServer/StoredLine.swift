public import Holdfast
package import HoldfastSync

/// A row of `sync_row` as it is stored. Its line is not parsed yet.
public struct SyncLine: StoredRecord, Hashable {
  /// `sync_row`.
  public static let table = "sync_row"
  /// All columns.
  public static let columns = ["space", "tbl", "key", "sequence", "body"]
  /// Space, table and key.
  public static let key = ["space", "tbl", "key"]

  /// The name of its space.
  public let space: String
  /// The row's table on the devices.
  public let table: String
  /// The row's key as text; any text, also with NUL.
  public let key: String
  /// The number of the push that changed the row last.
  public let sequence: Int64
  /// The row's line without a line break; see `SyncProtocol.md`.
  public let line: String

  /// A line as a store has it.
  public init(space: String, table: String, key: String, sequence: Int64, line: String) {
    (self.space, self.table, self.key, self.sequence, self.line) = (space, table, key, sequence, line)
  }

  /// Reads the columns, and not the line.
  public init(row: inout StoredRow) throws {
    (space, table, key) = (try row.text(), try row.text(), try row.text())
    (sequence, line) = (try row.int64(), try row.text())
  }

  /// Writes the columns.
  public func encode(into values: inout Values) throws {
    try values.text(space)
    try values.text(table)
    try values.text(key)
    try values.int64(sequence)
    try values.text(line)
  }

  /// The line as an answer has it, with the row's sequence number.
  ///
  /// - Throws: `.decoding` for a line that does not begin as this row's.
  func sent() throws -> String {
    guard let sent = SyncRow.line(line, of: SyncRow.Name(table, key), at: sequence) else { throw damaged() }
    return sent
  }

  fileprivate func damaged(cause: (any Error)? = nil) -> StoreError {
    var error = StoreError(.decoding, "the line of \(table) \(key) is not this row", cause: cause)
    (error.table, error.column, error.row) = (Self.table, "body", key)
    return error
  }
}

/// A row of `sync_row` whose line was parsed.
public struct StoredLine: StoredRecord {
  /// `sync_row`.
  public static let table = SyncLine.table
  /// All columns.
  public static let columns = SyncLine.columns
  /// Space, table and key.
  public static let key = SyncLine.key

  /// The line as it is stored.
  public let stored: SyncLine
  package let row: SyncRow

  init(_ row: SyncRow, in space: String, at sequence: Int64, line: String) {
    self.row = row
    stored = SyncLine(space: space, table: row.name.table.text, key: row.name.key.text, sequence: sequence, line: line)
  }

  /// Reads the line.
  ///
  /// - Throws: `.decoding` for a line that is not this row.
  public init(_ stored: SyncLine) throws {
    self.stored = stored
    do { row = try SyncRow(line: stored.line) } catch { throw stored.damaged(cause: error) }
    guard row.name == SyncRow.Name(stored.table, stored.key) else { throw stored.damaged() }
  }

  /// Reads the columns and the line.
  ///
  /// - Throws: `.decoding` for a line that is not this row.
  public init(row: inout StoredRow) throws { try self.init(SyncLine(row: &row)) }

  /// Writes the columns.
  public func encode(into values: inout Values) throws { try stored.encode(into: &values) }

  /// The row as an answer has it.
  var answered: SyncResponse.Stored { SyncResponse.Stored(row, at: stored.sequence) }
}
