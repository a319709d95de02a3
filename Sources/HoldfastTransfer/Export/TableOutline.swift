import Foundation
import Holdfast

/// A table as an export needs it: its data columns, its key, and the tables that must come before it.
struct TableOutline: Sendable {
  let name: String
  /// The columns without the rowid, which means nothing outside this file. A table of an unknown library keeps a rowid that has a name of
  /// its own: other tables may refer to it.
  let columns: [String]
  /// The first unique key that is not the rowid and cannot be NULL. For a table of an unknown library: otherwise its named rowid, or empty.
  let key: [String]
  /// The table of the first foreign key, with this table's column.
  let parent: (table: String, column: String)?

  /// The schemas' tables, or for nil all tables of the file; parents come before their children. Leaves out the kit's tables, virtual
  /// tables with their shadow tables, and tables that a schema never exports.
  ///
  /// - Throws: `.misuse` for a table of a schema without a unique key, whose rows could not be found again; for one that refers to a table that is
  ///   never exported, because its rows could not be imported; and for a name in `neverExported` that no schema makes.
  static func all(of schemas: [StoreSchema]?, in reader: Reader) throws -> [TableOutline] {
    // The file may hold tables of other libraries, which do not belong to this export.
    let declared = try schemas.map { try StoreSchema.declaredColumns(of: $0) }
    let neverExported = (schemas ?? []).reduce(into: Set<String>()) { $0.formUnion($1.neverExported) }
    for name in neverExported.sorted() where declared?[name] == nil {
      throw StoreError(.misuse, "neverExported names the table \(name), which no schema makes")
    }
    var waiting = try reader.values(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
      AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'holdfast\\_%' ESCAPE '\\' ORDER BY name
      """
    ) { row in try row.text() }.filter { (declared == nil || declared?[$0] != nil) && !neverExported.contains($0) }.map {
      try TableOutline($0, reader, isKnown: declared != nil)
    }
    for table in waiting {
      guard let parent = table.parents.first(where: neverExported.contains) else { continue }
      throw StoreError(.misuse, "the table \(table.name) points at \(parent), which is never exported: its rows could not come back")
    }
    var ordered: [TableOutline] = []
    var known: Set<String> = []
    while !waiting.isEmpty {
      let ready = waiting.filter { table in table.parents.allSatisfy { known.contains($0) || $0 == table.name } }
      // Tables that refer to each other in a circle may come in any order.
      let next = ready.isEmpty ? waiting : ready
      ordered += next
      known.formUnion(next.map(\.name))
      waiting.removeAll { known.contains($0.name) }
    }
    return ordered
  }

  /// The quarantine. An export contains it when it has rows.
  static func quarantine(in reader: Reader) throws -> TableOutline { try TableOutline("holdfast_quarantine", reader, isKnown: true) }

  private let parents: [String]

  /// The same table with fewer columns, or with another order of columns.
  func with(columns: [String]) -> TableOutline { TableOutline(name: name, columns: columns, key: key, parent: parent, parents: parents) }

  private init(name: String, columns: [String], key: [String], parent: (table: String, column: String)?, parents: [String]) {
    self.name = name
    self.columns = columns
    self.key = key
    self.parent = parent
    self.parents = parents
  }

  private init(_ name: String, _ reader: Reader, isKnown: Bool) throws {
    self.name = name
    let found = try reader.values("SELECT name, type, pk FROM pragma_table_info(\(name))") { row in
      (name: try row.text(), isRowid: try row.text().uppercased() == "INTEGER", key: try row.int())
    }
    let primary = found.filter { $0.key > 0 }.sorted { $0.key < $1.key }
    let rowid = try primary.count == 1 && primary.allSatisfy(\.isRowid) && reader.hasRowID(name) ? primary.map(\.name) : []
    let named = isKnown ? [] : rowid
    columns = found.map(\.name).filter { !rowid.contains($0) || named.contains($0) }
    if rowid.isEmpty, !primary.isEmpty {
      key = primary.map(\.name)
    } else {
      // An index over an expression has a column without a name, which equals no column.
      let index = try reader.value(
        """
        SELECT name FROM pragma_index_list(\(name)) AS list WHERE "unique" = 1 AND partial = 0 AND NOT EXISTS (
          SELECT 1 FROM pragma_index_info(list.name) AS part WHERE NOT EXISTS (
            SELECT 1 FROM pragma_table_info(\(name)) AS columns WHERE columns.name = part.name AND columns."notnull" = 1))
        ORDER BY origin DESC, seq DESC LIMIT 1
        """
      ) { row in try row.text() }
      key =
        try index.map { index in
          try reader.values("SELECT name FROM pragma_index_info(\(index)) ORDER BY seqno") { row in try row.text() }
        } ?? named
    }
    guard !key.isEmpty || !isKnown else { throw StoreError(.misuse, "the table \(name) has no key: its rows cannot be exported") }
    let references = try reader.values("SELECT \"table\", \"from\" FROM pragma_foreign_key_list(\(name)) ORDER BY id, seq") { row in
      (table: try row.text(), column: try row.text())
    }
    parents = references.map(\.table)
    parent = references.first
  }
}
