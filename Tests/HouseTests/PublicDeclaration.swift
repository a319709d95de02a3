/// A public symbol, as a scanner of lines sees it.
struct PublicDeclaration {
  /// From `public` to the body, without line breaks.
  let signature: String
  /// The word that a reader would look for: `save`, `init`, `title`.
  let name: String
  let hasDocComment: Bool
  /// The type or extension around it; empty at the top of the file.
  let scope: String
}

extension SourceFile {
  private static let types: Set<Substring> = ["struct", "class", "enum", "protocol", "extension", "actor"]
  private static let named = types.union(["func", "var", "let", "typealias", "case"])

  var publicDeclarations: [PublicDeclaration] {
    var found: [PublicDeclaration] = []
    var scopes: [(name: String, indent: Int)] = []
    for (number, line) in code.enumerated() where !line.isEmpty {
      let indent = line.prefix { $0 == " " }.count
      let words = line.split { $0 == " " || $0 == ":" || $0 == "(" || $0 == "<" }
      if line.dropFirst(indent).first != ")" { scopes.removeAll { $0.indent >= indent } }
      let scope = scopes.last?.name ?? ""
      let type = words.firstIndex { Self.types.contains($0) }
      if line.hasSuffix("{"), let type, type + 1 < words.count, words[type + 1] != "func" {
        scopes.append((String(words[type + 1]), indent))
      }
      guard words.contains("public"), !words.contains("import") else { continue }
      let name: Substring? =
        if let word = words.firstIndex(where: { Self.named.contains($0) && $0 != "class" }) ?? words.firstIndex(of: "class"),
          word + 1 < words.count
        {
          words[word + 1]
        } else {
          words.first { $0.hasPrefix("init") || $0 == "subscript" }
        }
      guard let name else { continue }
      found.append(
        PublicDeclaration(
          signature: signature(from: number), name: String(name.prefix { $0 != "?" }), hasDocComment: isDocumented(number), scope: scope))
    }
    return found
  }

  /// Over several lines, until the brackets are closed; without the body.
  private func signature(from number: Int) -> String {
    var text = ""
    for line in code[number...] {
      text += (text.isEmpty ? "" : " ") + line.drop { $0 == " " }
      if text.contains("{") || text.filter({ $0 == "(" }).count <= text.filter({ $0 == ")" }).count { break }
    }
    return text.split(separator: "{").first.map(String.init) ?? text
  }

  /// Attributes may stand between the comment and the declaration.
  private func isDocumented(_ number: Int) -> Bool {
    let above = lines[..<number].last { !$0.drop { $0 == " " }.hasPrefix("@") }
    return above?.drop { $0 == " " }.hasPrefix("///") ?? false
  }
}
