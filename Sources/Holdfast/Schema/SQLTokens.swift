/// Splits SQL into words as SQLite reads them: without comments and spaces, with names unquoted and in lower case.
enum SQLTokens {
  /// Whether a statement begins or ends a transaction. Reads only its first words.
  static func controlsTransaction(_ sql: String) -> Bool {
    var rest = sql.unicodeScalars[...]
    var first = next(&rest)
    while first == ";" { first = next(&rest) }
    switch first {
    case "begin", "commit", "end": return true
    case "rollback":
      var second = next(&rest)
      if second == "transaction" { second = next(&rest) }
      return second != "to"
    default: return false
    }
  }

  /// Whether SQLite counts the rows that a statement changes. Reads only its first word: of WITH it does not know.
  static func countsRows(_ sql: String) -> Bool {
    var rest = sql.unicodeScalars[...]
    return ["insert", "replace", "update", "delete", "with"].contains(next(&rest) ?? "")
  }

  /// The table that an INSERT, UPDATE or DELETE names, in lower case; nil for every other statement. Reads only its first words.
  static func writtenTable(_ sql: String) -> String? {
    var rest = sql.unicodeScalars[...]
    let first = next(&rest)
    guard let first, ["insert", "replace", "update", "delete"].contains(first) else { return nil }
    var name = next(&rest)
    if name == "or" {
      _ = next(&rest)
      name = next(&rest)
    }
    if name == "into" || name == "from" { name = next(&rest) }
    return name
  }

  /// The names of the indexes, triggers, views and virtual tables that a text of statements creates, in lower case.
  static func created(_ sql: String) -> Set<String> {
    var (words, names) = (of(sql)[...], Set<String>())
    while let start = words.firstIndex(of: "create") {
      words = words[(start + 1)...].drop { ["temp", "temporary", "unique"].contains($0) }
      let isVirtual = words.first == "virtual"
      if isVirtual { words = words.dropFirst() }
      guard let kind = words.popFirst(), isVirtual ? kind == "table" : ["index", "trigger", "view"].contains(kind) else { continue }
      if words.starts(with: ["if", "not", "exists"]) { words = words.dropFirst(3) }
      if let name = words.first { names.insert(name) }
    }
    return names
  }

  static func of(_ sql: String) -> [String] { Array(sequence(state: sql.unicodeScalars[...]) { next(&$0) }) }

  /// The next word; nil at the end.
  private static func next(_ rest: inout Substring.UnicodeScalarView) -> String? {
    while let first = rest.first {
      if isSpace(first) {
        rest = rest.drop(while: isSpace)
      } else if rest.starts(with: "--".unicodeScalars) {
        rest = rest.drop { $0 != "\n" }
      } else if rest.starts(with: "/*".unicodeScalars) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else if first == "'" {
        // A text keeps its quotes and its case.
        return "'" + quoted(&rest, until: "'") + "'"
      } else if first == "\"" || first == "`" {
        return quoted(&rest, until: first).lowercased()
      } else if first == "[" {
        return quoted(&rest, until: "]").lowercased()
      } else if isWord(first) {
        let word = rest.prefix(while: isWord)
        rest = rest.dropFirst(word.count)
        return String(word).lowercased()
      } else {
        rest.removeFirst()
        return String(first)
      }
    }
    return nil
  }

  /// The text between two quotes; a doubled quote counts as one.
  private static func quoted(_ rest: inout Substring.UnicodeScalarView, until end: Unicode.Scalar) -> String {
    var text = String.UnicodeScalarView()
    rest.removeFirst()
    while let next = rest.popFirst() {
      guard next == end else {
        text.append(next)
        continue
      }
      guard rest.first == end, end != "]" else { break }
      text.append(next)
      rest.removeFirst()
    }
    return String(text)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    // SQLite reads a byte order mark between words as a space.
    scalar == " " || ("\t"..."\r").contains(scalar) || scalar == "\u{FEFF}"
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || !scalar.isASCII || ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar)
      || ("A"..."Z").contains(scalar)
  }
}
