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
    let start = root.standardizedFileURL.path.count + 1
    return urls.filter { $0.pathExtension == wanted }.map { String($0.standardizedFileURL.path.dropFirst(start)) }.sorted()
  }

  /// The names of the folders in `folder`, hidden ones left out.
  static func folders(in folder: String) throws -> [String] {
    let urls = try FileManager.default.contentsOfDirectory(
      at: root.appendingPathComponent(folder), includingPropertiesForKeys: [.isDirectoryKey], options: [.skipsHiddenFiles])
    return try urls.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }.map(\.lastPathComponent).sorted()
  }

  /// The texts of every package of the repository, and the programs of CI.
  static func texts() throws -> [String] {
    // `make run` makes the folder `run`.
    let top = try folders(in: "").filter { $0 != "run" }
    let kinds = ["swift", "md", "c", "h", "json", "py"]
    return try top.flatMap { folder in try kinds.flatMap { try files(in: folder, extension: $0) } } + files(in: ".ci", extension: "")
      + ["README.md", "CHANGELOG.md", "Makefile", "Package.swift"]
  }

  /// Whether the word is in the text: a comparison of bytes, because most words are in few files.
  static func has(_ word: String, in text: String) -> Bool { strstr(text, word) != nil }

  /// The files that hold code with one of these words, and no comment that begins with the reason and a colon; or the comment alone.
  ///
  /// - Parameter allowed: a line that needs no reason.
  static func unexplained(_ reason: String, _ words: [String], in files: [SourceFile], besides allowed: String? = nil) -> [String] {
    let remark = "// \(reason): "
    return files.filter { file in
      let says = has(remark, in: file.text) && file.lines.contains { $0.drop { $0 == " " }.hasPrefix(remark) }
      let words = words.filter { has($0, in: file.text) }
      let isGuarded = !words.isEmpty && file.code.contains { line in line != allowed && words.contains { line.contains($0) } }
      return isGuarded != says
    }.map(\.path)
  }

  private static let read = Result { try files(in: "Sources").map { SourceFile(path: $0, text: try text($0)) } }

  /// Everything under `Sources`.
  static func sources() throws -> [SourceFile] { try read.get() }
}

/// One Swift file, by lines.
struct SourceFile: Sendable {
  let path: String
  let text: String
  let lines: [String]
  /// The lines without comments and without what stands between quotation marks, so that words are found only in code.
  let code: [String]

  init(path: String, text: String) {
    (self.path, self.text) = (path, text)
    lines = text.components(separatedBy: "\n")
    var isInText = false
    code = lines.map { line in
      let delimiters = House.has("\"\"\"", in: line) ? line.components(separatedBy: "\"\"\"").count - 1 : 0
      defer { if delimiters % 2 == 1 { isInText.toggle() } }
      return isInText || delimiters > 0 ? "" : Self.code(of: line)
    }
  }

  /// `Sources/Holdfast/Store/Store.swift` belongs to `Holdfast`.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  /// `path:` and the line, for each line of code with one of these in it.
  func places(of words: String...) -> [String] {
    let words = words.filter { House.has($0, in: text) }
    return words.isEmpty ? [] : places { line in words.contains { line.contains($0) } }
  }

  func places(where isWanted: (String) -> Bool) -> [String] {
    zip(code, lines).filter { isWanted($0.0) }.map { "\(path): \($0.1.trimmingCharacters(in: .whitespaces))" }
  }

  private static func code(of line: String) -> String {
    guard House.has("\"", in: line) || House.has("//", in: line) else { return line }
    var out: [UInt8] = []
    var isQuoted = false
    var last: UInt8 = 0
    for byte in line.utf8 {
      if byte == UInt8(ascii: "\""), last != UInt8(ascii: "\\") {
        isQuoted.toggle()
        out.append(byte)
      } else if !isQuoted {
        out.append(byte)
        if byte == UInt8(ascii: "/"), last == byte { return String(decoding: out.dropLast(2), as: UTF8.self) }
      }
      // Two backslashes are one that escapes nothing.
      last = last == UInt8(ascii: "\\") && byte == last ? 0 : byte
    }
    return String(decoding: out, as: UTF8.self)
  }
}
