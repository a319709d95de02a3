internal import GRDB

/// What a schema declares beside its tables, and the kit keeps up to date by triggers: a full-text index, a revision of each row.
///
/// The kit makes the objects of its declarations in the transaction that migrates, and fills an index from the rows that are there. They
/// are taken away before pending migrations run: a migration may rebuild or rename a table without thinking of them, and cannot use them.
/// They stand in no migration and in no frozen schema.
///
/// They are part of the schema's shape. Where one is gone at opening, or is not as declared, opening makes all of the schema's again, and
/// `Store.notices` has one of the kind `.declarationsMadeAgain`. A store that may only be read is left as it is. What is declared no longer
/// goes with the next migration.
///
/// Change or remove a declaration together with a migration, an empty one is enough: a process of an older version then sees a newer file,
/// and only reads. Without one, two versions that use a file at once would undo each other's objects.
public struct SchemaDeclaration: Sendable {
  /// Objects of SQLite by name, in the order in which they are made.
  typealias Objects = [(name: String, object: SchemaShape.Object)]

  /// Fills what was made.
  var fill: [String] = []
  /// The objects, given the columns of each table. `comment` stands in the SQL of each.
  let objects: @Sendable (_ comment: String, _ columns: [String: Set<String>]) throws -> Objects

  /// The columns of a table.
  ///
  /// - Throws: `.misuse` where there is no such table, or it lacks one of `needed`.
  static func columns(of table: String, _ columns: [String: Set<String>], needed: [String]) throws -> Set<String> {
    guard let known = columns[table] else { throw StoreError(.misuse, "a declaration needs the table \(table), and there is none") }
    if let missing = needed.first(where: { !known.contains($0) }) {
      let isRowID = missing == "rowid"
      throw StoreError(
        .misuse, "a declaration needs the column \(missing) of \(table), and there is none",
        suggestion: isRowID ? "Write rowid INTEGER PRIMARY KEY: VACUUM gives rows other rowids where that is not declared." : nil)
    }
    return known
  }

  /// A trigger after an INSERT, a DELETE, or an UPDATE that gives one of `columns` another value.
  static func trigger(
    _ name: String, _ comment: String, after event: String, of columns: [String] = [], on table: String, _ statements: String...
  ) -> Objects.Element {
    var sql = "CREATE TRIGGER \(quoted(name)) \(comment) AFTER \(event)"
    if !columns.isEmpty { sql += " OF \(columns.map(quoted).joined(separator: ", "))" }
    sql += " ON \(quoted(table))"
    if !columns.isEmpty {
      sql += "\nWHEN \(columns.map { "old.\(quoted($0)) IS NOT new.\(quoted($0)) COLLATE BINARY" }.joined(separator: " OR "))"
    }
    sql += " BEGIN\n\(statements.map { "  \($0);\n" }.joined())END"
    return (name, .init(type: "trigger", table: table, sql: sql))
  }
}

/// A name in SQL.
func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

extension StoreSchema {
  /// Stands in the SQL of each declared object, and names the schema. By it `dropDeclared` finds objects that are no longer declared.
  private var comment: String { "/* declared by \(name.replacing("*/", with: "")) */" }

  private func declared(_ columns: [String: Set<String>]) throws -> SchemaDeclaration.Objects {
    try declarations.flatMap { try $0.objects(comment, columns) }
  }

  /// The names of objects that are declared and not there as declared. Empty where a table is gone that a declaration is about: the integrity
  /// check tells that.
  func notAsDeclared(in shape: SchemaShape) -> [String] {
    guard let declared = try? declared(shape.columns) else { return [] }
    return Self.missing(declared, in: shape)
  }

  private static func missing(_ declared: SchemaDeclaration.Objects, in shape: SchemaShape) -> [String] {
    declared.filter { shape.objects[$0.name]?.isSame(as: $0.object) != true }.map(\.name)
  }

  /// Takes away what this schema declares, and what it once declared.
  func dropDeclared(_ db: Database) throws {
    let isThere = try Int.fetchOne(db, sql: "SELECT 1 FROM sqlite_schema WHERE instr(sql, ?) > 0 LIMIT 1", arguments: [comment]) != nil
    guard isThere else { return }
    let shape = try SchemaShape(db)
    try drop(shape.objects.filter { $1.sql.contains(comment) }, db)
  }

  /// Makes all that is declared, where something of it is not there as declared.
  func makeDeclared(_ db: Database) throws {
    guard !declarations.isEmpty else { return }
    let shape = try SchemaShape(db)
    let declared = try declared(shape.columns)
    guard !Self.missing(declared, in: shape).isEmpty else { return }
    let names = Set(declared.map(\.name))
    try drop(shape.objects.filter { names.contains($0.key) }, db)
    for (_, object) in declared { try db.execute(sql: object.sql) }
    for sql in declarations.flatMap(\.fill) { try db.execute(sql: sql) }
  }

  /// An ordinary table that has the name of a declared object is not the kit's: making the object fails then.
  private func drop(_ objects: [String: SchemaShape.Object], _ db: Database) throws {
    for type in ["trigger", "table", "view"] {
      for (name, object) in objects where object.type == type && (type != "table" || object.sql.hasPrefix("CREATE VIRTUAL")) {
        do {
          try db.execute(sql: "DROP \(type) \(quoted(name))")
        } catch let error as DatabaseError where type == "table" && [.SQLITE_ERROR, .SQLITE_CORRUPT].contains(error.resultCode) {
          try Self.dropDamaged(name, db)
        }
      }
    }
  }

  /// FTS5 cannot drop an index whose own tables are damaged. Nothing is lost: it is filled from its text again.
  private static func dropDamaged(_ index: String, _ db: Database) throws {
    try db.execute(sql: "PRAGMA writable_schema = ON")
    defer { try? db.execute(sql: "PRAGMA writable_schema = RESET") }
    try db.execute(sql: "DELETE FROM sqlite_schema WHERE type = 'table' AND name = ?", arguments: [index])
    try db.execute(sql: "PRAGMA writable_schema = RESET")
    for suffix in SchemaShape.shadows { try db.execute(sql: "DROP TABLE IF EXISTS \(quoted(index + suffix))") }
  }
}
