import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTransfer
import Testing

@testable import HoldfastTool

/// Which library a store or a source is for, and what a person is told when that cannot be known.
@Suite("Libraries")
final class LibrariesTests {
  let bench: Workbench

  init() throws {
    knowFourLibraries()
    bench = try Workbench()
  }

  @Test("what only its own program can do with a store is 65, and says what it holds")
  func unknownKind() throws {
    let store = try bench.stranger("later", "CREATE TABLE x (y)")
    let source = try bench.write("{}", to: "library.json")
    for arguments in [["search", store, "x"], ["migrate", store], ["import", source, "--into", store]] {
      let refused = try bench.run(arguments, status: 65)
      #expect(refused.errors.hasPrefix("Error: \(store) holds later, which this program does not know\nTry: "), "\(refused.errors)")
    }
  }

  @Test("somebody else's store is told, checked, listed as plain tables, exported, copied and restored")
  func somebodyElses() throws {
    let sql = "CREATE TABLE x (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, size INTEGER, data BLOB) STRICT"
    let schema = StoreSchema("later", migrations: [Migration("later/001", sql: sql)])
    let store = bench.path("later.sqlite")
    let open = try Store.open(at: bench.url("later.sqlite"), schemas: [schema])
    try open.write { tx in
      _ = try tx.execute("INSERT INTO x (id, size, data) VALUES ('a', 1, x'00'), ('b', 22, NULL)")
    }
    try open.close()
    #expect(try bench.run("info", store, "--json").document["version"] as? String == "unknown")
    #expect(try bench.run("check", store).status == 0)
    #expect(try bench.run("list", store).output == "ID  SIZE  DATA\na      1  1 bytes\nb     22\n")
    #expect(try bench.run("list", store, "x", "--where", "size=22", "--json").document["total"] as? Int == 1)
    let exported = try bench.run("export", store, "--to", bench.path("out.json"), "--json")
    #expect(exported.document["counts"] as? [String: Int] == ["x": 2], "\(exported.output)\(exported.errors)")
    let id = try bench.snapshot(store)
    let again = try Store.open(at: bench.url("later.sqlite"), schemas: [schema])
    _ = try again.write { try $0.execute("DELETE FROM x") }
    try again.close()
    #expect(try bench.run("restore", store, "--snapshot", id, "--yes").status == 0)
    #expect(try bench.run("list", store, "--json").document["total"] as? Int == 2)
  }

  @Test("of somebody else's table only the lines that are shown are read, in the order in which they are stored")
  func plainPages() throws {
    let store = try bench.stranger(
      "later",
      """
      CREATE TABLE x (size INTEGER, name TEXT);
      CREATE TABLE y (name TEXT PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO x VALUES (3, 'c'), (2, CAST(x'FF' AS TEXT)), (1, 'a');
      INSERT INTO y VALUES ('b'), ('a');
      """)
    func names(_ table: String, _ arguments: String...) throws -> [String] {
      let finished = try bench.run(["list", store, table, "--json"] + arguments)
      return (finished.document[table] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
    }
    #expect(try names("x", "--limit", "1") == ["c"] && names("x", "--offset", "2") == ["a"])
    #expect(try bench.run("list", store, "x").status != 0, "its second row is no text")
    #expect(try names("y") == ["a", "b"] && names("y", "--where", "name=b") == ["b"])
  }

  @Test("an empty store has no numbers, no charts and no lists, and says so")
  func empty() throws {
    for library in Libraries.all {
      try Store.open(at: bench.url(library.name), schemas: library.schemas).close()
      for list in library.lists { #expect(try bench.run("list", library.name, list.name).errors == "No \(list.name).\n") }
      #expect(try bench.run("search", library.name, "x").errors == "Nothing was found.\n")
    }
    try bench.run("stats", "workouts", status: 0, output: "workouts        0\n")
    try bench.run("stats", "inference", status: 0, output: "generations  0\n")
    #expect(try bench.run("stats", "inference", "--json").document["p50_latency_ms"] is NSNull)
    try bench.run("info", "inference", output: "consent         denied\n")
  }

  @Test("a library is a line in the list: what it says of itself is all that commands need")
  func fifth() throws {
    var library = LibraryDescription(StoreSchema("films", migrations: [Migration("films/001", sql: "CREATE TABLE films (title TEXT)")]))
    library.lists = [
      ListDescription("films", "by title", [ShownField<String>("title", "TITLE") { .text($0) }]) { reader in
        try reader.values("SELECT title FROM films ORDER BY title") { row in try row.text() }
      }
    ]
    let store = try Store.inMemory(schemas: library.schemas)
    _ = try store.write { try $0.execute("INSERT INTO films VALUES ('M'), ('Alien')") }
    let lines = try store.read { try library.lists[0].lines(limit: 1, offset: 1, in: $0) }
    #expect(Rendering([lines.table], width: nil, Console().chartStyle).text == "TITLE\nM\n" && lines.total == 2)
  }

  @Test("a store of another schema beside the library is a store of the library")
  func guest() throws {
    let store = try bench.store()
    try bench.change(store, "INSERT INTO holdfast_schemas (name, version) VALUES ('later', 1)")
    let before = try bench.content()
    #expect(try bench.run("list", store).status == 0)
    #expect(try bench.run("info", store, "--json").document["schemas"] as? [String: Int] == ["audiobooks": 2, "later": 1])
    #expect(try bench.run("show", store, "三体", "--library", "audiobooks").status == 0)
    #expect(try bench.content() == before)
  }

  @Test("a library that does not exist is wrong usage, and names those that do")
  func noSuchLibrary() throws {
    let finished = try bench.run("list", bench.path("x.sqlite"), "--library", "films", status: 64)
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
    let look = try SourceLook(URL(fileURLWithPath: bench.write(text, to: "source")))
    #expect(look.members.map { ([$0.key] + $0.keys.sorted()).joined(separator: " ") } == members)
    #expect(look.isEmpty == text.isEmpty)
    #expect(look.tables == nil && look.exportedSchemas == nil)
  }

  @Test(
    "the content of a source says which library it is for",
    arguments: [
      (#"{"schemaVersion":3,"collections":[]}"#, "audiobooks"), (#"{"tracks":[],"collections":[]}"#, "music"),
      (#"{"collections":[{"trackIDs":[],"name":"x","id":"#, "music"), (#"{"collections":[{"coverAsset":{}"#, "audiobooks"),
      (#"{"collections":[],"version":1,"tracks":[{"#, "music"), ("#EXTM3U\n/Music/a.mp3\n", "music"), ("\u{FEFF}#EXTM3U", "music"),
      ("<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"x\"><plist version=\"1.0\">", "music"),
      ("<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">", "music"), ("<html>", ""), ("{\"a\":1}", ""), ("nothing", ""),
      (#"{"exported_at":"x","holdfast_export":1,"schemas":{"music":1},"tables":[]}"#, "music"),
      (#"{"holdfast_export":1,"schemas":{"audiobooks":1}"#, "audiobooks"), (#"{"holdfast_export":1,"schemas":{"later":1}}"#, ""),
      (#"{"collections":[]}"#, "audiobooks? music?"), (#"{"id":"x","start_timestamp":"x","exercises":[]"#, "workouts"),
      (#"[{"id":"x","startTimestamp":1,"exercises":[{"#, "workouts"), (#"{"title":"Legs","exercises":[]}"#, "workouts"),
      (#"{"title":"Legs"}"#, ""), ("[]", ""), (#"{"holdfast_export":1,"schemas":{"workouts":1}}"#, "workouts"),
      ("Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps\n", "workouts"), ("Date,Exercise,Weight\n", "workouts?"),
      ("GGUF\u{3}\u{0}\u{0}\u{0}", "inference"), (#"{"architectures":["LlamaForCausalLM"],"model_type":"llama"}"#, "inference"),
      (#"{"holdfast_export":1,"schemas":{"inference":1}}"#, "inference"),
      ("\u{FEFF}Date;Workout Name;Exercise Name;Set Order;Weight;Weight Unit;Reps\r\n", "workouts"),
    ])
  func likeness(text: String, libraries: String) throws {
    let look = try SourceLook(URL(fileURLWithPath: bench.write(text, to: "source")))
    let found = try Libraries.all.compactMap { library in try library.likeness(of: look).map { library.name + ($0 == .certain ? "" : "?") }
    }
    #expect(found.joined(separator: " ") == libraries)
  }

  @Test("a source that may be for either library is wrong usage that says what to add, and that settles it")
  func ambiguous() throws {
    let source = try bench.write(#"{"collections":[]}"#, to: "library.json")
    let finished = try bench.run("import", source, "--into", bench.path("new.sqlite"), status: 64)
    #expect(
      finished.errors == """
        Error: \(source) may be for audiobooks or for music
        Try: --library audiobooks, or --library music; or --format, see holdfast formats

        """)
    #expect(try bench.names() == ["library.json"])
    #expect(try bench.run("import", source, "--into", bench.path("book.sqlite"), "--format", "library-json").status == 0)
    #expect(try bench.run("info", bench.path("book.sqlite"), "--json").document["schemas"] as? [String: Int] == ["audiobooks": 2])
    #expect(try bench.run("import", source, "--into", bench.path("book2.sqlite"), "--library", "audiobooks").status == 0)
    // A store that is there settles it, too.
    #expect(try bench.run("import", source, "--into", bench.path("book.sqlite")).status == 0)
  }

  @Test(
    "a source of no known kind, cut off or empty is 65, says what it is, where it is damaged and what was expected; nothing is written",
    arguments: [
      (#"{"a":1,"b":[]}"#, "at byte 0, expected one of the formats that can be read, found a JSON object with the members a, b\n", 0),
      ("<html>", "at byte 0, expected one of the formats that can be read\n", 0), ("this is not JSON", "at byte 0, expected one of the", 0),
      ("", "expected a library at byte 0", 0), (#"{"a":1"#, "at byte 6 ($): expected", 6), ("[1,2", "at byte 4 ($): expected", 4),
      (#"{"schemaVersion": 3"#, "at byte 19 ($): expected", 19),
      (#"{"schemaVersion": 3, "collections": [{"id""#, "at byte 42 ($.collections[0]): expected", 42), ("{\u{0}\"\u{0}", "UTF-16", 0),
    ])
  func unknownSource(text: String, words: String, offset: Int) throws {
    let source = try bench.write(text, to: "source")
    let finished = try bench.run("import", source, "--into", bench.path("new.sqlite"), status: 65)
    #expect(finished.output.isEmpty && finished.errors.contains(words) && finished.errors.contains("\nTry: "), "\(finished.errors)")
    #expect(try bench.run("import", source, "--into", bench.path("new.sqlite"), "--json").document["offset"] as? Int == offset)
    #expect(try bench.names() == ["source"])
  }

  @Test("another program's database is no source, and its tables are named")
  func foreignSource() throws {
    let source = try bench.fixture("foreign.db")
    let finished = try bench.run("import", source, "--into", bench.path("new.sqlite"), status: 65)
    #expect(finished.errors.contains("foreign.db is a database of no known kind: it has the tables "), "\(finished.errors)")
    #expect(try bench.names() == ["foreign.db"])
  }

  @Test("what is another library's is not imported, and the store is as before", arguments: [true, false])
  func otherLibrary(intoMusic: Bool) async throws {
    let store = intoMusic ? try await bench.music() : try bench.store()
    let source = try bench.fixture(intoMusic ? "library.json" : "music.json", as: "source.json")
    let before = try bench.content()
    let (own, other) = intoMusic ? ("music", "audiobooks") : ("audiobooks", "music")
    let finished = try bench.run("import", source, "--into", store, status: 65)
    #expect(finished.errors.hasPrefix("Error: \(source) is for \(other), and \(store) holds \(own); nothing was changed\nTry: "))
    let asked = try bench.run("import", source, "--into", store, "--library", other, status: 65)
    #expect(asked.errors.hasPrefix("Error: \(store) holds \(own), not \(other)\n"), "\(asked.errors)")
    let format = try bench.run("import", source, "--into", store, "--format", intoMusic ? "library-json" : "music-json", status: 65)
    #expect(format.errors.contains("belongs to \(other), not to \(own)"), "\(format.errors)")
    #expect(try bench.content() == before)
  }

  @Test("a source of another library than --library says is refused for that reason")
  func otherNamed() throws {
    let source = try bench.write("<?xml version=\"1.0\"?><plist version=\"1.0\"><dict/></plist>", to: "ex.xml")
    let finished = try bench.run("import", source, "--into", bench.path("new.sqlite"), "--library", "audiobooks", status: 65)
    #expect(
      finished.errors.hasPrefix("Error: \(source) is for music, and not for audiobooks; nothing was changed\nTry: "), "\(finished.errors)")
    #expect(try bench.names() == ["ex.xml"])
  }

  @Test(
    "a store of two libraries needs --library, and says which there are",
    arguments: ["list", "info", "check", "stats", "resume", "show", "search", "export"])
  func two(command: String) throws {
    let store = try bench.store()
    try bench.change(store, "INSERT INTO holdfast_schemas (name, version) VALUES ('music', 1)")
    let more = ["show": ["三体"], "search": ["moby"], "export": ["--to", "export.json"]][command] ?? []
    let finished = try bench.run([command, store] + more, status: 64)
    #expect(
      finished.errors == """
        Error: \(store) holds audiobooks and music; name one of them
        Try: --library audiobooks, or --library music

        """)
    #expect(try bench.run([command, store] + more + ["--library", "audiobooks"]).status == 0)
  }

  @Test("a library has no list and no format that only another one has, and nothing to go on with is an empty result")
  func othersOnly() async throws {
    let music = try await bench.music()
    let store = try bench.store()
    for (arguments, message) in [
      (["list", music, "collections"], "a library of music has no collections"),
      (["list", store, "albums"], "a library of audiobooks has no albums"),
      (["export", music, "--to", "x.json", "--format", "library-json"], "a library of music cannot be written as library-json"),
    ] {
      let finished = try bench.run(arguments, status: 65)
      #expect(finished.errors.hasPrefix("Error: \(message)\nTry: "), "\(finished.errors)")
    }
    #expect(try bench.run("list", store, "films").status == 64)
    let resumed = try bench.run("resume", music)
    #expect(resumed.status == 0 && resumed.output.isEmpty && resumed.errors == "There is nothing to continue.\n")
    #expect(!FileManager.default.fileExists(atPath: bench.path("x.json")))
  }

  @Test("restore says of a snapshot how much music it holds")
  func restoreMusic() async throws {
    let store = try await bench.music()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    let open = try Store.open(at: URL(fileURLWithPath: store), schemas: [MusicStore.schema], options: options)
    let id = try await open.snapshot(label: "before the change").id
    _ = try await open.write { try $0.execute("DELETE FROM tracks WHERE title = 'Duet'") }
    try open.close()
    try bench.run("restore", store, output: "  5 tracks, 3 playlists  before the change\n")
    try bench.run("restore", store, "--snapshot", id, "--yes", status: 0, errors: "(before the change): 5 tracks, 3 playlists.\n")
    #expect(try bench.run("show", store, "Duet").status == 0)
  }
}
