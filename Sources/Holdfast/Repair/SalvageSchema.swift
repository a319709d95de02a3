import Foundation

/// The objects of a database, as `sqlite_schema` tells them.
struct SalvageSchema: Equatable {
  struct Object: Hashable {
    var type: String
    var name: String
    var table: String
    /// The first page of its tree; 0 for views, triggers and virtual tables.
    var root: Int
    var sql: String
    /// What makes the object where `sql` does not.
    var otherwise: String?
  }

  private(set) var objects: [Object] = []

  /// What can be read of a damaged file's own schema.
  init(_ file: DamagedFile) {
    var (waiting, seen): ([Int], Set<Int>) = ([1], [])
    while let number = waiting.popLast() {
      guard seen.insert(number).inserted, let page = RawPage(number, of: file) else { continue }
      waiting += page.children
      for row in page.rows(of: file).rows {
        guard row.rowid != nil, row.values.count == 5, case .text(let type) = row.values[0], case .text(let name) = row.values[1],
          case .text(let table) = row.values[2]
        else { continue }
        var (root, sql) = (0, "")
        if case .integer(let page) = row.values[3] { root = Int(exactly: page) ?? 0 }
        if case .text(let text) = row.values[4] { sql = text }
        // In SQL a text ends at a zero, and no name has one that is not damaged.
        let names = [name, table].map { $0.replacing("\0", with: "") }
        objects.append(Object(type: type, name: names[0], table: names[1], root: root, sql: sql))
      }
    }
  }

  init(_ connection: RawConnection) throws {
    for row in try connection.texts("SELECT type, name, tbl_name, rootpage, coalesce(sql, '') FROM sqlite_schema") {
      guard row.count == 5, let type = row[0], let name = row[1], let table = row[2], let sql = row[4] else { continue }
      objects.append(Object(type: type, name: name, table: table, root: row[3].flatMap { Int($0) } ?? 0, sql: sql))
    }
  }

  var hasTables: Bool { objects.contains { $0.type == "table" && !$0.sql.isEmpty } }

  /// Takes over what a sound schema of the same store says: its objects that are gone here, and its SQL where the one here has the same
  /// length and other bytes. SQL of another length is that of another version, and stays if it makes something.
  mutating func mend(by sound: SalvageSchema) {
    for known in sound.objects {
      let place =
        objects.firstIndex { $0.type == known.type && $0.name.lowercased() == known.name.lowercased() }
        ?? objects.firstIndex { !known.sql.isEmpty && $0.sql == known.sql }
      guard let place else {
        var added = known
        added.root = 0
        objects.append(added)
        continue
      }
      let (root, own) = (objects[place].root, objects[place].sql)
      objects[place] = known
      objects[place].root = root
      if own.utf8.count != known.sql.utf8.count { (objects[place].sql, objects[place].otherwise) = (own, known.sql) }
    }
  }

  /// How many objects are the same in both.
  func count(sharedWith other: SalvageSchema) -> Int {
    let texts = Set(other.objects.map(\.sql))
    return objects.count { !$0.sql.isEmpty && texts.contains($0.sql) }
  }

  func root(_ name: String) -> Int? { objects.first { $0.name == name }.flatMap { $0.root > 0 ? $0.root : nil } }

  /// The objects of a type that SQL can make, in the order in which they were made.
  func made(_ type: String) -> [Object] { objects.filter { $0.type == type && !$0.sql.isEmpty && !$0.name.hasPrefix("sqlite_") } }

  /// The full-text tables, and the tables in which these keep their content.
  var virtual: [Object] { made("table").filter { $0.sql.uppercased().hasPrefix("CREATE VIRTUAL TABLE") } }
  var shadows: Set<String> { Set(virtual.flatMap { table in SearchIndex.shadows.map { table.name + $0 } }) }
}
