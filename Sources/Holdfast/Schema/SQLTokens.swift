/// The words of an SQL text, as SQLite reads them: without comments and spaces, names without quotes and in lower case.
enum SQLTokens {
  static func of(_ sql: String) -> [String] {
    var tokens: [String] = []
    var rest = sql.unicodeScalars[...]
    while let first = rest.first {
      if isSpace(first) {
        rest.removeFirst()
      } else if rest.starts(with: "--".unicodeScalars) {
        rest = rest.drop { $0 != "\n" }
      } else if rest.starts(with: "/*".unicodeScalars) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".unicodeScalars) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else if first == "'" {
        // A text is itself, to the letter.
        tokens.append("'" + quoted(&rest, until: "'") + "'")
      } else if first == "\"" || first == "`" {
        tokens.append(quoted(&rest, until: first).lowercased())
      } else if first == "[" {
        tokens.append(quoted(&rest, until: "]").lowercased())
      } else if isWord(first) {
        let word = rest.prefix(while: isWord)
        rest = rest.dropFirst(word.count)
        tokens.append(String(word).lowercased())
      } else {
        tokens.append(String(first))
        rest.removeFirst()
      }
    }
    return tokens
  }

  /// What stands between two quotes; a doubled one stands for itself.
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

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || ("\t"..."\r").contains(scalar) }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || !scalar.isASCII || ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar)
      || ("A"..."Z").contains(scalar)
  }
}
