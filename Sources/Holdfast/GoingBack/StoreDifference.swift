package import Foundation

/// How many rows of a table differ between two states of a store.
public struct TableDifference: Sendable, Codable, Equatable {
  /// The table's name.
  public let table: String
  /// The number of rows that only the newer state has.
  public let added: Int
  /// The number of rows that only the older state has.
  public let removed: Int
  /// The number of rows that both states have, with different values.
  public let changed: Int
}

/// A row that differs between two states of a store.
package struct RowDifference: Sendable, Codable, Equatable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case removed, changed, added
  }

  package let kind: Kind
  /// The row's key by column, or its rowid.
  package let key: [String: JSONValue]
  /// All values by column, as people read them. Bytes are `{"bytes": 12}`, their number. Nil: that state lacks the row.
  package let before: [String: JSONValue]?
  package let after: [String: JSONValue]?

  package init(kind: Kind, key: [String: JSONValue], before: [String: JSONValue]?, after: [String: JSONValue]?) {
    (self.kind, self.key, self.before, self.after) = (kind, key, before, after)
  }
}

/// Compares two files of one store, which nothing may change meanwhile.
///
/// A row of the one file is found in the other by its table's key, as `TableShape` says; a row whose key has a NULL, by its rowid. Two values
/// are the same when SQLite stores them alike: the integer 1 and the real 1.0 differ, and so do "a" and "A" in a column that compares them
/// as equal. A column that only one file has counts as NULL in the other. A table that only one file has, or that has another key in the
/// other file, counts all its rows as removed, added or both.
package enum StoreDifference {
  /// The tables with differences, by name.
  ///
  /// - Throws: `.notFound`, `.wrongKey`, `.damaged`; the errors of reading the files.
  package static func between(_ old: URL, _ new: URL, _ options: StoreOptions) throws -> [TableDifference] {
    let files = try opened(old, new, options)
    return try files.tables.map { pair in
      func count(_ kind: RowDifference.Kind) throws -> Int {
        guard let source = pair.source(of: kind) else { return 0 }
        return try files.connection.values("SELECT count(*) \(raw: source)") { try $0.int() }.first ?? 0
      }
      return TableDifference(table: pair.name, added: try count(.added), removed: try count(.removed), changed: try count(.changed))
    }.filter { $0.added + $0.removed + $0.changed > 0 }
  }

  /// At most `limit` rows that differ in one table: removed ones, then changed and added ones, each in the order of their keys.
  ///
  /// - Throws: `.notFound` for a table that neither file has; the errors of reading the files.
  package static func rows(of table: String, _ old: URL, _ new: URL, _ options: StoreOptions, limit: Int) throws -> [RowDifference] {
    let files = try opened(old, new, options)
    guard let pair = files.tables.first(where: { $0.name.lowercased() == table.lowercased() }) else {
      throw StoreError(.notFound, "neither of the two states has a table \(table)")
    }
    var rows: [RowDifference] = []
    for kind in RowDifference.Kind.allCases where rows.count < limit {
      rows += try pair.rows(of: kind, limit: limit - rows.count, on: files.connection)
    }
    return rows
  }

  /// The older file as `main` and the newer one as `other`, on one connection.
  private static func opened(
    _ old: URL, _ new: URL, _ options: StoreOptions
  ) throws -> (connection: RawConnection, tables: [TablePair]) {
    let connection = try ConnectionFactory(old.path, options).still(beside: new.path)
    let (before, after) = (try TableShape.all(connection.texts), try TableShape.all(connection.texts, in: "other"))
    let names = Set(before.keys).union(after.keys).sorted()
    return (connection, try names.map { try TablePair(before[$0], after[$0], connection) })
  }
}
