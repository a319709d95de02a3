package import Foundation
import Holdfast

/// The public verbs of a library, as its sources have them.
package struct LibraryForms {
  /// The text of each verb without its indentation, those for tasks with an `async` behind the list of parameters.
  private var verbs: [(name: String, text: String)] = []
  private let type: String

  /// - Throws: `.misuse` where no verb stands; what reading the files throws.
  package init<Library>(of type: Library.Type, in sources: [URL]) throws {
    self.type = "\(type)"
    for file in try sources.flatMap(Self.files) {
      let text = try String(contentsOf: file, encoding: .utf8)
      // Extensions that conform to a protocol of an app have its names, in one form.
      for part in text.components(separatedBy: "\nextension \(type) {").dropFirst() {
        let body = part.components(separatedBy: "\n}\n")[0].components(separatedBy: "\n  public func ").dropFirst()
        verbs += body.map(Self.verb)
      }
    }
    guard !verbs.isEmpty else { throw StoreError(.misuse, "no public method stands in an extension of \(type)") }
  }

  /// What the verbs are called, live updates among them.
  package var names: Set<String> { Set(verbs.map(\.name)) }

  /// - Throws: `.verificationFailed` naming a verb that lacks a form, whose forms differ, or that stands in no file with a `LibraryVerb(name:`.
  func check(calledIn tests: URL) throws {
    // What works in a transaction that is open has one form.
    let forms = verbs.filter { verb in ![" in reader: Reader)", " in tx: Writer)"].contains(where: verb.text.contains) }
    let forTasks = Set(forms.map(\.text).filter { $0.contains(") async throws") }.map(Self.blocking))
    let others = Set(forms.map(\.text).filter { $0.contains(") throws") })
    if let lonely = others.symmetricDifference(forTasks).min() {
      throw StoreError(.verificationFailed, "a verb of \(type) does not do the same in both forms: \(lonely)")
    }
    let texts = try Self.files(tests).map { try String(contentsOf: $0, encoding: .utf8) }
    let cases = texts.filter { $0.contains(#/Verb(Case)?\(name:/#) }
    for verb in verbs {
      let isLive = verb.name.hasSuffix("Updates")
      guard !(isLive ? texts : cases).contains(where: { $0.contains(".\(verb.name)(") }) else { continue }
      throw StoreError(
        .verificationFailed, isLive ? "no test calls \(type).\(verb.name)" : "\(type).\(verb.name) is no verb of the conformance")
    }
  }

  private static func verb(_ text: String) -> (name: String, text: String) {
    // Up to the closing brace, or to the end of the line.
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
