public import Foundation
internal import GRDBSQLite
import Logging

extension Store {
  /// Brings one row of a moment back into the running store, with every row that hung on it then, and touches nothing else.
  ///
  /// Rows whose foreign keys point at it come with it, and theirs, and so on; a row that one of these points at comes back, too, if it is gone
  /// today. A row that is there today stays as it is. All rows come in one transaction.
  ///
  /// - Returns: how many rows were brought back, by table; empty when all are there.
  /// - Throws: `.notFound` when the moment has no such row; `.constraint` when a row of today forbids one of them, for example by a unique
  ///   name; the errors of `Archive.restore(to:at:)`. Nothing has changed then.
  @discardableResult
  public func bringBack<Record: StoredRecord>(_ type: Record.Type, id: UUID, from moment: Moment) throws -> [String: Int] {
    try bringBack(Record.table, key: .id(id), from: moment)
  }

  /// The same for a table by its name, and the value of its key: a single column, the primary key, or where that is only the row's number, the
  /// first other unique key.
  @discardableResult
  public func bringBack(_ table: String, key: SQLValue, from moment: Moment) throws -> [String: Int] {
    try OpenDoor.check(self)
    try checkWritable()
    guard let files else { throw StoreError(.misuse, "a store in memory has no archive") }
    do {
      let folder = try WorkingFolder(beside: files.url, "bringing-back")
      let built = folder.file("then.sqlite")
      try archive().restore(to: moment, at: built)
      return try bringBack(table, key: key, in: built)
    } catch {
      throw failure(error)
    }
  }

  func bringBack(_ table: String, key: SQLValue, in file: URL) throws -> [String: Int] {
    let past = try PastRows(ConnectionFactory(file.path, options).working())
    let rows = try past.family(table, key)
    return try write { tx in
      try tx.execute("PRAGMA defer_foreign_keys = ON")
      var brought: [String: Int] = [:]
      for row in rows {
        let there = try tx.values("SELECT name FROM pragma_table_info(\(row.table))") { try $0.text() }
        let matches = row.key.enumerated().map { "\(quoted($1.name)) = ?\($0 + 1)" }.joined(separator: " AND ")
        guard try !tx.holds("SELECT 1 FROM \(quoted(row.table)) WHERE \(matches)", row.key.map(\.value)) else { continue }
        let values = row.values.filter { there.contains($0.name) }
        let names = values.map { quoted($0.name) }.joined(separator: ", ")
        let places = values.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        try tx.execute("INSERT INTO \(raw: quoted(row.table)) (\(raw: names)) VALUES (\(raw: places))") { bound in
          for part in values { try bound.value(part.value) }
        }
        brought[row.table, default: 0] += 1
      }
      return brought
    }
  }
}

/// The rows of an earlier state that hang together.
private struct PastRows {
  struct Row {
    var table: String
    var key: [(name: String, value: SQLValue)]
    var values: [(name: String, value: SQLValue)]
  }

  private struct Link {
    var child: String
    var parent: String
    /// Of the child, and of the parent.
    var columns: [(from: String, to: String)]

    var matches: String { columns.map { "c.\(quoted($0.from)) = p.\(quoted($0.to))" }.joined(separator: " AND ") }
  }

  private struct Place: Hashable {
    var table: String
    var row: Int64
  }

  private let past: RawConnection
  private let links: [Link]

  init(_ past: RawConnection) throws {
    self.past = past
    let keys = try past.texts(
      """
      SELECT t.name, f.id, f."table", f."from", f."to" FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
      WHERE t.schema = 'main' AND t.type = 'table' AND NOT t.wr ORDER BY t.name, f.id, f.seq
      """)
    var links: [String: Link] = [:]
    for row in keys {
      guard let child = row[0], let parent = row[2], let from = row[3] else { continue }
      // Without a column, a foreign key points at the primary key.
      let to = try row[4] ?? past.texts("SELECT name FROM pragma_table_info('\(parent.replacing("'", with: "''"))') WHERE pk = 1").first?[0]
      guard let to else { continue }
      links["\(child) \(row[1] ?? "")", default: Link(child: child, parent: parent, columns: [])].columns.append((from, to))
    }
    self.links = links.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The row with this key, all that hangs on it, and all that these point at.
  func family(_ table: String, _ key: SQLValue) throws -> [Row] {
    let outline = try TableKey(table, past.texts)
    guard outline.key.count == 1 else { throw StoreError(.misuse, "the key of \(table) has \(outline.key.count) columns, not one") }
    guard let first = try past.values("SELECT rowid FROM \(quoted(table)) WHERE \(quoted(outline.key[0])) = ?1", [key]).first?.first,
      case .integer(let number) = first
    else { throw StoreError(.notFound, "there was no such row in \(table) at that moment") }
    var found = [Place(table: table, row: number)]
    var known = Set(found)
    func add(_ table: String, _ sql: String) throws {
      for values in try past.values(sql, []) {
        guard case .integer(let row)? = values.first else { continue }
        if known.insert(Place(table: table, row: row)).inserted { found.append(Place(table: table, row: row)) }
      }
    }
    var next = 0
    while next < found.count {
      let place = found[next]
      for link in links where link.parent.lowercased() == place.table.lowercased() {
        try add(
          link.child,
          "SELECT c.rowid FROM \(quoted(link.child)) AS c JOIN \(quoted(link.parent)) AS p ON \(link.matches) WHERE p.rowid = \(place.row)")
      }
      next += 1
    }
    // What these point at, without what else hangs on that.
    next = 0
    while next < found.count {
      let place = found[next]
      for link in links where link.child.lowercased() == place.table.lowercased() {
        try add(
          link.parent,
          "SELECT p.rowid FROM \(quoted(link.parent)) AS p JOIN \(quoted(link.child)) AS c ON \(link.matches) WHERE c.rowid = \(place.row)")
      }
      next += 1
    }
    return try found.compactMap(row)
  }

  private func row(_ place: Place) throws -> Row? {
    let outline = try TableKey(place.table, past.texts)
    let generated = Set(
      try past.texts("SELECT name FROM pragma_table_xinfo('\(place.table.replacing("'", with: "''"))') WHERE hidden IN (2, 3)").compactMap { $0[0] })
    let columns = outline.columns.filter { !generated.contains($0) }
    let names = (outline.key + columns).map(quoted).joined(separator: ", ")
    guard let values = try past.values("SELECT \(names) FROM \(quoted(place.table)) WHERE rowid = \(place.row)", []).first else { return nil }
    let key = Array(zip(outline.key, values).map { (name: $0, value: $1) })
    return Row(table: place.table, key: key, values: zip(columns, values.dropFirst(outline.key.count)).map { (name: $0, value: $1) })
  }
}

extension Writer {
  /// Whether a query has a row. Its parameters are `?1`, `?2` and so on.
  fileprivate func holds(_ sql: String, _ bound: [SQLValue]) throws -> Bool {
    try check()
    return try connection.with(connection.prepared(sql)) { statement in
      var values = Values(copyingInto: statement)
      for value in bound { try values.value(value) }
      switch sqlite3_step(statement) {
      case SQLITE_ROW: return true
      case SQLITE_DONE: return false
      case let code: throw connection.failure(code)
      }
    }
  }
}

extension RawConnection {
  /// All rows of a query.
  fileprivate func values(_ sql: String, _ bound: [SQLValue]) throws -> [[SQLValue]] {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure(code) }
    defer { sqlite3_finalize(statement) }
    var values = Values(copyingInto: statement)
    for value in bound { try values.value(value) }
    var rows: [[SQLValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { column in
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
            case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
            case SQLITE_TEXT: .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
            case SQLITE_BLOB:
              .blob(
                sqlite3_column_blob(statement, column).map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column))) } ?? Data())
            default: .null
            }
          })
      case SQLITE_DONE: return rows
      case let code: throw failure(code)
      }
    }
  }
}
