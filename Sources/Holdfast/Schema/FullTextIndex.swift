extension SchemaDeclaration {
  /// A full-text index over columns of a table, which follows every write: an FTS5 table `name`, a view `name_text` that it reads its text
  /// from, and three triggers. Nothing of the text is stored twice.
  ///
  ///     .fullText("books_search", of: "books", ["title", FullTextColumn("author", segmented: "search_author")])
  ///
  /// It cuts text into words with `unicode61 remove_diacritics 2`, as `SearchText` expects: match `SearchText.query(_:prefix:)`, and join
  /// the index to its table by `rowid`.
  /// - Parameters:
  ///   - table: declares `rowid INTEGER PRIMARY KEY`, by which the index names rows.
  ///   - prefixes: lengths, in characters, of beginnings of words that get an index of their own: search as one types becomes faster, the
  ///     index larger.
  public static func fullText(_ name: String, of table: String, _ columns: [FullTextColumn], prefixes: [Int] = []) -> SchemaDeclaration {
    let index = quoted(name)
    let names = columns.map { quoted($0.name) }.joined(separator: ", ")
    let sources = columns.flatMap(\.sources)
    return SchemaDeclaration(fill: ["INSERT INTO \(index) (\(index)) VALUES ('rebuild')"]) { comment, known in
      _ = try Self.columns(of: table, known, needed: ["rowid"] + sources)
      func texts(_ row: String) -> String { columns.map { $0.text(of: row) }.joined(separator: ", ") }
      let selected = columns.map { "\($0.text(of: quoted(table))) AS \(quoted($0.name))" }.joined(separator: ", ")
      let options = prefixes.isEmpty ? "" : ", prefix='\(prefixes.map(String.init).joined(separator: " "))'"
      let content = "'" + (name + "_text").replacing("'", with: "''") + "'"
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
  }
}

/// A column of a full-text index.
public struct FullTextColumn: Sendable, ExpressibleByStringLiteral {
  let name: String
  /// The first of them that is not NULL is indexed.
  let sources: [String]

  /// - Parameters:
  ///   - name: the column of the index, for a query of this column alone.
  ///   - column: of the table; nil: it has the same name.
  ///   - segmented: a column that holds `SearchText.segmented(_:)` of the text, and is indexed in its place where it is not NULL; nil: words
  ///     of scripts without spaces are not found.
  public init(_ name: String, of column: String? = nil, segmented: String? = nil) {
    self.name = name
    sources = [segmented, column ?? name].compactMap { $0 }
  }

  /// A column of the table by its name.
  public init(stringLiteral name: String) { self.init(name) }

  func text(of row: String) -> String {
    let values = sources.map { "\(row).\(quoted($0))" }
    return values.count == 1 ? values[0] : "coalesce(\(values.joined(separator: ", ")))"
  }
}
