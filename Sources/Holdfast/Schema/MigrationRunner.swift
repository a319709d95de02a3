import Foundation
internal import GRDB
import Logging

/// Migrates a file from its schema to the declared schemas in one transaction, or leaves it unchanged.
///
/// Before COMMIT these invariants hold: every migration that ran before has its old hash; the file has the objects that the same migrations
/// make in an empty database; no foreign key is broken that was not broken before; no table lost rows without a declaration.
struct MigrationRunner {
  let schemas: [StoreSchema]
  let now: Date
  let appVersion: String?
  let logger: Logger

  init(_ schemas: [StoreSchema], now: Date = Date(), appVersion: String? = nil, logger: Logger = StoreOptions().logger) {
    self.schemas = [.kit] + schemas
    self.now = now
    self.appVersion = appVersion
    self.logger = logger
  }

  /// A migration that ran, as recorded in the file.
  struct Ran {
    var name: String
    var hash: String
  }

  static let bookkeeping = """
    CREATE TABLE IF NOT EXISTS holdfast_schemas (name TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS holdfast_migrations (
      name TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL, ran_at INTEGER NOT NULL, app_version TEXT) STRICT;
    \(LogLine.table)
    \(LogLine.begin);
    """

  static func ran(_ query: TextQuery) throws -> [Ran] {
    guard try !query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'holdfast_migrations'").isEmpty else { return [] }
    return try query("SELECT name, hash FROM holdfast_migrations ORDER BY rowid").compactMap { row in
      guard row.count == 2, let name = row[0], let hash = row[1] else { return nil }
      return Ran(name: name, hash: hash)
    }
  }

  /// The migrations that have not run yet. Throws `.editedMigration` naming the migration and both hashes.
  func pending(after ran: [Ran]) throws -> [Migration] {
    let hashes = Dictionary(ran.map { ($0.name, $0.hash) }, uniquingKeysWith: { first, _ in first })
    var pending: [Migration] = []
    for schema in schemas {
      var found: Migration?
      for migration in schema.migrations {
        if let hash = hashes[migration.name] {
          guard hash == migration.hash else {
            throw StoreError(
              .editedMigration,
              "the migration \(migration.name) ran with the hash \(hash), and has the hash \(migration.hash) now")
          }
          if let found {
            throw StoreError(
              .editedMigration, "the migration \(found.name) was put before \(migration.name), which has run already",
              suggestion: "Put new migrations after the shipped ones.")
          }
        } else {
          found = found ?? migration
          pending.append(migration)
        }
      }
    }
    return pending
  }

  /// Migrations in the file that belong to a declared schema, but are unknown to this code.
  func unknown(_ ran: [Ran]) -> [String] {
    let known = Set(schemas.flatMap(\.migrations).map(\.name))
    let prefixes = schemas.map { $0.name + "/" }
    return ran.map(\.name).filter { name in !known.contains(name) && prefixes.contains { name.hasPrefix($0) } }
  }

  /// - Throws: `.misuse` when two migrations have one name, a name does not begin with its schema's name, or a record's columns cannot be
  ///   derived.
  static func validate(_ schemas: [StoreSchema]) throws {
    var names: Set<String> = []
    for schema in [.kit] + schemas {
      for migration in schema.migrations {
        // The prefix distinguishes a file of a newer version from a file of another library.
        guard migration.name.hasPrefix(schema.name + "/") else {
          throw StoreError(.misuse, "the migration \(migration.name) should be called \(schema.name)/…")
        }
        guard names.insert(migration.name).inserted else { throw StoreError(.misuse, "two migrations are called \(migration.name)") }
      }
      for record in schema.records { try record.checkColumns() }
    }
  }

  /// The schema that the declared migrations make in an empty database.
  ///
  /// - Throws: `.migrationFailed` with the name of a migration that fails on an empty database, or that ends its transaction.
  func expectedShape() throws -> SchemaShape {
    let memory = try ConnectionFactory("in memory", StoreOptions()).memory(foreignKeys: false)
    return try memory.writeWithoutTransaction { db in
      try db.withConnection { connection in
        try inTransaction(db, connection) { transaction in
          try db.execute(sql: Self.bookkeeping)
          for migration in schemas.flatMap(\.migrations) { try checked(migration, in: db, transaction) }
          try makeDeclared(db)
          let shape = try SchemaShape(db)
          try checkRecords(in: shape)
          return shape
        }
      }
    }
  }

  /// - Throws: `.misuse` for a column that a declared record uses and its table lacks, and for a record without a table.
  func checkRecords(in shape: SchemaShape) throws {
    let tables = Dictionary(shape.columns.map { ($0.lowercased(), Set($1.map { $0.lowercased() })) }, uniquingKeysWith: { $0.union($1) })
    for record in schemas.flatMap(\.records) {
      // The columns of views and of virtual tables are not in the shape.
      guard let columns = tables[ColumnName.bare(record.table).lowercased()] else {
        guard shape.objects[ColumnName.bare(record.table)] == nil else { continue }
        throw StoreError(.misuse, "the record \(record) has the table \(record.table), and no migration makes it")
      }
      for column in (record.columns + record.key).map(ColumnName.bare) where !columns.contains(column.lowercased()) {
        var error = StoreError(
          .misuse, "the record \(record) uses the column \(record.table).\(column), and no migration makes it",
          suggestion: "Add a migration that makes the column, or give the property the column's name in CodingKeys.")
        (error.table, error.column) = (record.table, column)
        throw error
      }
    }
  }

  /// Whether a file has all that the texts of the migrations create, so that nothing is missing. False proves nothing: a later migration may have
  /// dropped it, and Swift code says not what it creates; `expectedShape` tells then, which takes some milliseconds of an opening.
  func hasAllCreated(_ shape: SchemaShape) -> Bool {
    let names = Set(shape.names.map { $0.lowercased() })
    return shape.unreadable.isEmpty
      && schemas.flatMap(\.migrations).allSatisfy { migration in
        guard case .sql(let text) = migration.step else { return false }
        return SQLTokens.created(text).isSubset(of: names)
      }
  }

  /// Runs the pending migrations in a database that no store has open: one in memory, or a file that the kit is making.
  func migrate(_ db: Database) throws { try db.withConnection { connection in try migrate(db, connection) } }

  /// Runs the pending migrations. Call on the writer, outside a transaction, after making a verified snapshot.
  func migrate(_ db: Database, _ connection: Connection, progress: (@Sendable (_ done: Int, _ total: Int) -> Void)? = nil) throws {
    // Tries the migrations in memory first, so that one that fails by itself or ends its transaction never reaches the file.
    let expected = try expectedShape()
    // Must run outside a transaction. With foreign keys on, rebuilding a parent table would delete its children's rows.
    try db.execute(sql: "PRAGMA foreign_keys = OFF")
    defer { try? db.execute(sql: "PRAGMA foreign_keys = ON") }
    try inTransaction(db, connection) { transaction in
      try db.execute(sql: Self.bookkeeping)
      // Read again under the lock: another process may have migrated since.
      let ran = try Self.ran(db.texts)
      let unknown = unknown(ran)
      guard unknown.isEmpty else {
        throw StoreError(
          .newerSchema, "a newer version has migrated the file meanwhile: \(unknown.joined(separator: ", "))",
          recoveryOptions: [.updateApp, .retry])
      }
      let pending = try pending(after: ran)
      let found = try SchemaShape(db)
      guard !pending.isEmpty || !notAsDeclared(in: found, expected).isEmpty else { return }
      // Without a migration, what another program changed stays a finding of the check.
      let differing = pending.isEmpty ? Set(found.differences(from: expected)) : []
      // Indexes and triggers that depend on a table must not hinder a migration that rebuilds the table.
      if !pending.isEmpty { for schema in schemas { try schema.dropDeclared(db, found) } }
      let before = try rowCounts(db.texts)
      let dangling = try Self.dangling(in: db)
      let tables = pending.isEmpty ? [] : schemas.flatMap(\.declarations).compactMap(\.synced)
      let synced = try db.telling(of: nil) { db in try tables.compactMap { try RowsBeforeMigration($0, db, found) } }
      for (index, migration) in pending.enumerated() {
        progress?(index, pending.count)
        try checked(migration, in: db, transaction)
        try db.execute(
          sql: "INSERT INTO holdfast_migrations (name, hash, ran_at, app_version) VALUES (?, ?, ?, ?)",
          arguments: [migration.name, migration.hash, DateCodec.milliseconds(now), appVersion])
        logger.info("migrated", metadata: ["migration": "\(migration.name)"])
      }
      do {
        try makeDeclared(db)
        try db.telling(of: nil) { db in
          if let last = pending.last, !synced.isEmpty {
            let shape = try SchemaShape(db)
            for rows in synced { try rows.stamp(db, shape, by: last.name) }
          }
          try makeMissing(db, expected)
        }
      } catch let error as StoreError where error.code == .misuse || error.code == .constraint {
        throw StoreError(.migrationFailed, "what the schemas declare could not be made: \(error.message)", cause: error)
      }
      for schema in schemas {
        try db.execute(
          sql: "INSERT INTO holdfast_schemas (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
          arguments: [schema.name, schema.version])
      }
      try verify(db, before: before, dangling: dangling, pending: pending, expected: expected, differing: differing)
      if !pending.isEmpty { try StoreDescription.write(schemas, to: db) }
      try db.execute(sql: "UPDATE holdfast_store SET bookkeeping_sha256 = ?", arguments: [try Bookkeeping(db.texts).sha256])
      progress?(pending.count, pending.count)
    }
  }

  /// Describes the tables of schemas of which the file tells nothing yet, or not what is never exported: an earlier version made it.
  func describe(_ db: Database, _ connection: Connection) throws {
    try inTransaction(db, connection) { _ in
      try StoreDescription.write(StoreDescription.lacking(schemas, in: db.texts), to: db)
    }
  }

  /// The names of objects that opening makes again: declared ones that are missing, different or unreadable, and those that a migration
  /// created and the file lacks.
  func notAsDeclared(in shape: SchemaShape, _ expected: SchemaShape) -> [String] {
    let declared = schemas.flatMap { $0.notAsDeclared(in: shape) }
    return declared + shape.missing(of: expected).filter { !declared.contains($0) }
  }

  /// The same of a file; empty where migrations are pending, or a newer version ran some.
  func notAsDeclared(_ query: TextQuery) throws -> [String] {
    let ran = try Self.ran(query)
    guard unknown(ran).isEmpty, try pending(after: ran).isEmpty else { return [] }
    return try notAsDeclared(in: SchemaShape(query), expectedShape())
  }

  /// Makes again, with the text that the migrations gave, what the file lacks and what holds no rows.
  private func makeMissing(_ db: Database, _ expected: SchemaShape) throws {
    let shape = try SchemaShape(db)
    let missing = Set(shape.missing(of: expected))
    guard !missing.isEmpty else { return }
    // Of several triggers for one change, SQLite runs the one that was made last first. So all triggers of the table are made again.
    let objects = expected.names.compactMap { name in expected.objects[name].map { (name: name, object: $0) } }
    let tables = Set(objects.filter { $0.object.type == "trigger" && missing.contains($0.name) }.map(\.object.table))
    let again = objects.filter { missing.contains($0.name) || $0.object.type == "trigger" && tables.contains($0.object.table) }
    for (name, object) in again where shape.objects[name] != nil { try db.drop(name, object) }
    for (name, object) in again {
      do {
        try db.execute(sql: object.sql)
      } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
        throw StoreError(
          .constraint, "the \(object.type) \(name) is missing and rows break it now: \(error.message ?? "")", cause: error)
      }
    }
    // Rows may have changed while a trigger was missing.
    for index in try SchemaShape(db).searchIndexes where index.hasTextElsewhere {
      if again.contains(where: { $0.object.sql.contains(index.name) }) { try db.execute(sql: index.filling) }
    }
  }

  private func makeDeclared(_ db: Database) throws {
    try db.telling(of: nil) { db in for schema in schemas { try schema.makeDeclared(db) } }
  }

  private func inTransaction<T>(_ db: Database, _ connection: Connection, _ body: (WriteTransaction) throws -> T) throws -> T {
    let transaction = WriteTransaction(db, connection)
    try transaction.begin()
    do {
      let result = try body(transaction)
      try transaction.commit(writer(db, transaction))
      return result
    } catch {
      transaction.rollBack()
      throw error
    }
  }

  private func writer(_ db: Database, _ transaction: WriteTransaction) -> Writer {
    let clock = now
    return Writer(db, transaction, now: { clock }, newID: .v7)
  }

  private func checked(_ migration: Migration, in db: Database, _ transaction: WriteTransaction) throws {
    do {
      try db.telling(of: nil) { db in try run(migration, in: db, transaction) }
    } catch {
      // Else the migration is not the cause: the error may go away, and then the migration works.
      let failure = try StoreError(error).ofContent()
      guard failure.code != .damaged else { throw failure }
      throw StoreError(.migrationFailed, "the migration \(migration.name) failed: \(failure.message)", cause: error)
    }
  }

  private func run(_ migration: Migration, in db: Database, _ transaction: WriteTransaction) throws {
    switch migration.step {
    case .sql(let sql):
      let statements = try db.allStatements(sql: sql)
      while let statement = try statements.next() {
        // A statement may have ended the transaction. Statements after a COMMIT must not reach the file.
        try transaction.check()
        try statement.execute()
      }
    case .closure(_, let move):
      let writer = writer(db, transaction)
      defer { writer.isOpen = false }
      try move(writer)
    }
    try transaction.check()
  }

  /// The number of rows that refer to missing rows, by table.
  private static func dangling(in db: Database) throws -> [String: Int] {
    try db.texts("PRAGMA foreign_key_check").reduce(into: [:]) { counts, row in counts[row[0] ?? "", default: 0] += 1 }
  }

  /// The name of a table after the migrations, and whether they may remove rows from it.
  private static func fate(of table: String, _ pending: [Migration]) -> (name: String, losesRows: Bool) {
    pending.reduce(into: (table, false)) { fate, migration in
      let old = fate.name
      fate.name = migration.renames[old] ?? old
      fate.losesRows = fate.losesRows || migration.losesRowsOf.contains(old) || migration.losesRowsOf.contains(fate.name)
    }
  }

  private func verify(
    _ db: Database, before: [String: Int], dangling: [String: Int], pending: [Migration], expected: SchemaShape,
    differing: Set<String>
  ) throws {
    let after = try rowCounts(db.texts)
    for (table, count) in before.sorted(by: { $0.key < $1.key }) {
      let (name, losesRows) = Self.fate(of: table, pending)
      guard !losesRows else { continue }
      let left = after[name] ?? 0
      guard left >= count else {
        var error = StoreError(
          .migrationLostRows,
          "\(name) held \(count) rows and would hold \(left) after \(pending.map(\.name).joined(separator: ", "))")
        error.table = name
        throw error
      }
    }
    // Foreign keys that another program had broken before are no reason to refuse the migration.
    let known = dangling.reduce(into: [:]) { counts, table in counts[Self.fate(of: table.key, pending).name, default: 0] += table.value }
    for (table, count) in try Self.dangling(in: db).sorted(by: { $0.key < $1.key }) where count > known[table, default: 0] {
      throw StoreError(
        .migrationFailed, "\(count - known[table, default: 0]) rows would point at rows that are gone, the first in \(table)")
    }
    // Renaming a parent table to rebuild it changes the children's references to the new name, and that table is dropped later.
    let parentless = try String.fetchOne(
      db,
      sql: """
        SELECT t.name || ' → ' || f."table" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
        WHERE t.type = 'table' AND lower(f."table") NOT IN (SELECT lower(name) FROM sqlite_schema WHERE type = 'table') LIMIT 1
        """)
    if let parentless, !pending.isEmpty {
      throw StoreError(.migrationFailed, "a foreign key points at a table that is gone: \(parentless)")
    }
    let differences = try SchemaShape(db).differences(from: expected).filter {
      !$0.hasSuffix(SchemaShape.notDeclared) && !differing.contains($0)
    }
    if let first = differences.first {
      throw StoreError(.migrationFailed, "the schema after the migration is not the declared one: \(first)")
    }
  }
}
