/// The tables behind virtual tables. SQLite reads them inside the virtual table, so it does not report them for a statement.
///
/// Behind a virtual table is each table and view that its declaration names, such as the content of a full-text index, and each table whose
/// triggers name it: they fill it. Behind a table in which a virtual table keeps its data is that virtual table. A word that only looks like
/// the name of a table counts, too: a refused statement does less harm than a secret that is shown.
struct VirtualContent {
  private struct Object {
    let name: String
    let folded: String
    let isVirtual: Bool
    /// What its SQL names, in lower case; empty for an ordinary table.
    var words: Set<String>
  }

  /// Tables and views.
  private var objects: [Object] = []

  init(_ query: TextQuery) throws {
    var triggers: [(table: String, words: Set<String>)] = []
    for row in try query("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema WHERE type <> 'index'") {
      guard row.count == 4, let type = row[0], let name = row[1], let table = row[2], let sql = row[3] else { continue }
      let isVirtual = sql.hasPrefix("CREATE VIRTUAL TABLE")
      // A declaration may name a table in a text: content='notes'.
      let words = Set(isVirtual || type != "table" ? SQLTokens.of(sql).map { Self.unquoted($0).lowercased() } : [])
      if type == "trigger" {
        triggers.append((table.lowercased(), words))
      } else {
        objects.append(Object(name: name, folded: name.lowercased(), isVirtual: isVirtual, words: words))
      }
    }
    for place in objects.indices where objects[place].isVirtual {
      let name = objects[place].folded
      objects[place].words.formUnion(triggers.filter { $0.words.contains(name) }.map(\.table))
    }
  }

  /// These tables with all tables and views behind them, by name.
  func tables(with tables: [String]) -> [String] {
    var (found, waiting) = (Set(tables), tables)
    while let next = waiting.popLast()?.lowercased() {
      let words = objects.filter { $0.folded == next }.reduce(into: Set<String>()) { $0.formUnion($1.words) }
      for object in objects where words.contains(object.folded) || object.isVirtual && next.hasPrefix(object.folded + "_") {
        if found.insert(object.name).inserted { waiting.append(object.name) }
      }
    }
    return found.sorted()
  }

  private static func unquoted(_ word: String) -> String {
    word.count > 1 && word.hasPrefix("'") && word.hasSuffix("'") ? String(word.dropFirst().dropLast()) : word
  }
}
