import Foundation
import HoldfastTesting
import Testing

/// Where a secret has left a trace. Nothing here is the library's own.
enum Traces {
  /// The files in a folder and below in which a text stands: as it is, in JSON, or in base64 from any of the three places where a piece of
  /// it can begin.
  static func files(of text: String, in folder: URL) throws -> [String] {
    let forms = Self.forms(of: text)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter { name in
      guard let content = try? Data(contentsOf: folder.appendingPathComponent(name)) else { return false }
      return forms.contains { content.range(of: $0) != nil }
    }
  }

  /// Whether a text stands in another, in any of these forms.
  static func stands(_ text: String, in other: String) -> Bool {
    let content = Data(other.utf8)
    return forms(of: text).contains { content.range(of: $0) != nil }
  }

  private static func forms(of text: String) -> [Data] {
    let inJSON = text.replacingOccurrences(of: "/", with: #"\/"#)
    return [text, inJSON].flatMap { form in
      let bytes = Data(form.utf8)
      let inBase64 = (0..<3).flatMap { start in
        let rest = bytes.dropFirst(start)
        let digits = Data(rest.prefix(rest.count / 3 * 3)).base64EncodedString()
        return [digits, digits.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")]
      }
      return [bytes] + inBase64.map { Data($0.utf8) }
    }
  }

  @Suite("Traces of a secret") struct TraceTests {
    @Test("one is found as it is, in JSON and in base64 at any place, and nothing else is", arguments: 0..<4)
    func found(offset: Int) throws {
      let folder = try TemporaryFolder()
      let secret = "sk-live/0123456789-abcdefghij"
      let before = String(repeating: "x", count: offset)
      try Data("a \(before)\(secret) b".utf8).write(to: folder.file("plain"))
      try Data(#"{"a":"sk-live\/0123456789-abcdefghij"}"#.utf8).write(to: folder.file("json"))
      try Data(Data("\(before)\(secret)\(before)".utf8).base64EncodedString().utf8).write(to: folder.file("base64"))
      try Data("sk-live/0123456789-abcdefghiJ".utf8).write(to: folder.file("other"))
      #expect(try Traces.files(of: secret, in: folder.url) == ["base64", "json", "plain"])
    }
  }
}
