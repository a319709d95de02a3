import Foundation
internal import GRDB

/// An addition to a schema's tables that the kit keeps up to date by triggers: a full-text index, revisions of rows, an audit of a table, or
/// its changes for sync.
///
/// The kit makes the declared objects in the transaction that migrates, and fills an index from the existing rows. Before pending
/// migrations run, it removes the objects: so a migration may rebuild or rename a table as if they did not exist, and cannot use them. They
/// are in no migration and in no frozen schema.
///
/// They are part of the schema's shape. When one is missing, different or unreadable at opening, opening makes all objects of its declaration again, and
/// `Store.notices` has a notice `.declarationsMadeAgain`. A read-only store is left unchanged. Objects that are no longer declared are
/// removed by the next migration.
///
/// Change or remove a declaration only together with a migration; an empty one is enough. A process of an older version then sees a newer
/// file and opens it read-only. Without a migration, two versions that use a file at once would undo each other's objects.
public struct SchemaDeclaration: Sendable {
  /// Objects of SQLite by name, in the order of making.
  typealias Objects = [(name: String, object: SchemaShape.Object)]

  /// Fills the objects after making, given the tables.
  var fill: (@Sendable (Database, SchemaShape) throws -> Void)? = nil
  /// The table whose changes the objects record in the audit; nil for other declarations.
  var audited: AuditedTable? = nil
  /// The table whose changes the objects mark for sync; nil for other declarations.
  package internal(set) var synced: SyncedTable? = nil
  /// For a full-text index: its name, its table, and the columns of the index. Otherwise nil.
  package internal(set) var textIndex: (name: String, table: String, columns: [String])? = nil
  /// The objects, given the tables. Each object's SQL contains `comment`.
  let objects: @Sendable (_ comment: String, _ known: SchemaShape) throws -> Objects

  /// The columns of a table. Throws `.misuse` when the table does not exist, or lacks one of `needed`.
  static func columns(of table: String, _ columns: [String: Set<String>], needed: [String]) throws -> Set<String> {
    guard let known = columns[table] else { throw StoreError(.misuse, "a declaration needs the table \(table), and there is none") }
    if let missing = needed.first(where: { !known.contains($0) }) {
      let isRowID = missing == "rowid"
      throw StoreError(
        .misuse, "a declaration needs the column \(missing) of \(table), and there is none",
        suggestion: isRowID ? "Declare rowid INTEGER PRIMARY KEY: otherwise VACUUM changes the rowids." : nil)
    }
    return known
  }

  /// A trigger after an INSERT, a DELETE, or an UPDATE of one of `columns`; without a `condition`, one that changes the value of one of them.
  static func trigger(
    _ name: String, _ comment: String, after event: String, of columns: [String] = [], on table: String, when condition: String? = nil,
    _ statements: String...
  ) -> Objects.Element {
    var sql = "CREATE TRIGGER \(quoted(name)) \(comment) AFTER \(event)"
    if !columns.isEmpty { sql += " OF \(columns.map(quoted).joined(separator: ", "))" }
    sql += " ON \(quoted(table))"
    let changed = columns.map { "old.\(quoted($0)) IS NOT new.\(quoted($0)) COLLATE BINARY" }.joined(separator: " OR ")
    if let condition = condition ?? (columns.isEmpty ? nil : changed) { sql += "\nWHEN \(condition)" }
    sql += " BEGIN\n\(statements.map { "  \($0);\n" }.joined())END"
    return (name, .init(type: "trigger", table: table, sql: sql))
  }
}

/// Quotes a name for SQL.
package func quoted(_ name: String) -> String { "\"" + name.doubling("\"") + "\"" }

/// Quotes a text for SQL.
func literal(_ text: String) -> String { "'" + text.doubling("'") + "'" }

extension String {
  /// This text with each `mark` twice, also one that an accent or a joiner follows: Swift takes the two for one character, SQL does not.
  func doubling(_ mark: Unicode.Scalar) -> String {
    // Most names have no mark, and bytes are far faster to look through.
    guard utf8.contains(UInt8(ascii: mark)) else { return self }
    return replacingOccurrences(of: String(mark), with: "\(mark)\(mark)", options: .literal)
  }
}

extension StoreSchema {
  /// A comment with the schema's name, in the SQL of each declared object. By it `dropDeclared` finds objects that are no longer declared.
  private var comment: String { "/* declared by \(name.replacing("*/", with: "")) */" }

  /// The declarations in the order of making, each with its objects.
  private func declared(_ known: SchemaShape) throws -> [(declaration: SchemaDeclaration, objects: SchemaDeclaration.Objects)] {
    let audits = declarations.filter { $0.audited != nil }
    let synced = declarations.filter { $0.synced != nil }
    func refuse(_ tables: [String], _ what: String) throws {
      guard let table = tables.first(where: isNeverExported) else { return }
      throw StoreError(.misuse, "the table \(table) is never exported, so it cannot \(what)")
    }
    let syncedTables = synced.compactMap(\.synced?.name)
    try refuse(audits.compactMap(\.audited?.name), "be audited")
    try refuse(declarations.compactMap { $0.textIndex?.table }, "have a full-text index")
    try refuse(syncedTables, "be synced")
    if let table = syncedTables.first(where: { table in retention.contains { $0.table.lowercased() == table.lowercased() } }) {
      throw StoreError(.misuse, "old rows of \(table) go by themselves, which would delete them on every device, so it cannot be synced")
    }
    // Of several triggers for one change, SQLite runs the one that was made last first. So an entry of the audit stands before the entries of
    // what other triggers change for it. Capture looks only at the row.
    let others = declarations.filter { $0.audited == nil && $0.synced == nil }
    return try (others + audits + synced).map { ($0, try $0.objects(comment, known)) }
  }

  private func isNeverExported(_ table: String) -> Bool { neverExported.contains { $0.lowercased() == table.lowercased() } }

  /// The names of declared objects that are missing, different or unreadable. Empty when a table is missing that a declaration needs: the integrity
  /// check reports that.
  func notAsDeclared(in shape: SchemaShape) -> [String] {
    guard let declared = try? declared(shape) else { return [] }
    return Self.missing(declared.flatMap(\.objects), in: shape)
  }

  private static func missing(_ declared: SchemaDeclaration.Objects, in shape: SchemaShape) -> [String] {
    declared.filter { shape.objects[$0.name]?.isSame(as: $0.object) != true || shape.unreadable.contains($0.name) }.map(\.name)
  }

  /// The names of objects in the file that this schema declared once, and declares no longer. `now` has the tables after the migrations.
  func declaredNoLonger(in shape: SchemaShape, now: SchemaShape) throws -> [String] {
    let names = Set(try declared(now).flatMap(\.objects).map(\.name))
    return shape.objects.filter { $1.sql.contains(comment) && !names.contains($0) }.keys.sorted()
  }

  /// Drops the objects that this schema declares or once declared.
  func dropDeclared(_ db: Database, _ shape: SchemaShape) throws { try drop(shape.objects.filter { $1.sql.contains(comment) }, db) }

  /// Makes the objects of each declaration of which any is missing, different or unreadable, and then those that follow it on the same tables:
  /// triggers must be made in the order of the declarations.
  func makeDeclared(_ db: Database) throws {
    guard !declarations.isEmpty else { return }
    let shape = try SchemaShape(db)
    var touched: Set<String> = []
    for (declaration, objects) in try declared(shape) {
      let tables = objects.filter { $0.object.type == "trigger" }.map { $0.object.table.lowercased() }
      guard !Self.missing(objects, in: shape).isEmpty || !touched.isDisjoint(with: tables) else { continue }
      touched.formUnion(tables)
      let names = Set(objects.map(\.name))
      try drop(shape.objects.filter { names.contains($0.key) }, db)
      for (_, object) in objects { try db.execute(sql: object.sql) }
      try declaration.fill?(db, shape)
    }
  }

  /// An ordinary table with the name of a declared object is not the kit's. It stays, and making the object fails.
  private func drop(_ objects: [String: SchemaShape.Object], _ db: Database) throws {
    for type in ["trigger", "table", "view"] {
      for (name, object) in objects where object.type == type && (type != "table" || object.sql.hasPrefix("CREATE VIRTUAL")) {
        try db.drop(name, object)
      }
    }
  }
}
