import Foundation
import Testing

/// The commands of one test and the members of the documents that they printed, as a picture: a command, and the outline below it.
struct Documents {
  private var picture = ""

  /// Runs a command with `--json`, and checks that CommandLine.md names every member of its document.
  ///
  /// - Parameters:
  ///   - status: what it exits with.
  ///   - golden: the file in `Golden/` that has the document word for word; none: only its members are compared.
  mutating func run(
    _ bench: borrowing Workbench, _ arguments: String..., status: Int32 = 0, golden: String? = nil, environment: [String: String] = [:],
    naming names: [String: String] = [:]
  ) throws {
    // On a slow machine an import takes long enough to report its progress.
    let quiet = arguments.first == "import" ? ["--progress", "none"] : []
    let finished = try bench.run(arguments + quiet + ["--json"], environment)
    let command = arguments.map { names[$0] ?? $0 }.joined(separator: " ")
    #expect(finished.status == status, "\(command): \(finished.output)\(finished.errors)")
    // Told with `--yes`: what is removed or put back.
    #expect(finished.errors.isEmpty || arguments.contains("--yes"), "\(command): \(finished.errors)")
    let outline = MemberOutline(finished.document)
    let undocumented = outline.names.filter { !DocumentationTests.page.contains("`\($0)`") }
    #expect(undocumented == [], "\(command)")
    picture += "\(command)\n  \(outline.text)\n"
    if let golden { try Self.compare(Self.normalised(finished.output, bench.folder), "\(golden).json") }
  }

  /// Compares all commands and members with the file in `Golden/` of this name.
  consuming func compare(with file: String) throws { try Self.compare(picture, file) }

  static let folder = Workbench.tests.appendingPathComponent("Golden")

  private static func compare(_ found: String, _ name: String) throws {
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["HOLDFAST_WRITE_GOLDEN"] != nil { try Data(found.utf8).write(to: file) }
    let golden = try String(contentsOf: file, encoding: .utf8)
    #expect(found == golden, "\(name)")
  }

  /// What differs from run to run, and only that: the folder; the id of the snapshot that a restore makes, which is its time; when a
  /// server took or refused something; the free space of the disk; the sizes of tables, which depend on SQLite's version;
  /// sizes and checksums of files that hold the time of the import.
  private static func normalised(_ text: String, _ folder: URL) -> String {
    var text = text.replacingOccurrences(of: folder.path, with: "/folder")
    for (pattern, replacement) in [
      (#""kept_snapshot": "\d{8}T\d{6}Z-\d+""#, #""kept_snapshot": "20251105T114123Z-1""#),
      (#"--snapshot \d{8}T\d{6}Z-\d+"#, "--snapshot 20251105T114123Z-1"),
      (#""(bytes|log_bytes|pages|free_pages|(file|free|disk_free|rewind_needs)_bytes)": \d+"#, #""$1": 0"#),
      (#""objects": \[[^\]]*\]"#, #""objects": []"#),
      (#""sha256": "[0-9a-f]{64}""#, #""sha256": "0""#),
      (#""(last_acknowledged|noticed_at|tried_at)": "[0-9TZ:.-]+""#, #""$1": "2025-11-05T11:41:23.000Z""#),
    ] {
      guard let expression = try? NSRegularExpression(pattern: pattern) else { continue }
      text = expression.stringByReplacingMatches(in: text, range: NSRange(text.startIndex..., in: text), withTemplate: replacement)
    }
    return text
  }
}

/// The names of a document's members, sorted as documents have them: `ok tracks{id title}`.
///
/// The objects of a list are one shape. `?` stands behind a member that some of them lack, `-` behind one that is `null` in all of them.
struct MemberOutline {
  let text: String
  var names: Set<Substring> { Set(text.split { " {}?-".contains($0) }) }

  init(_ document: [String: Any]) { text = Self.members([document]) }

  /// Members whose own members are not ours to name: tables, reasons, and what a source or a model said.
  private static let open: Set = [
    "rows", "skipped", "notes", "schemas", "payload", "metadata", "capabilities", "requirements", "context", "request", "response", "value",
    "values",
  ]

  private static func members(_ objects: [[String: Any]]) -> String {
    var values: [String: [Any]] = [:]
    for (name, value) in objects.joined() { values[name, default: []].append(value) }
    return values.sorted { $0.key < $1.key }.map { name, values in
      let inner = open.contains(name) ? "" : members(values.flatMap(Self.objects(in:)))
      let isNull = values.allSatisfy { $0 is NSNull }
      return name + (values.count < objects.count ? "?" : "") + (isNull ? "-" : "") + (inner.isEmpty ? "" : "{\(inner)}")
    }.joined(separator: " ")
  }

  private static func objects(in value: Any) -> [[String: Any]] {
    if let object = value as? [String: Any] { return [object] }
    return (value as? [Any] ?? []).flatMap(objects(in:))
  }
}
