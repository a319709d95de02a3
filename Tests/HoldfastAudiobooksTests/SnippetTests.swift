import Foundation
import Testing

/// The README and the documentation show Swift that compiles: every block is a region of a file in Examples or in the tests of Metrics.
///
/// A region is what stands between `// snippet: name` and `// end`; a block begins with the same `// snippet: name`.
@Suite("Snippets") struct SnippetTests {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  @Test("every Swift block of the README and the documentation is a region of a compiled example")
  func documentation() throws {
    let examples = try regions()
    #expect(!examples.isEmpty)
    #expect(try pages().flatMap { try problems(in: String(contentsOf: $0, encoding: .utf8), of: $0.lastPathComponent, examples) } == [])
  }

  @Test("a block that differs, one without a name and one with an unknown name are found")
  func problemsAreFound() throws {
    let examples = ["a": "let a = 1"]
    let page = "```swift\n// snippet: a\nlet a = 2\n```\n```swift\nlet b = 1\n```\n```swift\n// snippet: c\n```\n```sh\nls\n```\n"
    #expect(
      try problems(in: page, of: "page", examples) == [
        "page: the snippet a differs from its example", "page: a Swift block has no snippet name: let b = 1",
        "page: there is no example named c",
      ])
    #expect(try problems(in: "```swift\n// snippet: a\nlet a = 1\n```", of: "page", examples) == [])
    #expect(throws: Problem.self) { try problems(in: "```swift\n// snippet: a", of: "page", examples) }
  }

  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The README, the documents, and the catalogues of the libraries.
  private func pages() -> [URL] {
    let documentation = ["Documentation", "Sources"].flatMap { folder in
      let found = FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      return (found?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "md" }
    }
    let readme = root.appendingPathComponent("README.md")
    return documentation.sorted { $0.path < $1.path } + (FileManager.default.fileExists(atPath: readme.path) ? [readme] : [])
  }

  private func regions() throws -> [String: String] {
    var regions: [String: String] = [:]
    let files = ["Examples", "Metrics/Tests"].flatMap { folder in
      FileManager.default.enumerator(at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
    }
    for file in files where file.pathExtension == "swift" {
      var name: String?
      var lines: [String] = []
      for line in try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n") {
        let text = line.trimmingCharacters(in: .whitespaces)
        if let begun = name, text == "// end" {
          guard regions.updateValue(unindented(lines), forKey: begun) == nil else {
            throw Problem(description: "two regions named \(begun)")
          }
          name = nil
        } else if text.hasPrefix("// snippet: ") {
          guard name == nil else { throw Problem(description: "\(file.lastPathComponent): \(name ?? "") has no end") }
          name = String(text.dropFirst("// snippet: ".count))
          lines = []
        } else if name != nil {
          lines.append(line)
        }
      }
      if let name { throw Problem(description: "\(file.lastPathComponent): \(name) has no end") }
    }
    return regions
  }

  private func unindented(_ lines: [String]) -> String {
    let indent = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
  }

  private func problems(in page: String, of file: String, _ examples: [String: String]) throws -> [String] {
    var problems: [String] = []
    var block: [String]?
    for line in page.components(separatedBy: "\n") {
      if let lines = block {
        guard line.trimmingCharacters(in: .whitespaces) == "```" else {
          block = lines + [line]
          continue
        }
        if let problem = problem(with: unindented(lines), examples) { problems.append("\(file): \(problem)") }
        block = nil
      } else if line.trimmingCharacters(in: .whitespaces) == "```swift" {
        block = []
      }
    }
    if block != nil { throw Problem(description: "\(file): a block has no end") }
    return problems
  }

  private func problem(with block: String, _ examples: [String: String]) -> String? {
    var lines = block.components(separatedBy: "\n")
    let first = lines.removeFirst()
    guard first.hasPrefix("// snippet: ") else { return "a Swift block has no snippet name: \(first)" }
    let name = String(first.dropFirst("// snippet: ".count))
    guard let example = examples[name] else { return "there is no example named \(name)" }
    return example == lines.joined(separator: "\n") ? nil : "the snippet \(name) differs from its example"
  }
}
