public import Foundation
internal import GRDB
internal import GRDBSQLite

/// Writes inside one closure: all its changes are committed together, or none is.
///
/// A writer also reads, and sees its own writes. After its closure it throws `.closed`.
public final class Writer: Reader {
  /// True in a dry run: all statements run, and the transaction is rolled back.
  package var rollsBack = false
  /// Whether `upsert` inserts first: where most rows are new, this saves looking for each.
  package var insertsFirst = false
  let now: @Sendable () -> Date
  let newID: NewID
  /// Nil where a transaction has no verb: in a migration.
  var audit: AuditedWrite?

  let transaction: WriteTransaction

  init(_ database: Database, _ transaction: WriteTransaction, now: @escaping @Sendable () -> Date, newID: NewID) {
    self.now = now
    self.newID = newID
    self.transaction = transaction
    super.init(database, transaction.connection)
  }

  /// SQLite's connection, for a fault that a simulation plants.
  package var handle: OpaquePointer { connection.handle }

  /// How many rows the connection has changed since it was opened.
  package var totalChanges: Int { Int(sqlite3_total_changes(connection.handle)) }

  /// Whether a deferred foreign key is broken now, so that COMMIT would be refused.
  package var hasBrokenReferences: Bool {
    var (now, highest): (Int32, Int32) = (0, 0)
    return sqlite3_db_status(connection.handle, SQLITE_DBSTATUS_DEFERRED_FKS, &now, &highest, 0) == SQLITE_OK && now != 0
  }

  /// Also checks that the transaction has not ended.
  override func check() throws {
    try super.check()
    try transaction.check()
  }

  override func note(_ error: StoreError) { transaction.note(error) }

  /// The time of the store's clock, rounded to the millisecond.
  public func currentDate() -> Date { DateCodec.rounded(now()) }

  /// A new id from the store's source.
  public func makeID() -> UUID { newID() }

  /// Inserts a new row.
  ///
  /// - Throws: `.constraint` when the key is taken or another constraint refuses the row.
  public func insert<Record: StoredRecord>(_ record: Record) throws {
    try write(record, statements(of: Record.self).insert)
  }

  /// The number of the row that was inserted last: its `INTEGER PRIMARY KEY`, which SQLite chooses when the record binds NULL.
  ///
  /// Read it directly after `insert(_:)`. Rows that triggers insert do not count. An `upsert(_:)` that updates a row leaves the number of an
  /// earlier insert, and a table that is `WITHOUT ROWID` has no such numbers.
  /// - Throws: `.closed` after the closure; the error that ended the transaction.
  public var lastInsertedID: Int64 {
    get throws {
      try check()
      return sqlite3_last_insert_rowid(connection.handle)
    }
  }

  /// Inserts new rows, many per statement: several times faster than one by one when the table has triggers.
  ///
  /// - Throws: `.constraint` as `insert(_:)` does. Then no row of the failed statement is inserted, and the rows of earlier statements are.
  public func insert<Record: StoredRecord>(contentsOf records: [Record]) throws {
    var rest = records[...]
    let batch = RecordStatements.batch(Record.self)
    while rest.count >= batch {
      try write(batch: rest.prefix(batch))
      rest = rest.dropFirst(batch)
    }
    for record in rest { try insert(record) }
  }

  /// Updates the record's columns in the row with the same key, or inserts the row when there is none. Other columns keep their values.
  ///
  /// An update fires no INSERT triggers.
  /// - Throws: `.constraint` when a constraint refuses the row; an error of SQLite when the record's key is not unique in the table.
  public func upsert<Record: StoredRecord>(_ record: Record) throws {
    let statements = try statements(of: Record.self)
    // Not INSERT … ON CONFLICT: before such a statement changes a page, SQLite keeps a copy of it, in case the statement fails. In an
    // import this happens for each record.
    if let update = statements.update {
      // Without a unique key, UPDATE would change several rows.
      if !statements.keyIsUnique {
        try connection.with(statements.keyCheck) { _ in }
        statements.keyIsUnique = true
      }
      // Where there is such a row, or another rule refuses this one, the way below says so.
      if insertsFirst {
        do { return try write(record, statements.insert) } catch let error as StoreError where error.code == .constraint {}
      }
      try write(record, update)
      // Not the total, to which a search index may add rows of its own before any statement.
      if sqlite3_changes(connection.handle) > 0 { return }
    }
    try write(record, statements.insertMissing)
  }

  /// Sets columns of the row with this id; its other columns keep their values.
  ///
  /// ```swift
  /// try tx.update(Book.self, id: id, "finished_at = \(date)")
  /// ```
  /// - Throws: `.notFound` when there is no such row; `.constraint` when a constraint refuses the change; `.misuse` for a record whose key is
  ///   not one column.
  public func update<Record: StoredRecord>(_ type: Record.Type, id: UUID, _ assignments: BoundSQL) throws {
    try update(type, IDCodec.lowercase(id), "\(id)", assignments)
  }

  /// The same for a whole-number id.
  public func update<Record: StoredRecord>(_ type: Record.Type, id: Int64, _ assignments: BoundSQL) throws {
    try update(type, "\(id)", "\(id)", assignments)
  }

  private func update<Record: StoredRecord>(_ type: Record.Type, _ name: String, _ id: BoundSQL, _ assignments: BoundSQL) throws {
    guard let key = type.key.first, type.key.count == 1 else {
      throw StoreError(.misuse, "\(type) is not found by one id", suggestion: "Use execute with a condition of your own.")
    }
    guard
      try execute("UPDATE \(raw: ColumnName.sql(type.table)) SET \(sql: assignments) WHERE \(raw: ColumnName.sql(key)) = \(sql: id)") > 0
    else {
      throw StoreError(.notFound, "\(type.table) has no row \(name)")
    }
  }

  /// Deletes the row with this id, and the rows that the schema's cascades delete with it. Returns whether there was such a row.
  @discardableResult
  public func delete<Record: StoredRecord>(_ type: Record.Type, id: UUID) throws -> Bool {
    try delete(type) { values in try values.id(id) }
  }

  /// The same for a whole-number id.
  @discardableResult
  public func delete<Record: StoredRecord>(_ type: Record.Type, id: Int64) throws -> Bool {
    try delete(type) { values in try values.int64(id) }
  }

  /// Runs one statement that writes. Returns how many rows it changed, without the changes of cascades and triggers.
  @discardableResult
  public func execute(_ sql: BoundSQL) throws -> Int {
    if let invalid = sql.invalidValue { throw StoreError(.invalidValue, "\(invalid) cannot be stored") }
    return try run(sql.text) { values in
      for value in sql.values { try values.value(value) }
    }
  }

  /// The same for an SQL text that is made once and used often: `bind` gives the values of its parameters.
  ///
  /// Saves building the text at each call, which matters where people wait for a single row.
  ///
  /// ```swift
  /// static let rename: BoundSQL = "UPDATE books SET title = ?1 WHERE id = ?2"
  ///
  /// try tx.execute(rename) { values in
  ///   try values.text(title)
  ///   try values.id(id)
  /// }
  /// ```
  /// - Throws: `.misuse` when `sql` has values of its own, or when `bind` binds more or fewer values than `sql` has parameters.
  @discardableResult
  public func execute(_ sql: BoundSQL, binding bind: (inout Values) throws -> Void) throws -> Int {
    guard sql.values.isEmpty else { throw StoreError(.misuse, "this statement has values of its own besides those of `bind`: \(sql.text)") }
    return try run(sql.text, bind)
  }

  /// Runs `body`. When `body` throws, undoes its changes and throws the same error. The transaction goes on.
  public func savepoint<T>(_ body: () throws -> T) throws -> T {
    try check()
    // SQLite allows nested savepoints with the same name.
    try execute("SAVEPOINT holdfast")
    do {
      let result = try body()
      try execute("RELEASE holdfast")
      return result
    } catch {
      // After a full disk, SQLite may have rolled back the whole transaction already. The first error is more important.
      if sqlite3_get_autocommit(connection.handle) == 0 {
        try execute("ROLLBACK TO holdfast")
        try execute("RELEASE holdfast")
      }
      throw error
    }
  }

  private func delete<Record: StoredRecord>(_ type: Record.Type, key: (inout Values) throws -> Void) throws -> Bool {
    let observed = try statements(of: type).delete
    return try naming(type.table) { try run(observed, key) > 0 }
  }

  private func write<Record: StoredRecord>(_ record: Record, _ observed: Observed) throws {
    #if DEBUG
      try compareOnce(record)
    #endif
    try write(observed, of: 1, Record.self) { values in try record.encode(into: &values) }
  }

  private func write<Record: StoredRecord>(batch records: ArraySlice<Record>) throws {
    #if DEBUG
      if let first = records.first { try compareOnce(first) }
    #endif
    try write(statements(of: Record.self).insertMany, of: records.count, Record.self) { values in
      // Encodes in place, because taking a record out of the array copies it.
      try records.withUnsafeBufferPointer { for place in $0.indices { try $0[place].encode(into: &values) } }
    }
  }

  private func write<Record: StoredRecord>(
    _ observed: Observed, of records: Int, _ type: Record.Type, _ encode: (inout Values) throws -> Void
  ) throws {
    try naming(type.table) {
      do {
        try step(observed) { values in
          try encode(&values)
          guard values.count == type.columns.count * records else {
            throw StoreError(.misuse, "\(type) binds \(values.count / records) values for \(type.columns.count) columns")
          }
        }
      } catch let error as StoreError {
        throw error.naming(columns: type.columns)
      }
    }
  }

  /// Finds columns that a record type binds in another order than it reads them. Two swapped columns of one type would be stored silently.
  private func compareOnce<Record: StoredRecord>(_ record: Record) throws {
    let statements = try statements(of: Record.self)
    guard !statements.isCompared else { return }
    try naming(Record.table) { try RecordBench<Record>().compare(record) }
    statements.isCompared = true
  }

  private func run(_ sql: String, _ bind: (inout Values) throws -> Void) throws -> Int {
    try check()
    let observed = connection.observed(sql)
    guard !observed.controlsTransaction else { throw Self.controlsTransaction(sql) }
    return try run(observed, bind)
  }

  private func run(_ observed: Observed, _ bind: (inout Values) throws -> Void) throws -> Int {
    var before: Int32 = 0
    try step(observed) { values in
      try bind(&values)
      try values.checkComplete(observed.sql)
      before = sqlite3_total_changes(connection.handle)
    }
    // `changesCount` keeps the count of an earlier statement when this one counts none. The total alone would not tell: a search index may add
    // rows of its own before any statement.
    return observed.countsRows && sqlite3_total_changes(connection.handle) != before ? database.changesCount : 0
  }

  /// All statements that write run through this method.
  @inline(__always)
  private func step(_ observed: Observed, _ bind: (inout Values) throws -> Void) throws {
    do {
      try connection.withArena { arena in
        try connection.execute(observed, database) { statement in
          var values = Values(statement, arena)
          try bind(&values)
          // `bind` may have run statements that ended the transaction.
          try transaction.check()
        }
      }
      connection.checkpoints.touch(observed)
    } catch let error as StoreError {
      note(error)
      throw error
    }
  }
}
