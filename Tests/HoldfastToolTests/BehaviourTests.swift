import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

@Suite("Behaviour")
final class BehaviourTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
  }

  @Test("columns align for Chinese titles too")
  func alignment() throws {
    let finished = try bench.run("list", store)
    #expect(
      finished.output == """
        ID                                    TITLE      AUTHOR           TRACKS   LENGTH  HEARD  ADDED
        7c9e6679-7425-40de-944b-e07fc1f90ae7  三体       刘慈欣                2  1:05:37  12:34  2025-11-03T02:10:05Z
        1d8b3f0a-52c4-4b7e-8e0d-6a9c2f4d7e31  Moby Dick  Herman Melville       1    21:30         2025-11-01T08:00:00Z

        """)
    #expect(finished.errors.isEmpty)
  }

  @Test("paths mean what they mean to the system: behind a link, and with a tilde")
  func paths() throws {
    try FileManager.default.createDirectory(at: bench.url("far/deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: bench.path("link"), withDestinationPath: "far/deep")
    for target in ["link/../out.json", "~out.json"] {
      try bench.run("export", store, "--to", target, status: 0)
    }
    #expect(FileManager.default.fileExists(atPath: bench.path("far/out.json")))
    #expect(FileManager.default.fileExists(atPath: bench.path("~out.json")))
  }

  @Test("a reader that goes away ends the output without noise")
  func closedPipe() throws {
    let bench = try Workbench()
    try bench.write(ImportSurroundingsTests.library(collections: 1000, tracks: 0), to: "library.json")
    let finished = try bench.shell(
      """
      "$1" import library.json --into library.sqlite --progress none >/dev/null || exit 9
      "$1" list library.sqlite | head -n 1
      exit ${PIPESTATUS[0]}
      """)
    #expect(finished.status == 0)
    #expect(finished.output.hasPrefix("ID "))
    #expect(finished.errors.isEmpty)
  }

  @Test("an output that cannot be written is 74", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullOutput() throws {
    let finished = try bench.shell("\"$1\" list library.sqlite > /dev/full")
    #expect(finished.status == 74)
    #expect(finished.errors.hasPrefix("Error: the output could not be written: No space left on device\nTry: "))
  }

  @Test(
    "show takes an id, the beginning of one, and a title in any case",
    arguments: [
      (GoldenTests.collection, "三体"), ("7C9E6679", "三体"), ("三体", "三体"), ("moby dick", "Moby Dick"), ("1d8", "Moby Dick"),
      ("9f2c", "Chapter 1: Loomings"), ("CHAPTER 1: loomings", "Chapter 1: Loomings"),
    ])
  func lookup(text: String, name: String) throws {
    let finished = try bench.run("show", store, text, status: 0)
    #expect(finished.output.split(separator: "\n").first?.hasSuffix("  \(name)") == true, "\(finished.output)")
  }

  @Test("show refuses what stands for several things, and what stands for none")
  func lookupFailures() throws {
    let bench = try Workbench()
    let source = try bench.write(ImportSurroundingsTests.library(collections: 3, tracks: 2), to: "library.json")
    #expect(try bench.run("import", source, "--into", bench.path("library.sqlite")).status == 0)
    let several = try bench.run("show", bench.path("library.sqlite"), "00000001-", status: 64)
    #expect(several.errors.contains("stands for 3 things: collection 00000001-0000-4000-8000-000000000000"), "\(several.errors)")
    let none = try bench.run("show", bench.path("library.sqlite"), "Ulysses", status: 66)
    #expect(none.errors == "Error: nothing has the id or the title \"Ulysses\"\nTry: holdfast list STORE, or holdfast search STORE TEXT\n")
  }

  @Test("an import reads standard input, an export writes to standard output, and no copy is kept unless it is wanted")
  func streams() throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    let finished = try bench.shell(
      """
      set -e
      "$1" import - --into a.sqlite < library.json >/dev/null
      "$1" import library.json --into b.sqlite --no-backup >/dev/null
      "$1" export a.sqlite --to - --format library-json 2>/dev/null
      """)
    #expect(finished.status == 0 && finished.document["schemaVersion"] as? Int == 3, "\(finished.errors)")
    #expect(try bench.names() == ["a.sqlite", "b.sqlite", "library.json"])
    #expect(try bench.run("export", bench.path("a.sqlite"), "--to", "-", "--json").status == 64)
  }

  @Test("no path of a temporary file is printed for standard input and standard output, also by an error")
  func streamsAreNamed() throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    let imported = try bench.shell("\"$1\" import - --into a.sqlite --progress none < library.json")
    #expect(imported.status == 0 && imported.output.contains(": standard input\n"), "\(imported.output)")
    let document = try bench.shell("\"$1\" import - --into a.sqlite --json --progress none < library.json").document
    #expect(document["source"] as? String == "standard input")
    let exported = try bench.shell("\"$1\" export a.sqlite --to -")
    #expect(exported.status == 0 && exported.errors.contains(/written +standard output\n/), "\(exported.errors)")
    for text in ["", "{\"a\":1}", "{\"collections\":[]}"] {
      try bench.write(text, to: "source")
      let refused = try bench.shell("\"$1\" import - --into b.sqlite < source")
      #expect(refused.status != 0 && refused.errors.hasPrefix("Error: standard input "), "\(refused.errors)")
      #expect(!refused.errors.contains("holdfast-"), "\(refused.errors)")
    }
  }

  @Test("standard input that is a folder or is closed is 74, with words and no store", arguments: ["< .", "<&-"])
  func unreadableInput(redirection: String) throws {
    let bench = try Workbench()
    let refused = try bench.shell("\"$1\" import - --into a.sqlite \(redirection)")
    #expect(refused.status == 74, "\(refused.errors)")
    #expect(refused.errors.hasPrefix("Error: standard input is closed, a folder, or cannot be read\nTry: "), "\(refused.errors)")
    #expect(try bench.names() == [])
  }

  @Test("an option that a command does not have is blamed itself, whatever else is missing, and never answered with consent")
  func unknownOptions() throws {
    for (arguments, words) in [
      (["list", "x", "--limt", "3"], "holdfast list has no option --limt\nTry: --limit\n"),
      (["restore", "--yse"], "holdfast restore has no option --yse\nTry: holdfast help restore\n"),
      (["export", "--y"], "holdfast export has no option --y\n"), (["list", "-y", "x"], "holdfast list has no option -y\n"),
    ] {
      let finished = try bench.run(arguments)
      let said = finished.errors.components(separatedBy: "Usage:").first ?? ""
      #expect(finished.status == 64 && said.contains(words) && !said.contains("--yes"), "\(finished.errors)")
    }
  }

  @Test("a title with control characters reaches the terminal without them, and a program as it is")
  func controlCharacters() throws {
    try bench.change(store, "UPDATE collections SET title = \("red \u{1B}[31m\u{202E}line\n") WHERE title = 'Moby Dick'")
    let finished = try bench.run("list", store)
    #expect(finished.output.contains("red \u{FFFD}[31m\u{FFFD}line\u{FFFD}"))
    let document = try bench.run("list", store, "--json").document
    let titles = (document["collections"] as? [[String: Any]])?.compactMap { $0["title"] as? String }
    #expect(titles == ["三体", "red \u{1B}[31m\u{202E}line\n"])
  }

  @Test(
    "commands that look make no store out of a missing or an empty file",
    arguments: ["list", "info", "check", "resume", "show", "search", "stats", "metrics"])
  func nothingThere(command: String) throws {
    let bench = try Workbench()
    try bench.write("", to: "empty.sqlite")
    let more = command == "show" || command == "search" ? ["x"] : []
    for name in ["missing.sqlite", "empty.sqlite"] {
      try bench.run([command, bench.path(name)] + more, status: 66)
    }
    #expect(try bench.content() == ["empty.sqlite": Data()])
  }

  @Test("check finds a broken invariant and a damaged search index, and is 2")
  func findings() throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    try library.store.write { tx in
      try tx.execute("UPDATE collections SET last_played_track_id = id WHERE id = (SELECT min(id) FROM collections)")
      try tx.execute("INSERT INTO tracks_search (tracks_search) VALUES ('delete-all')")
    }
    try library.store.close()
    let finished = try bench.run("check", store, "--json", status: 2)
    #expect(finished.document["ok"] as? Bool == true && finished.document["healthy"] as? Bool == false)
    let parts = (finished.document["findings"] as? [[String: Any]])?.compactMap { $0["part"] as? String }
    #expect(parts == ["full_text", "invariants"])
    #expect(try bench.run("check", store).output.contains("the last played track is one of the collection"))
  }

  @Test("a store of a newer version is read; an import, a rewind and a restore are 65, with the file as it was")
  func newerStore() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    let snapshot = try library.store.snapshot().id
    try library.store.write { tx in
      try tx.execute("INSERT INTO holdfast_migrations (name, hash, ran_at) VALUES ('audiobooks/999-later', 'x', 0)")
      try tx.execute("UPDATE holdfast_store SET bookkeeping_sha256 = NULL")
      try tx.execute("UPDATE holdfast_schemas SET version = 999 WHERE name = 'audiobooks'")
    }
    try library.store.close()
    let before = try bench.content()
    #expect(try bench.run("info", store, "--json").document["version"] as? String == "newer")
    #expect(try bench.run("list", store).status == 0)
    for finished in [
      try bench.run("import", try bench.fixture("one-bad-record.json"), "--into", store),
      try bench.run("rewind", store, "--to", "now", "--yes"), try bench.run("restore", store, "--snapshot", snapshot, "--yes"),
    ] {
      #expect(finished.status == 65 && finished.errors.contains("newer"), "\(finished.errors)")
      #expect(finished.errors.hasSuffix("Try: Update holdfast.\n"), "\(finished.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before["library.sqlite"])
  }

  @Test("a store that an app has open is read as it is now, and its file and log are left alone")
  func openStore() throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    _ = try library.store.write { try $0.execute("UPDATE collections SET title = 'The Whale' WHERE title = 'Moby Dick'") }
    let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store + $0)) }
    #expect(before[1].count > 0)
    try bench.run("list", store, output: "The Whale")
    #expect(try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store + $0)) } == before)
    try library.store.close()
  }

  @Test("an export replaces a file only after a consent, and never the store itself")
  func exportOverFile() throws {
    try bench.write("mine", to: "out.json")
    try bench.run("export", store, "--to", bench.path("out.json"), status: 64, errors: "This replaces")
    #expect(try String(contentsOf: bench.url("out.json"), encoding: .utf8) == "mine")
    #expect(try bench.run("export", store, "--to", store, "--yes").status == 64)
    #expect(try bench.run("export", store, "--to", bench.path("out.json"), "--yes").status == 0)
  }

  @Test(
    "an export to a folder is wrong usage that says what to do, before anything is asked, and the folder stays",
    arguments: [
      ("empty", "holdfast", "export.json"), ("full", "library-json", "export.json"), ("link", "m3u8", "export.m3u8"),
      ("empty", "xspf", "export.xspf"), ("full", "strong-csv", "export.csv"),
    ])
  func exportOverFolder(name: String, format: String, example: String) throws {
    for folder in ["empty", "full"] {
      try FileManager.default.createDirectory(at: bench.url(folder), withIntermediateDirectories: false)
    }
    try bench.write("mine", to: "full/mine.txt")
    try FileManager.default.createSymbolicLink(atPath: bench.path("link"), withDestinationPath: "full")
    let before = try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path).sorted()
    let finished = try bench.run("export", store, "--to", bench.path(name), "--format", format, "--yes")
    #expect(finished.status == 64 && !finished.errors.contains("This replaces"))
    #expect(
      finished.errors.contains("is a folder, and an export is one file: name a file in it, as --to \(bench.path(name))/\(example)."))
    #expect(try FileManager.default.subpathsOfDirectory(atPath: bench.folder.path).sorted() == before)
  }

  @Test("what is exported can be imported again, and holds the same", arguments: ["holdfast", "library-json"])
  func roundTrip(format: String) throws {
    #expect(try bench.run("export", store, "--to", bench.path("out.json"), "--format", format).status == 0)
    try bench.run("import", bench.path("out.json"), "--into", bench.path("again.sqlite"), status: 0)
    for id in [GoldenTests.collection, "1d8b3f0a-52c4-4b7e-8e0d-6a9c2f4d7e31"] {
      #expect(try bench.run("show", bench.path("again.sqlite"), id).output == (try bench.run("show", store, id).output))
    }
  }
}
