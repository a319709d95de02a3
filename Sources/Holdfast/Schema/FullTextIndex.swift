internal import GRDB

extension SchemaDeclaration {
  /// A full-text index over columns of a table: an FTS5 table `name`, a view `name_text` from which it reads its text, and three triggers
  /// that keep it up to date. No text is stored twice.
  ///
  ///     .fullText("books_search", of: "books", ["title", FullTextColumn("author", segmented: "search_author")])
  ///
  /// The index splits text into words with `unicode61 remove_diacritics 2`, as `SearchText` expects. Match it against
  /// `SearchText.query(_:prefix:)`, and join it to its table by `rowid`.
  /// - Parameters:
  ///   - table: must declare `rowid INTEGER PRIMARY KEY`, by which the index refers to rows. None in the schema's `neverExported`, whose rows
  ///     could be read through the index: then opening throws `.misuse`.
  ///   - prefixes: lengths, in characters, of word beginnings that get an index of their own. Search while typing becomes faster, and the
  ///     index larger.
  public static func fullText(_ name: String, of table: String, _ columns: [FullTextColumn], prefixes: [Int] = []) -> SchemaDeclaration {
    let index = quoted(name)
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    let sources = columns.flatMap(\.sources)
    var declaration = SchemaDeclaration { comment, known in
      _ = try Self.columns(of: table, known.columns, needed: ["rowid"] + sources)
      func texts(_ row: String) -> String { columns.map { $0.text(of: row) }.joined(separator: ", ") }
      let selected = columns.map { "\($0.text(of: quoted(table))) AS \(quoted($0.name))" }.joined(separator: ", ")
      let options = prefixes.isEmpty ? "" : ", prefix='\(prefixes.map(String.init).joined(separator: " "))'"
      let content = literal(name + "_text")
      let add = "INSERT INTO \(index) (rowid, \(names)) VALUES (new.rowid, \(texts("new")))"
      let remove = "INSERT INTO \(index) (\(index), rowid, \(names)) VALUES ('delete', old.rowid, \(texts("old")))"
      let view = "CREATE VIEW \(quoted(name + "_text")) \(comment) AS SELECT rowid AS docid, \(selected) FROM \(quoted(table))"
      let fullText = """
        CREATE VIRTUAL TABLE \(index) \(comment) USING fts5 (
          \(names), content=\(content), content_rowid='docid', tokenize="unicode61 remove_diacritics 2"\(options))
        """
      return [
        (name + "_text", .init(type: "view", table: name + "_text", sql: view)),
        (name, .init(type: "table", table: name, sql: fullText)),
        trigger(name + "_insert", comment, after: "INSERT", on: table, add),
        trigger(name + "_delete", comment, after: "DELETE", on: table, remove),
        trigger(name + "_update", comment, after: "UPDATE", of: sources, on: table, remove, add),
      ]
    }
    declaration.textIndex = (name, table, columns.map(\.name))
    declaration.fill = { db, _ in try db.execute(sql: "INSERT INTO \(index) (\(index)) VALUES ('rebuild')") }
    return declaration
  }
}

/// A column of a full-text index.
public struct FullTextColumn: Sendable, ExpressibleByStringLiteral {
  let name: String
  /// The first of these columns that is not NULL is indexed.
  let sources: [String]

  /// - Parameters:
  ///   - name: the name of the column in the index, for queries of this column alone.
  ///   - column: the table's column; nil: the one called `name`.
  ///   - segmented: a column with `SearchText.segmented(_:)` of the text, which is indexed instead where it is not NULL. Nil: words of
  ///     scripts without spaces are not found.
  public init(_ name: String, of column: String? = nil, segmented: String? = nil) {
    self.name = name
    sources = [segmented, column ?? name].compactMap { $0 }
  }

  /// The table's column with this name.
  public init(stringLiteral name: String) { self.init(name) }

  func text(of row: String) -> String {
    let values = sources.map { "\(row).\(quoted($0))" }
    return values.count == 1 ? values[0] : "coalesce(\(values.joined(separator: ", ")))"
  }
}
