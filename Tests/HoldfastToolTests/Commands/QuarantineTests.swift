import Foundation
import Testing

@Suite("quarantine")
final class QuarantineTests {
  let bench: Workbench
  let store: String
  let source: String

  /// A store of a source with one bad record.
  init() throws {
    bench = try Workbench()
    source = bench.path("one-bad-record.json")
    store = try bench.put(QuarantineTests.made.get(), "library.sqlite")
  }

  private static let made: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    let imported = try bench.run("import", bench.fixture("one-bad-record.json"), "--into", bench.path("library.sqlite"))
    try #require(imported.status == 2, "\(imported.errors)")
    return try bench.prepared()
  }

  private func records() throws -> [[String: Any]] {
    try #require(try bench.run("quarantine", store, "--json").document["records"] as? [[String: Any]])
  }

  @Test("what an import could not bring in is listed with the reason, mentioned by info and check, and shown with its bytes")
  func listed() throws {
    try bench.run("quarantine", store, status: 0, output: "$.collections[0].tracks[1]")
    #expect(try bench.run("info", store).output.contains("holdfast quarantine"))
    #expect(try bench.run("check", store).errors.contains("holdfast quarantine"))
    let record = try #require(try records().first)
    let number = try #require(record["id"] as? Int)
    let shown = try #require(try bench.run("quarantine", store, "show", "\(number)", "--json").document["record"] as? [String: Any])
    #expect((shown["original"] as? String)?.utf8.count == record["bytes"] as? Int)
    // The lines of the source.
    let told = try bench.run("quarantine", store, "show", "\(number)").output
    #expect(told.hasSuffix("\n\n\(shown["original"] as? String ?? "")\n") && told.contains(",\n"), "\(told)")
    #expect(!told.contains("\u{FFFD}"))
    #expect(try bench.run("quarantine", store, "show", "99").status == 66)
    try bench.run("quarantine", store, "--import", "zz", status: 66, errors: "has no record of an import whose id begins with zz")
    #expect(try bench.run("quarantine", store, "--kind", "collections").errors == "Nothing is in the quarantine.\n")
  }

  @Test("show has two spaces for each tab of a record; its document has the tab")
  func tabs() throws {
    let text = try String(contentsOfFile: source, encoding: .utf8).replacingOccurrences(of: "  ", with: "\t")
    #expect(try bench.run("import", bench.write(text, to: "tabs.json"), "--into", "tabs.sqlite").status == 2)
    let record = try bench.run("quarantine", "tabs.sqlite", "show", "1", "--json").document["record"] as? [String: Any]
    let original = try #require(record?["original"] as? String)
    let shown = try bench.run("quarantine", "tabs.sqlite", "show", "1").output
    #expect(original.contains("\t") && shown.hasSuffix("\n\n\(original.replacingOccurrences(of: "\t", with: "  "))\n"), "\(shown)")
  }

  @Test("a record that has the program's own marks for colours is shown without a colour; its document has the marks")
  func marks() throws {
    let text = try String(contentsOfFile: source, encoding: .utf8).replacingOccurrences(of: "\"two\"", with: "\"\u{10FFF2}two\"")
    #expect(try bench.run("import", bench.write(text, to: "marks.json"), "--into", "marks.sqlite").status == 2)
    let record = try bench.run("quarantine", "marks.sqlite", "show", "1", "--json").document["record"] as? [String: Any]
    #expect((record?["original"] as? String)?.contains("\u{10FFF2}two") == true)
    #expect(try bench.run("quarantine", "marks.sqlite", "show", "1").output.contains("\u{FFFD}two"))
  }

  @Test("retry says what is still refused with 2; with a repaired source the record comes in and leaves the quarantine")
  func retried() throws {
    #expect(try bench.run("quarantine", store, "retry").status == 2)
    #expect(try records().count == 1)
    let text = try String(contentsOfFile: source, encoding: .utf8)
    let repaired = try bench.write(text.replacingOccurrences(of: "\"two\"", with: "2"), to: "repaired.json")
    let finished = try bench.run("quarantine", store, "retry", "--from", repaired, "--json", status: 0)
    #expect(finished.document["released"] as? Int == 1)
    #expect(try records().isEmpty)
    let nothing = try bench.run("quarantine", store, "retry")
    #expect(nothing.status == 0 && nothing.errors == "The quarantine has no record to import again.\n", "\(nothing.errors)")
  }

  @Test("list, show and export name standard input as the source of records that came from it")
  func namedStandardInput() throws {
    _ = try bench.shell("\"$1\" import - --into piped.sqlite < one-bad-record.json")
    for action in [["list", "--json"], ["show", "1", "--json"], ["show", "1"], ["export", "--to", "-"]] {
      let printed = try bench.run(["quarantine", "piped.sqlite"] + action).output
      #expect(printed.contains("standard input") && !printed.contains("standard-input"), "\(printed)")
    }
  }

  @Test("retry after an import from standard input asks for the source, and does not name the temporary file")
  func retriedFromStandardInput() throws {
    let imported = try bench.shell("\"$1\" import - --into piped.sqlite < one-bad-record.json")
    #expect(imported.status == 2, "\(imported.errors)")
    let refused = try bench.run("quarantine", "piped.sqlite", "retry")
    #expect(refused.status == 66 && refused.errors.hasPrefix("Error: the source of the import came from standard input"))
    #expect(refused.errors.contains("Try: --from FILE") && !refused.errors.contains("holdfast-"), "\(refused.errors)")
    #expect(try bench.run("quarantine", "piped.sqlite", "retry", "--from", source).status == 2)
  }

  @Test("export writes a line for each record; discard removes them after --yes, and not before")
  func exportedAndDiscarded() throws {
    #expect(try bench.run("quarantine", store, "export", "--to", bench.path("out.jsonl")).status == 0)
    #expect(try String(contentsOf: bench.url("out.jsonl"), encoding: .utf8).split(separator: "\n").count == 1)
    #expect(try bench.run("quarantine", store, "discard", "--all").status == 64)
    #expect(try records().count == 1)
    #expect(try bench.run("quarantine", store, "discard", "--all", "--yes").output == "1 record discarded\n")
    #expect(try records().isEmpty)
    let again = try bench.run("quarantine", store, "discard", "--all")
    #expect(again.status == 0 && again.errors == "The quarantine has no record to discard.\n", "\(again.errors)")
  }

  @Test("export replaces an existing file only with --yes, and never the store")
  func exportedOver() throws {
    let file = try bench.write("mine", to: "out.jsonl")
    try bench.run("quarantine", store, "export", "--to", file, status: 64, errors: "This replaces \(file) with records")
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    #expect(try bench.run("quarantine", store, "export", "--to", file, "--yes").output == "1 record in \(file)\n")
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{"))
    #expect(try bench.run("quarantine", store, "export", "--to", store, "--yes").status == 64)
  }

  @Test("export to - writes the records to standard output, and makes no file")
  func exportedToStandardOutput() throws {
    let names = try bench.names()
    let exported = try bench.run("quarantine", store, "export", "--to", "-")
    #expect(exported.status == 0 && exported.errors == "1 record in standard output\n", "\(exported.errors)")
    #expect(exported.document["path"] as? String == "$.collections[0].tracks[1]", "\(exported.output)")
    #expect(try bench.run("quarantine", store, "export", "--to", "-", "--json").status == 64)
    #expect(try bench.names() == names)
  }

  @Test("discard counts a record once, and discards nothing if the quarantine lacks one of the numbers")
  func discardedByNumber() throws {
    let number = try #require(try records().first?["id"] as? Int)
    try bench.run("quarantine", store, "discard", "\(number)", "99", "--yes", status: 66, errors: "has no number 99\n")
    #expect(try records().count == 1)
    let discarded = try bench.run("quarantine", store, "discard", "\(number)", "\(number)", "--yes")
    #expect(discarded.errors.hasPrefix("This removes 1 record of "), "\(discarded.errors)")
    #expect(discarded.output == "1 record discarded\n")
    #expect(try records().isEmpty)
  }

  @Test(
    "an option that the action does not use is 64, with its name",
    arguments: [
      ["list", "--unit", "kg"], ["list", "--yes"], ["show", "1", "--import", "a"], ["show", "1", "--kind", "tracks"],
      ["retry", "--kind", "tracks"], ["export", "--to", "-", "--limit", "1"], ["discard", "1", "--import", "a"],
    ])
  func useless(arguments: [String]) throws {
    let refused = try bench.run(["quarantine", store] + arguments)
    let option = arguments.last { $0.hasPrefix("--") } ?? ""
    #expect(refused.status == 64 && refused.errors.contains(option), "\(refused.errors)")
  }

  @Test(
    "what is asked wrongly is 64",
    arguments: [["show"], ["export"], ["discard"], ["discard", "1", "--all"], ["retry", "1"], ["--limit", "0"], ["remove"]])
  func wrong(arguments: [String]) throws {
    #expect(try bench.run(["quarantine", store] + arguments).status == 64)
  }
}
