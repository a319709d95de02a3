import Foundation
import HoldfastTesting
import Testing

/// Linux lets a name be any bytes; in text those that are not UTF-8 all look like U+FFFD.
@Suite("Names that are not UTF-8", .enabled(if: TemporaryFolder.takesAnyName, "the file system takes no such names")) struct NameTests {
  /// Runs `script` in bash, where `$odd` is such a name, and takes everything of that name away again.
  private static func run(_ script: String, _ bench: borrowing Workbench) throws -> Finished {
    try bench.shell("odd=$'caf\\xe9'\n\(script)\nstatus=$?; cd \"$2\"; rm -rf \"$odd\"*; exit $status")
  }

  @Test(
    "an argument of such bytes is wrong usage, and what looks like it in text is not taken for it",
    arguments: [
      "import \"$odd\" --into new.sqlite", "import library.json --into \"$odd\"", "list \"$odd\"", "export \"$odd\" --to out.json",
      "import \"$odd\" --into new.sqlite --json",
    ])
  func argument(arguments: String) throws {
    let bench = try Workbench()
    let store = try bench.store()
    // Each could be taken for the one that is meant.
    try FileManager.default.copyItem(
      atPath: arguments.hasPrefix("import") ? bench.path("library.json") : store, toPath: bench.path("caf\u{FFFD}"))
    let before = try bench.content()
    let finished = try Self.run("cp library.json \"$odd\"; \"$1\" \(arguments)", bench)
    #expect(finished.status == 64)
    let text = arguments.hasSuffix("--json") ? finished.document["error"] as? String : finished.errors
    #expect(text?.contains("the argument caf\u{FFFD} is not UTF-8") == true, "\(finished.output)\(finished.errors)")
    #expect(try bench.content() == before)
  }

  @Test(
    "a path that goes up from a folder behind a link to such a name is wrong usage, and told why",
    arguments: ["import link/../library.json --into new.sqlite", "import library.json --into link/../new.sqlite", "list link/../x --json"])
  func behindLink(arguments: String) throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    let finished = try Self.run(
      "mkdir -p \"$odd/inner\"; cp library.json \"$odd\"; ln -s \"$odd/inner\" link; \"$1\" \(arguments); code=$?; rm link; (exit $code)",
      bench)
    #expect(finished.status == 64)
    let text = arguments.hasSuffix("--json") ? finished.document["error"] as? String : finished.errors
    #expect(
      text?.contains("leads to a folder whose name is not UTF-8") == true && text?.contains("link/../") == true,
      "\(finished.output)\(finished.errors)")
    #expect(try bench.names() == ["library.json"])
  }

  @Test("in a folder of such a name every command is wrong usage")
  func currentFolder() throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    let finished = try Self.run(
      "mkdir \"$odd\"; cp library.json \"$odd\"; cd \"$odd\"; \"$1\" import library.json --into new.sqlite", bench)
    #expect(finished.status == 64 && finished.errors.contains("the current folder \(bench.folder.path)/caf\u{FFFD} is not UTF-8"))
    #expect(try bench.names() == ["library.json"])
  }

  @Test("such names beside a source and a store do no harm")
  func beside() throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    let finished = try Self.run(
      """
      mkdir "$odd"; cp library.json "$odd.json"; set -e
      "$1" import library.json --into library.sqlite
      "$1" import library.json --into library.sqlite
      "$1" list library.sqlite
      "$1" restore library.sqlite
      "$1" export library.sqlite --to out.json
      """, bench)
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(try bench.names() == ["library.json", "library.json.backup", "library.sqlite", "out.json"])
  }
}
