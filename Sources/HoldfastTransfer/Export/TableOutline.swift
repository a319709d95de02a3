import Foundation
import Holdfast

/// A table as an export needs it: its data columns, its key, and the tables that must come before it.
struct TableOutline: Sendable {
  let name: String
  /// The columns without the rowid, which means nothing outside this file. A table of an unknown library keeps a rowid that has a name of
  /// its own, unless the file tells that no record reads it and no table refers to it.
  var columns: [String]
  /// The first unique key that is not the rowid and cannot be NULL. For a table of an unknown library: otherwise its named rowid, or empty.
  let key: [String]
  /// The columns in whose order an export has the rows.
  let order: [String]
  /// The table of the first foreign key, with this table's column.
  let parent: (table: String, column: String)?
  /// For rows that name other rows of this table: the columns of the name, and those of each foreign key with such a name. Otherwise nil.
  let tree: (named: [String], above: [[String]])?

  /// The schemas' tables, or for nil all tables of the file; parents come before their children. Leaves out the kit's tables, virtual
  /// tables with their shadow tables, and tables that a schema never exports, or that the file says are never exported.
  static func all(of schemas: [StoreSchema]?, in reader: Reader) throws -> [TableOutline] {
    // The file may hold tables of other libraries, which do not belong to this export.
    let declared = try schemas.map { try StoreSchema.declaredColumns(of: $0) }
    var neverExported = (schemas ?? []).reduce(into: Set<String>()) { $0.formUnion($1.neverExported) }
    for name in neverExported.sorted() where declared?[name] == nil {
      throw StoreError(.misuse, "neverExported names the table \(name), which no schema makes")
    }
    let tables = try reader.tables()
    let description = try schemas == nil ? reader.description() : nil
    if let description { neverExported.formUnion(tables.map(\.name).filter(description.isNeverExported)) }
    let outlines = try tables.filter { table in
      !table.isOfKit && (declared == nil || declared?[table.name] != nil) && !neverExported.contains(table.name)
    }.map { table in
      try TableOutline(table, isKnown: declared != nil, keepsNumber: description.map { saysNumber(table, among: tables, $0) } ?? false)
    }
    // A program that does not know the library writes what it may; the app reads its own exports.
    for table in outlines where schemas != nil {
      guard let parent = table.parents.first(where: neverExported.contains) else { continue }
      throw StoreError(.misuse, "the table \(table.name) points at \(parent), which is never exported: its rows could not come back")
    }
    return parentsFirst(outlines, name: \.name, parents: \.parents)
  }

  /// The tables with parents before their children, as far as parents are among them.
  static func parentsFirst<Table>(_ tables: [Table], name: (Table) -> String, parents: (Table) -> [String]) -> [Table] {
    func plain(_ name: String) -> String { SQLiteSource.lowercased(name) }
    var (waiting, ordered) = (tables, [Table]())
    while !waiting.isEmpty {
      let names = Set(waiting.map { plain(name($0)) })
      let ready = waiting.filter { table in parents(table).map(plain).allSatisfy { $0 == plain(name(table)) || !names.contains($0) } }
      // Tables that refer to each other in a circle may come in any order.
      let next = ready.isEmpty ? waiting : ready
      ordered += next
      let done = Set(next.map { plain(name($0)) })
      waiting.removeAll { done.contains(plain(name($0))) }
    }
    return ordered
  }

  static func quarantine(in reader: Reader) throws -> [TableOutline] {
    try reader.tables(named: "holdfast_quarantine").map { try TableOutline($0, isKnown: true, keepsNumber: false) }
  }

  /// Whether the numbers of a table's rows may say something outside of this file: they are the only key, a record reads them, another row
  /// names them, or the file does not tell.
  private static func saysNumber(_ table: SQLTable, among tables: [SQLTable], _ description: StoreDescription) -> Bool {
    guard let number = table.rowIDColumn else { return false }
    if table.uniqueKey == nil || !description.describes(table.name) || description.kind(of: number, in: table.name) != nil { return true }
    return tables.flatMap(\.references).contains { reference in
      reference.parent.isSameName(as: table.name) && (reference.to.isEmpty || reference.to.contains { $0.isSameName(as: number) })
    }
  }

  private let parents: [String]

  private init(_ table: SQLTable, isKnown: Bool, keepsNumber: Bool) throws {
    name = table.name
    let rowid = table.rowIDColumn
    columns = table.given.filter { keepsNumber || $0 != rowid }
    let named = isKnown ? [] : rowid.map { [$0] } ?? []
    let key = rowid == nil && !table.primaryKey.isEmpty ? table.primaryKey : table.uniqueKey ?? named
    self.key = key
    order = key.isEmpty ? table.storedOrder : key
    guard !key.isEmpty || !isKnown else { throw StoreError(.misuse, "the table \(name) has no key: its rows cannot be exported") }
    parents = table.references.map(\.parent)
    parent = table.references.first.flatMap { reference in reference.from.first.map { (reference.parent, $0) } }
    let own = table.references.filter { $0.parent.isSameName(as: table.name) }
    tree = own.first.map { first in
      let named = first.to.isEmpty ? table.primaryKey : first.to
      return (named, own.filter { $0.to == first.to }.map(\.from))
    }
  }
}
