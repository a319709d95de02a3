import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

/// Every kind of input that goes wrong, and what the person gets.
@Suite("Inputs of import")
final class ImportInputTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test("a source that does not exist is 66, with the path and a way out")
  func missing() throws {
    let finished = try bench.run("import", bench.path("library.json"), "--into", bench.path("library.sqlite"), status: 66)
    #expect(finished.output.isEmpty)
    #expect(finished.errors == "Error: there is no file at \(bench.path("library.json"))\nTry: Check the path or the id.\n")
    #expect(try bench.names() == [])
  }

  @Test("a store may not have a name that the copy of its source could get, and may have any other")
  func namesOfCopies() throws {
    let source = try bench.fixture("library.json")
    for name in ["", "-2", "-17", "-wal", "-2-journal"] {
      #expect(try bench.run("import", source, "--into", source + ".backup" + name).status == 64, "\(name)")
    }
    #expect(try bench.names() == ["library.json"])
    for name in ["2.sqlite", "-2.sqlite", "s"] {
      #expect(try bench.run("import", source, "--into", source + ".backup" + name).status == 0, "\(name)")
    }
  }

  @Test("a source that is cut off leaves a store that was there as it was")
  func cutOffIntoStore() throws {
    let store = try bench.store()
    let whole = try String(contentsOf: bench.url("library.json"), encoding: .utf8)
    let source = try bench.write(String(whole.prefix(1200)), to: "cut.json")
    let before = try bench.run("list", store).output
    try bench.run("import", source, "--into", store, status: 65)
    #expect(try bench.run("list", store).output == before)
    #expect(try bench.names() == ["cut.json", "library.json", "library.json.backup", "library.sqlite"])
  }

  @Test("a newer schemaVersion is 65, and the person is told that it is newer and that nothing was changed", arguments: [4, 99])
  func newer(version: Int) throws {
    let source = try bench.write("{\"schemaVersion\": \(version), \"collections\": []}", to: "library.json")
    let refused = try bench.run("import", source, "--into", bench.path("library.sqlite"), status: 65, errors: "newer")
    #expect(refused.errors.contains("nothing was changed"), "\(refused.errors)")
    #expect(try bench.names() == ["library.json"])
  }

  @Test("one bad record among good ones is 2: the good ones are in, the bad one is quarantined with its path")
  func oneBadRecord() throws {
    let source = try bench.fixture("one-bad-record.json")
    try bench.run("import", source, "--into", bench.path("library.sqlite"), status: 2, output: "quarantined $.collections[0].tracks[1]")
    let tracks = try #require(try bench.run("show", bench.path("library.sqlite"), "三体", "--json").document["collection"] as? [String: Any])
    #expect((tracks["tracks"] as? [Any])?.count == 1)
  }

  @Test(
    "a store that is another program's database or no database is 65, and not a byte of it changes",
    arguments: [
      "foreign.sqlite", "text.sqlite", "folder",
    ])
  func foreign(name: String) throws {
    let source = try bench.fixture("library.json")
    try bench.write(String(repeating: "not a database, and longer than a header. ", count: 5), to: "text.sqlite")
    try FileManager.default.createDirectory(at: bench.url("folder"), withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: Workbench.tests.appendingPathComponent("Fixtures/foreign.db"), to: bench.url("foreign.sqlite"))
    let before = try bench.content()
    for arguments in [["import", source, "--into", bench.path(name)], ["info", bench.path(name)], ["check", bench.path(name)]] {
      try bench.run(arguments, status: 65, errors: "Try: ")
    }
    #expect(try bench.content() == before)
  }

  @Test("a store that another process holds locked is 75 after the time-out, and reading goes on meanwhile")
  func locked() throws {
    let store = try bench.store()
    let source = try bench.fixture("one-bad-record.json")
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    try library.store.write { tx in
      try tx.execute("UPDATE collections SET title = title")
      try bench.run("import", source, "--into", store, "--timeout", "0.1", status: 75, errors: "Try: ")
      #expect(try bench.run("list", store, "--timeout", "0.1").status == 0)
      #expect(try bench.run("check", store, "--timeout", "0.1").status == 75)
    }
    try library.store.close()
    #expect(try bench.names() == ["library.json", "library.json.backup", "library.sqlite", "one-bad-record.json"])
    #expect(try bench.run("import", source, "--into", store).status == 2)
  }

  @Test("importing the same source again changes nothing")
  func again() throws {
    let store = try bench.store()
    let before = try bench.run("show", store, GoldenTests.collection, "--json").output
    let finished = try bench.run("import", bench.path("library.json"), "--into", store, "--json", status: 0)
    let counts = try #require(finished.document["counts"] as? [String: [String: Int]])
    #expect(counts["tracks"] == ["source": 3, "imported": 0, "merged": 0, "skipped": 3, "quarantined": 0])
    #expect(try bench.run("show", store, GoldenTests.collection, "--json").output == before)
  }
}
