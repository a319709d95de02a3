import Foundation
import Testing

/// The README and the tour show real output: their commands are run in the order in which they stand, and print what stands below them.
@Suite("The README's terminal")
struct ReadmeTests {
  @Test("what the documents show of the command line is what it prints", arguments: [("README.md", 2), ("Documentation/Tour.md", 15)])
  func terminal(_ name: String, _ atLeast: Int) throws {
    let bench = try Workbench()
    try prepare(bench)
    let page = try String(contentsOf: Workbench.tests.appendingPathComponent("../../\(name)"), encoding: .utf8)
    let shown = page.components(separatedBy: "\n```\n$ ").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
      .flatMap { $0.components(separatedBy: "\n\n$ ") }
    #expect(shown.count >= atLeast)
    for text in shown {
      let (command, expected) = (text.prefix { $0 != "\n" }, text.drop { $0 != "\n" }.dropFirst())
      let finished = try bench.shell("export TZ=UTC PATH=\"$(dirname \"$1\"):$PATH\"; \(command)")
      let printed = (finished.output + told(finished.errors)).replacingOccurrences(of: bench.folder.path, with: "/home/ada")
      #expect(printed.trimmingCharacters(in: .newlines) == expected, "\(command)")
    }
  }

  /// The examples, and what the documents say of files that are not as they should be.
  private func prepare(_ bench: borrowing Workbench) throws {
    for name in ["library.json", "Library.xml", "strong.csv", "runanywhere.db"] {
      try FileManager.default.copyItem(at: Workbench.example(name), to: bench.url(name))
    }
    let library = try Data(contentsOf: bench.url("library.json"))
    try library.prefix(9000).write(to: bench.url("half.json"))
    var tree = try #require(try JSONSerialization.jsonObject(with: library) as? [String: Any])
    var collections = try #require(tree["collections"] as? [[String: Any]])
    // Ids and states in turns, as the app writes them.
    var states = try #require(collections[2]["playbackStates"] as? [Any])
    var state = try #require(states[1] as? [String: Any])
    state["position"] = "5:12"
    states[1] = state
    collections[2]["playbackStates"] = states
    tree["collections"] = collections
    try JSONSerialization.data(withJSONObject: tree).write(to: bench.url("bad.json"))
    try bench.fixture("foreign.db", as: "other.sqlite")
    try library.write(to: bench.url("damaged.json"))
    try #require(bench.run("import", "damaged.json", "--into", "damaged.sqlite").status == 0)
    var pages = try Data(contentsOf: bench.url("damaged.sqlite"))
    pages.replaceSubrange(16 * 4096..<20 * 4096, with: Data(repeating: 0xA5, count: 4 * 4096))
    try pages.write(to: bench.url("damaged.sqlite"))
  }

  /// Without progress, which comes when a machine is slow.
  private func told(_ errors: String) -> String {
    errors.components(separatedBy: "\n").filter { !$0.contains(#/^ *\d+ % /#) }.joined(separator: "\n")
  }
}
