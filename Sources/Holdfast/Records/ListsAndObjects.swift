extension StoredRow {
  /// A JSON list of strings; nil for NULL.
  public mutating func textsOrNil() throws -> [String]? {
    guard let text = try jsonOrNil(JSONValue.self)?.text else { return nil }
    // The kit's scanner is many times faster than Foundation's decoder.
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    var texts: [String] = []
    do {
      try scanner.array { _, element in texts.append(try element.string()) }
      try scanner.finish()
    } catch {
      throw unexpected("a JSON list of texts")
    }
    return texts
  }

  /// A JSON object; nil for NULL.
  public mutating func objectOrNil() throws -> [String: JSONValue]? {
    guard let text = try jsonOrNil(JSONValue.self)?.text else { return nil }
    guard let members = [String: JSONValue](json: text) else { throw unexpected("a JSON object") }
    return members
  }
}

extension Values {
  /// Binds a JSON list of texts; nil is NULL.
  public mutating func texts(_ texts: [String]?) throws {
    try text(texts.map { JSONValue.array($0.map(JSONValue.string)).canonicalText() })
  }

  /// Binds a JSON object; nil is NULL.
  ///
  /// - Throws: `.invalidValue` for a value that could not be read back: one with infinity or NaN, or with more than 512 levels.
  public mutating func object(_ members: [String: JSONValue]?) throws {
    guard members.map({ JSONValue.object($0).comesBack(in: JSONContainer.greatestDepth) }) != false else {
      throw StoreError(.invalidValue, "an object with a number that is not finite, or with more than 512 levels, cannot be stored")
    }
    try text(members.map { JSONValue.object($0).canonicalText() })
  }
}

extension JSONValue {
  /// Whether the value's text reads back as the same value, within so many levels.
  fileprivate func comesBack(in levels: Int) -> Bool {
    switch self {
    case .null, .bool, .integer, .string: true
    case .double(let number): number.isFinite
    case .array(let elements): levels > 0 && elements.allSatisfy { $0.comesBack(in: levels - 1) }
    case .object(let members): levels > 0 && members.values.allSatisfy { $0.comesBack(in: levels - 1) }
    }
  }
}

extension Invariant {
  /// Checks that the columns hold JSON lists of strings, or NULL. `key` is the column that names a row in findings.
  public static func lists(_ columns: [String], of table: String, key: String = "id") -> Invariant {
    Invariant("lists in \(table) are JSON lists of texts", columns, table, key) { column in
      """
      CASE
        WHEN NOT json_valid(\(column)) THEN 1
        WHEN json_type(\(column)) <> 'array' THEN 1
        ELSE EXISTS (SELECT 1 FROM json_each(\(column)) WHERE json_each.type <> 'text') END
      """
    }
  }

  /// Checks that the columns hold JSON objects, or NULL. `key` is the column that names a row in findings.
  public static func objects(_ columns: [String], of table: String, key: String = "id") -> Invariant {
    Invariant("objects in \(table) are JSON objects", columns, table, key) { column in
      "CASE WHEN NOT json_valid(\(column)) THEN 1 ELSE json_type(\(column)) <> 'object' END"
    }
  }

  /// Checks that the columns hold JSON of any kind, or NULL. `key` is the column that names a row in findings.
  public static func json(_ columns: [String], of table: String, key: String = "id") -> Invariant {
    Invariant("values in \(table) are JSON", columns, table, key) { column in "NOT json_valid(\(column))" }
  }

  /// - Parameter isBroken: SQL that is true for a value that breaks the condition, given the column.
  private init(_ name: String, _ columns: [String], _ table: String, _ key: String, _ isBroken: (String) -> String) {
    let broken = columns.map { "(\($0) IS NOT NULL AND \(isBroken($0)))" }.joined(separator: " OR ")
    self.init(name, table: table, findings: BoundSQL(raw: "SELECT \(key) FROM \(table) WHERE \(broken)"))
  }
}
