package import Foundation
import Holdfast

/// The public verbs of a library, read from its sources.
package struct LibraryForms {
  /// The source of each verb without indentation. Async forms have `async` behind the parameters.
  private var verbs: [(name: String, text: String)] = []
  private let type: String

  /// - Throws: `.misuse` when the sources have no verb; the errors of reading the files.
  package init<Library>(of type: Library.Type, in sources: [URL]) throws {
    self.type = "\(type)"
    for file in try sources.flatMap(Self.files) {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Extensions with a conformance implement an app's protocol, with its names, in one form.
      for part in text.components(separatedBy: "\nextension \(type) {").dropFirst() {
        let body = part.components(separatedBy: "\n}\n")[0].components(separatedBy: "\n  public func ").dropFirst()
        verbs += body.map(Self.verb)
      }
    }
    guard !verbs.isEmpty else { throw StoreError(.misuse, "there is no public method in an extension of \(type)") }
  }

  /// The names of the verbs, including live updates.
  package var names: Set<String> { Set(verbs.map(\.name)) }

  /// - Throws: `.verificationFailed` for a verb without both forms, with different forms, or without a call beside a `LibraryVerb(name:`.
  func check(calledIn tests: URL) throws {
    // A verb that takes an open transaction has one form.
    let forms = verbs.filter { verb in ![" in reader: Reader)", " in tx: Writer)"].contains(where: verb.text.contains) }
    let forTasks = Set(forms.map(\.text).filter { $0.contains(") async throws") }.map(Self.blocking))
    let others = Set(forms.map(\.text).filter { $0.contains(") throws") })
    if let lonely = others.symmetricDifference(forTasks).min() {
      throw StoreError(.verificationFailed, "a verb of \(type) does not do the same in both forms: \(lonely)")
    }
    let texts = try Self.files(tests).map { try String(contentsOf: $0, encoding: .utf8) }
    let cases = texts.filter { $0.contains(#/Verb(Case)?\(name:/#) }
    for verb in verbs where !cases.contains(where: { $0.contains(".\(verb.name)(") }) {
      throw StoreError(.verificationFailed, "\(type).\(verb.name) is no verb of the conformance")
    }
  }

  private static func verb(_ text: String) -> (name: String, text: String) {
    // The verb's source ends at its closing brace, or at the end of its line.
    let lines = text.components(separatedBy: "\n")
    let end = lines[0].hasSuffix("}") ? 0 : lines.firstIndex(of: "  }") ?? lines.count - 1
    let words = lines[...end].joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
      .replacingOccurrences(of: "( ", with: "(").replacingOccurrences(of: " )", with: ")")
    return (String(words.prefix { $0 != "(" && $0 != "<" }), words)
  }

  private static func blocking(_ text: String) -> String {
    text.replacingOccurrences(of: ") async throws", with: ") throws").replacingOccurrences(of: "await ", with: "")
  }

  private static func files(_ url: URL) throws -> [URL] {
    guard url.pathExtension != "swift" else { return [url] }
    return try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted().filter { $0.hasSuffix(".swift") }
      .map(url.appendingPathComponent)
  }
}
