import Foundation
import Testing

/// The repository as these tests read it: its own text, without a build.
enum House {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }

  /// The paths of the files under `folder` with this extension, sorted; hidden folders left out.
  static func files(in folder: String, extension wanted: String = "swift") throws -> [String] {
    let base = root.appendingPathComponent(folder)
    let found = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    let urls = try #require(found, "there is no folder \(folder)").compactMap { $0 as? URL }
    let prefix = root.standardizedFileURL.path + "/"
    return urls.filter { $0.pathExtension == wanted }.map { $0.standardizedFileURL.path.replacing(prefix, with: "") }.sorted()
  }

  static func sources(_ folder: String = "Sources") throws -> [SourceFile] {
    try files(in: folder).map { SourceFile(path: $0, text: try text($0)) }
  }
}

/// One Swift file, by lines.
struct SourceFile {
  let path: String
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.components(separatedBy: "\n")
  }

  /// `Sources/Holdfast/Store/Store.swift` belongs to `Holdfast`.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  /// The lines without comments and without what stands between quotation marks, so that words are found only in code.
  var code: [String] {
    var isInText = false
    return lines.map { line in
      let delimiters = line.components(separatedBy: "\"\"\"").count - 1
      defer { if delimiters % 2 == 1 { isInText.toggle() } }
      guard !isInText, delimiters == 0 else { return "" }
      let bare = line.replacing(#/"(\\.|[^"\\])*"/#, with: "\"\"")
      return bare.range(of: "//").map { String(bare[..<$0.lowerBound]) } ?? bare
    }
  }

  /// `path:` and the line, for each line of code that `pattern` finds something in.
  func places(of pattern: Regex<Substring>) -> [String] {
    zip(code, lines).filter { $0.0.contains(pattern) }.map { "\(path): \($0.1.trimmingCharacters(in: .whitespaces))" }
  }
}
