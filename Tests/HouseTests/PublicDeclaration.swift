/// A public symbol, as a scanner of lines sees it.
struct PublicDeclaration {
  /// From `public` to the body, without line breaks.
  let signature: String
  /// The word that a reader would look for: `save`, `init`, `title`.
  let name: String
  let hasDocComment: Bool
  /// The name of the type or extension around it; empty at the top of the file.
  let scope: String
}

extension SourceFile {
  var publicDeclarations: [PublicDeclaration] {
    let code = code
    var found: [PublicDeclaration] = []
    var scopes: [(name: String, indent: Int)] = []
    for (number, line) in code.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      let words = line.dropFirst(indent)
      if !words.isEmpty, words != ")" { scopes.removeAll { $0.indent >= indent } }
      let scope = scopes.last?.name ?? ""
      if let type = words.firstMatch(of: #/^[\w@ ().]*?\b(?:struct|class|enum|protocol|extension|actor)\s+([\w.]+)/#) {
        scopes.append((String(type.1), indent))
      }
      guard words.contains(#/^(?:@\w+(?:\([^)]*\))?\s+|\w+\s+)*?public\s+/#), !words.contains("import ") else { continue }
      var signature = String(words)
      var next = number + 1
      // A signature over several lines ends with its body, or where the brackets are closed.
      while !signature.contains("{"), signature.count(of: "(") > signature.count(of: ")"), next < code.count {
        signature += " " + code[next].drop { $0 == " " }
        next += 1
      }
      guard let name = Self.name(in: signature) else { continue }
      found.append(
        PublicDeclaration(
          signature: signature.split(separator: "{").first.map(String.init) ?? signature, name: name,
          hasDocComment: isDocumented(number), scope: scope))
    }
    return found
  }

  private static func name(in signature: String) -> String? {
    if let match = signature.firstMatch(of: #/\b(?:func|var|let|struct|class|enum|protocol|typealias|actor|case)\s+(`?\w+`?|[^\s(\w]+)/#),
      match.1 != "func"
    {
      return String(match.1)
    }
    return signature.firstMatch(of: #/\b(init|subscript)\b/#).map { String($0.1) }
  }

  /// Attributes may stand between the comment and the declaration.
  private func isDocumented(_ number: Int) -> Bool {
    for line in lines[..<number].reversed() {
      let words = line.drop { $0 == " " }
      if words.hasPrefix("@") { continue }
      return words.hasPrefix("///")
    }
    return false
  }
}

extension String {
  fileprivate func count(of character: Character) -> Int { filter { $0 == character }.count }
}
