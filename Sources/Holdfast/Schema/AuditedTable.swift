internal import GRDB

extension SchemaDeclaration {
  /// Records every change of a table's rows in the audit: who, when, by which verb, and the columns before and after. In the same
  /// transaction, whichever code changes the row. See `Audit`.
  ///
  ///     .audit("books", unaudited: ["cover"])
  ///
  /// An update has the columns that changed, and the key; columns that a later migration adds count, too. A change of the key is recorded
  /// as the deletion of the old row and the insertion of the new one. The audit of a table begins when the kit makes the triggers, with an
  /// entry `base`. Each migration of the store, and each trigger that is made again, writes such an entry, because migrations are not
  /// recorded.
  ///
  /// Not recorded are rows that another program replaces (`INSERT OR REPLACE`) without `PRAGMA recursive_triggers = ON`, which the kit's own
  /// connections have: only the new row is.
  /// - Parameters:
  ///   - table: none in the schema's `neverExported`, and none of the kit. Otherwise opening throws `.misuse`.
  ///   - key: the columns that identify a row, with a unique key. By default `id`.
  ///   - unaudited: columns that are never recorded, because they are large or private. Not the key.
  public static func audit(_ table: String, key: [String] = ["id"], unaudited: Set<String> = []) -> SchemaDeclaration {
    let audited = AuditedTable(name: table, key: key, unaudited: unaudited)
    var declaration = SchemaDeclaration(audited: audited) { comment, known in try audited.triggers(comment, known.columns) }
    declaration.fill = { db, _ in try db.execute(sql: audited.base) }
    return declaration
  }
}

/// The SQL that records the changes of one table.
///
/// The values of a row are one JSON object by column, and every value comes back as it was stored: NULL is `null`; an INTEGER is a number;
/// a TEXT is a string; a REAL is `{"real": "1.5…e+00"}`, with more digits than a double has; a BLOB is `{"blob": "00FF"}`.
struct AuditedTable: Sendable {
  let name: String
  let key: [String]
  let unaudited: Set<String>

  /// SQLite's clock, in milliseconds since 1970. The kit writes its own time into the entries of its own transactions.
  static let now = "CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)"

  /// The entry that begins the audit of the table.
  var base: String {
    "INSERT INTO holdfast_audit (time, verb, kind, row, operation) VALUES (\(Self.now), 'migrate', \(literal(name)), '', 'base')"
  }

  func triggers(_ comment: String, _ known: [String: Set<String>]) throws -> SchemaDeclaration.Objects {
    guard !name.lowercased().hasPrefix("holdfast_"), !key.isEmpty, unaudited.isDisjoint(with: key) else {
      throw StoreError(.misuse, "an audit of \(name) needs a table that is not the kit's, and a key that is audited")
    }
    let all = try SchemaDeclaration.columns(of: name, known, needed: key + unaudited.sorted())
    let others = all.subtracting(unaudited).subtracting(key).sorted()
    let columns = key + others
    let insertion = entry("insert", row: "new", before: "NULL", after: Self.object(columns, of: "new"))
    let deletion = entry("delete", row: "old", before: Self.object(columns, of: "old"), after: "NULL")
    let rekeyed = key.map(Self.differs).joined(separator: " OR ")
    var objects: SchemaDeclaration.Objects = [
      SchemaDeclaration.trigger("\(name)_audit_insert", comment, after: "INSERT", on: name, insertion),
      SchemaDeclaration.trigger("\(name)_audit_delete", comment, after: "DELETE", on: name, deletion),
      SchemaDeclaration.trigger("\(name)_audit_rekey", comment, after: "UPDATE", on: name, when: rekeyed, deletion, insertion),
    ]
    guard !others.isEmpty else { return objects }
    let changed = others.map(Self.differs).joined(separator: " OR ")
    let update = entry("update", row: "new", before: object(changed: others, of: "old"), after: object(changed: others, of: "new"))
    let condition = "NOT (\(rekeyed)) AND (\(changed))"
    objects.append(SchemaDeclaration.trigger("\(name)_audit_update", comment, after: "UPDATE", on: name, when: condition, update))
    return objects
  }

  private func entry(_ operation: String, row: String, before: String, after: String) -> String {
    """
    INSERT INTO holdfast_audit (time, kind, row, operation, before, after)
        VALUES (\(Self.now), \(literal(name)), \(Self.rowName(key, of: row)), '\(operation)',
        \(before),
        \(after))
    """
  }

  /// The name of a row: its key as text. Several columns are joined by `/`; a `/` and a `%` of their own are escaped as in a URL.
  static func rowName(_ key: [String], of row: String) -> String {
    let texts = key.map { column -> String in
      let value = "\(row).\(quoted(column))"
      return "CASE typeof(\(value)) WHEN 'blob' THEN hex(\(value)) ELSE coalesce(CAST(\(value) AS TEXT), '') END"
    }
    guard texts.count > 1 else { return texts.joined() }
    return texts.map { "replace(replace(\($0), '%', '%25'), '/', '%2F')" }.joined(separator: " || '/' || ")
  }

  private func object(changed others: [String], of row: String) -> String {
    let changed = others.map { column in
      "CASE WHEN \(Self.differs(column)) THEN ',' || \(Self.member(column, of: row)) ELSE '' END"
    }
    let fixed = key.map { Self.member($0, of: row) }.joined(separator: " || ',' || ")
    return "'{' || " + ([fixed] + changed).joined(separator: " || ") + " || '}'"
  }

  static func object(_ columns: [String], of row: String) -> String {
    "'{' || " + columns.map { member($0, of: row) }.joined(separator: " || ',' || ") + " || '}'"
  }

  private static func member(_ column: String, of row: String) -> String {
    let value = "\(row).\(quoted(column))"
    // `quote` and the JSON functions write a REAL with too few digits.
    return """
      \(literal(JSONValue.string(column).canonicalText() + ":")) || CASE typeof(\(value)) WHEN 'null' THEN 'null' \
      WHEN 'integer' THEN \(value) WHEN 'text' THEN json_quote(\(value)) WHEN 'real' THEN printf('{"real":"%!.20e"}', \(value)) \
      ELSE '{"blob":"' || hex(\(value)) || '"}' END
      """
  }

  /// Also where SQLite compares the two as equal: 1 and 1.0, and texts by the column's collation.
  static func differs(_ column: String) -> String {
    let (old, new) = ("old.\(quoted(column))", "new.\(quoted(column))")
    return "\(old) IS NOT \(new) COLLATE BINARY OR typeof(\(old)) <> typeof(\(new))"
  }
}
