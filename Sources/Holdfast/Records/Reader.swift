public import Foundation
package import GRDB
internal import GRDBSQLite

/// Reads inside one closure, with one consistent view of the store.
///
/// After its closure it throws `.closed`. It belongs to the closure's queue and is not `Sendable`.
public class Reader {
  /// GRDB's connection, for the module `HoldfastGRDB`.
  package let database: Database
  let connection: Connection
  var isOpen = true
  /// Of the read of a live query: what it uses.
  var collector: TableCollector?
  /// By record type, while the ids that are looked for mostly come in the order of the rows. Nil: they do not.
  private var ordered: [ObjectIdentifier: RowsInOrder?]?
  /// When raised, the read fails with `.cancelled` at its next statement.
  private let cancellation: Flag?

  init(_ database: Database, _ connection: Connection, until cancellation: Flag? = nil) {
    self.database = database
    self.connection = connection
    self.cancellation = cancellation
  }

  /// The records that `condition` selects. `condition` is the SQL after `SELECT … FROM table`, for example `"WHERE collection_id = \(id)
  /// ORDER BY position, id"`. Empty: all records, in no particular order.
  public func all<Record: StoredRecord>(_ type: Record.Type, _ condition: BoundSQL = "") throws -> [Record] {
    var records: [Record] = []
    try each(type, condition) { records.append($0) }
    return records
  }

  /// Calls `body` with each record that `condition` selects. Keeps none in memory.
  public func each<Record: StoredRecord>(
    _ type: Record.Type, _ condition: BoundSQL = "", _ body: (consuming Record) throws -> Void
  ) throws {
    try step(statements(of: type).select(condition.text), condition, table: type.table) { row in
      try body(Record(row: &row))
    }
  }

  /// The first record that `condition` selects, or nil. An empty `condition` selects any one record.
  public func first<Record: StoredRecord>(_ type: Record.Type, _ condition: BoundSQL = "") throws -> Record? {
    try all(type, "\(sql: condition) LIMIT 1").first
  }

  /// The record with this id, or nil. Only for tables whose key is one id.
  public func find<Record: StoredRecord>(_ type: Record.Type, id: UUID) throws -> Record? {
    if ordered != nil, let rows = orderedRows(of: type) {
      let found = try naming(type.table) { () throws -> Record? in
        guard try rows.find(id) else { return nil }
        var row = rows.row
        return try Record(row: &row)
      }
      if let found { return found }
    }
    return try find(type) { values in try values.id(id) }
  }

  /// Runs `body`, whose `find(_:id:)` are mostly in the order of the rows: the next row then needs no look into an index.
  ///
  /// Nothing may be written meanwhile.
  package func findingInOrder<T>(_ body: () throws -> T) rethrows -> T {
    ordered = [:]
    defer { ordered = nil }
    return try body()
  }

  private func orderedRows<Record: StoredRecord>(of type: Record.Type) -> RowsInOrder? {
    let key = ObjectIdentifier(type)
    let rows = ordered?[key] ?? RowsInOrder(type, connection)
    let kept = rows.flatMap { $0.isWorthwhile ? $0 : nil }
    ordered?[key] = .some(kept)
    return kept
  }

  /// The record with this whole-number id, or nil. Only for tables whose key is one number, such as an `INTEGER PRIMARY KEY`.
  public func find<Record: StoredRecord>(_ type: Record.Type, id: Int64) throws -> Record? {
    try find(type) { values in try values.int64(id) }
  }

  @inline(__always)
  func find<Record: StoredRecord>(_ type: Record.Type, key: (inout Values) throws -> Void) throws -> Record? {
    let prepared = try statements(of: type).selectByKey
    return try naming(type.table) {
      return try connection.with(prepared) { statement in
        try connection.withArena { arena in
          var values = Values(statement, arena)
          try key(&values)
          try values.checkComplete(prepared.sql)
          let run = connection.watch.begin(statement)
          defer { connection.watch.end(run, statement, prepared.sql) }
          guard try stepped(statement, prepared) else { return nil }
          var row = StoredRow(statement)
          return try Record(row: &row)
        }
      }
    }
  }

  /// Calls `body` with each row of the statement.
  ///
  /// - Throws: `.readOnly` when the statement would write. Use `Writer.execute` for that.
  /// - Parameter table: the table that a decoding error names; nil when the statement reads several tables.
  public func rows(_ sql: BoundSQL, of table: String? = nil, _ body: (inout StoredRow) throws -> Void) throws {
    try check()
    try step(connection.prepared(sql.text), sql, table: table, body)
  }

  /// The values that `body` makes, one for each row of the statement.
  public func values<T>(_ sql: BoundSQL, _ body: (inout StoredRow) throws -> T) throws -> [T] {
    var result: [T] = []
    try rows(sql) { row in result.append(try body(&row)) }
    return result
  }

  /// The value that `body` makes from the statement's first row; nil when there is no row.
  public func value<T>(_ sql: BoundSQL, _ body: (inout StoredRow) throws -> T) throws -> T? {
    try check()
    var found: T?
    try step(connection.prepared(sql.text), sql, table: nil, onlyFirst: true) { row in found = try body(&row) }
    return found
  }

  /// The number in the first column of the first row, for `SELECT count(*) …`. 0 when there is no row.
  public func count(_ sql: BoundSQL) throws -> Int {
    try value(sql) { row in try row.int() } ?? 0
  }

  package func checkOpen() throws { try check() }

  func check() throws {
    guard isOpen else { throw StoreError(.closed, "this transaction has ended; a reader works only inside its closure") }
    if let cancellation, cancellation.isRaised { throw StoreError(.cancelled, "the task was cancelled while it read") }
  }

  /// Checks the reader first: a reader outside its closure must not touch the connection.
  func statements<Record: StoredRecord>(of type: Record.Type) throws -> RecordStatements {
    try check()
    return try connection.statements(of: type)
  }

  private func step(
    _ prepared: Prepared, _ sql: BoundSQL, table: String?, onlyFirst: Bool = false, _ body: (inout StoredRow) throws -> Void
  ) throws {
    if let invalid = sql.invalidValue { throw StoreError(.invalidValue, "\(invalid) cannot be stored") }
    try naming(table) {
      guard !prepared.controlsTransaction else { throw Self.controlsTransaction(prepared.sql) }
      try connection.with(prepared) { statement in
        guard sqlite3_stmt_readonly(statement) != 0 else {
          throw StoreError(.readOnly, "a read cannot run a statement that writes: \(prepared.sql)", suggestion: "Use Writer.execute.")
        }
        if sqlite3_bind_parameter_count(statement) > 0 || !sql.values.isEmpty {
          // SQLite copies the values. The arena cannot hold them, because `body` may run other statements before this one ends.
          var values = Values(statement, nil)
          for value in sql.values { try values.value(value) }
          try values.checkComplete(prepared.sql)
        }
        let run = connection.watch.begin(statement)
        defer { connection.watch.end(run, statement, prepared.sql) }
        guard try stepped(statement, prepared) else { return }
        var row = StoredRow(statement)
        var code = SQLITE_ROW
        while code == SQLITE_ROW {
          row.rewind()
          try body(&row)
          if onlyFirst { return }
          // Stepped by hand: it only reads.
          code = sqlite3_step(statement)
        }
        guard code == SQLITE_DONE else { throw failed(code) }
      }
    }
  }

  /// The first step of a statement. Returns whether there is a row.
  @inline(__always)
  private func stepped(_ statement: OpaquePointer, _ prepared: Prepared) throws -> Bool {
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW || code == SQLITE_DONE else { throw failed(code) }
    if let collector { try collector.note(prepared, statement, database) }
    return code == SQLITE_ROW
  }

  /// Runs `body`, and returns what its statements use.
  func collecting<T>(_ body: (Reader) throws -> T) throws -> (T, UsedTables) {
    let collector = TableCollector()
    self.collector = collector
    defer { self.collector = nil }
    return (try body(self), collector.tables)
  }

  /// - Throws: `.misuse` in the read of a live query, which does not see what others read.
  package func checkReadsAreSeen() throws {
    guard collector == nil else {
      throw StoreError(
        .misuse, "a live query cannot read through GRDB: it would not notice changes of what is read there",
        suggestion: "Read with the reader's own methods.")
    }
  }

  static func controlsTransaction(_ sql: String) -> StoreError {
    StoreError(.misuse, "a closure may not begin or end its transaction: \(sql)", suggestion: "Return to commit, throw to roll back.")
  }

  private func failed(_ code: Int32) -> StoreError {
    let failure = connection.failure(code)
    note(failure)
    return failure
  }

  /// `Writer` overrides this to remember the error that ended its transaction. A reader remembers nothing.
  func note(_ error: StoreError) {}

  /// Adds the table to an error of `body` that does not name one, and table and row to the sentence of a decoding error.
  func naming<T>(_ table: String?, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch var error as StoreError where [.decoding, .constraint, .invalidValue].contains(error.code) {
      let isNew = error.table == nil
      if isNew { error.table = table }
      let place = [error.table, error.code == .decoding ? error.row.map { "row \($0)" } : nil].compactMap { $0 }.joined(separator: ", ")
      if isNew || error.code == .decoding, !place.isEmpty, !error.message.hasPrefix("\(place): ") {
        error.message = "\(place): \(error.message)"
      }
      throw error
    }
  }
}
