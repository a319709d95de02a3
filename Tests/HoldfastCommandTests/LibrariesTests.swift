import AudiobookLibrary
import Foundation
import Holdfast
import Testing

@testable import HoldfastCommand

/// Which library a store or a source is for, and what a person is told when that cannot be known.
@Suite("Libraries")
struct LibrariesTests {
  @Test("a store of a library that this program does not know is 65, and says what it holds")
  func unknownKind() throws {
    let bench = try Workbench()
    let store = try Store.open(
      at: bench.url("later.sqlite"), schemas: [Schema("later", migrations: [Migration("later/001", sql: "CREATE TABLE x (y)")])])
    try store.close()
    for command in [["list"], ["info"], ["check"], ["stats"], ["resume"], ["export", "--to", "x.json"], ["import", "--into"]] {
      let arguments =
        command.first == "import"
        ? ["import", try bench.write("{}", to: "library.json")] + ["--into", bench.path("later.sqlite")]
        : [command[0], bench.path("later.sqlite")] + command.dropFirst()
      let finished = try Running(Workbench.binary, arguments, in: bench.folder).finish()
      #expect(finished.status == 65, "\(arguments)")
      #expect(
        finished.errors.hasPrefix("Error: \(bench.path("later.sqlite")) holds later, which this program does not know\nTry: "),
        "\(finished.errors)")
    }
  }

  @Test("a store of another schema beside the library is a store of the library")
  func guest() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    _ = try library.store.write { try $0.execute("INSERT INTO holdfast_schemas (name, version) VALUES ('later', 1)") }
    try library.store.close()
    let before = try bench.content()
    #expect(try bench.run("list", store).status == 0)
    #expect(try bench.run("info", store, "--json").document["schemas"] as? [String: Int] == ["audiobooks": 1, "later": 1])
    #expect(try bench.run("show", store, "三体", "--library", "audiobooks").status == 0)
    #expect(try bench.content() == before)
  }

  @Test("a library that does not exist is wrong usage, and names those that do")
  func noSuchLibrary() throws {
    let bench = try Workbench()
    let finished = try bench.run("list", bench.path("x.sqlite"), "--library", "films")
    #expect(finished.status == 64)
    #expect(finished.errors.contains("'films' is not a library: choose one of audiobooks"))
  }

  @Test(
    "the beginning of a source is enough to see the members of its object",
    arguments: [
      ("", []), ("[1]", []), ("#EXTM3U\n", []), ("{\"a\"", []), ("{\"a\":", []), ("{\"a\":1", ["a"]),
      ("{\"a\":1,\"b\":[{\"c\":2,\"d\":\"", ["a", "b c d"]),
      ("{\"a\":{\"b\":1,\"c\":2},\"d\":[],\"e\":[[]]}", ["a b c", "d", "e"]), ("\u{FEFF}{\"a\":[1,{\"b\":2}]} x", ["a"]),
    ])
  func members(text: String, members: [String]) throws {
    let bench = try Workbench()
    let look = try SourceLook(URL(fileURLWithPath: bench.write(text, to: "source")))
    #expect(look.members.map { ([$0.key] + $0.keys.sorted()).joined(separator: " ") } == members)
    #expect(look.isEmpty == text.isEmpty)
    #expect(look.tables == nil && look.exportedSchemas == nil)
  }
}
