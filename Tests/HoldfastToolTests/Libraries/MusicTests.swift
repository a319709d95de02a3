import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastTool

@Suite("Music on the command line")
final class MusicTests {
  let bench: Workbench
  let store: String

  init() async throws {
    let bench = try Workbench()
    store = try await bench.music()
    self.bench = bench
  }

  @Test("albums are the first list, in columns that align")
  func albums() throws {
    let finished = try bench.run("list", store)
    #expect(
      finished.withoutIDs == """
        ALBUM          ARTIST             TRACKS  LENGTH  YEAR
        Harbour Songs  Various Artists         1          2001
        The Whale      Nantucket Quartet       2    7:01  1998
        Unknown Album  Unknown Artist          1    1:01
        黑暗森林       水滴                    1    5:00  2008

        """)
    #expect(finished.errors.isEmpty)
    #expect(try bench.run("list", store, "albums").output == finished.output)
  }

  @Test(
    "what iTunes exports is recognised by its content, comes in whole, and goes out as a list that comes back", arguments: ["m3u8", "xspf"])
  func iTunes(format: String) throws {
    let bench = try Workbench()
    try FileManager.default.copyItem(at: Workbench.example("Library.xml"), to: bench.url("Library.xml"))
    let imported = try bench.run("import", "Library.xml", "--into", "music.sqlite", status: 0)
    #expect(
      imported.output.split(separator: "\n").dropFirst().prefix(6).joined(separator: "\n") == """
                               source    imported      merged     skipped quarantined
        tracks                     24          24           0           0           0
        collections                 7           4           0           3           0
        collection_tracks          13          13           0           0           0
        skipped 2: a list that iTunes makes by itself
        skipped 1: the smart playlist "Top rated" is a rule, and this library keeps lists
        """)
    #expect(try bench.run("export", "music.sqlite", "--to", "list.\(format)", "--format", format, "--playlist", "Quiet").status == 0)
    // Its tracks are in the library already: only the list is new.
    let again = try bench.run("import", "list.\(format)", "--into", "music.sqlite", "--json")
    let counts = try #require(again.document["counts"] as? [String: [String: Any]])
    let found = counts.map { "\($0) \($1["imported"] ?? "") of \($1["source"] ?? "")" }.sorted()
    #expect(found.filter { !$0.hasSuffix("of 0") } == ["collection_tracks 5 of 5", "collections 1 of 1", "tracks 0 of 4"])
    #expect(try bench.run("check", "music.sqlite").status == 0)
  }

  @Test("show says that a film from iTunes is one")
  func film() throws {
    try bench.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict><key>Major Version</key><integer>1</integer><key>Tracks</key><dict>
      <key>1</key><dict><key>Track ID</key><integer>1</integer><key>Name</key><string>Metropolis</string><key>Movie</key><true/>
      <key>Persistent ID</key><string>4E2A6B9C0D1F0001</string><key>Location</key><string>file:///Films/1.m4v</string></dict>
      </dict><key>Playlists</key><array></array></dict></plist>
      """, to: "Library.xml")
    #expect(try bench.run("import", "Library.xml", "--into", "m.sqlite").status == 0)
    let shown = try bench.run("show", "m.sqlite", "Metropolis").output
    #expect(shown.contains(/(?m)^kind +Movie$/), "\(shown)")
    let track = try bench.run("show", "m.sqlite", "Metropolis", "--json").document["track"] as? [String: Any]
    #expect(track?["kind"] as? String == "Movie")
  }

  @Test("what a person knows of a source is said by --time-zone and --encoding; other names, and other libraries, are refused")
  func hints() throws {
    try Data(Array("#EXTM3U\n/".utf8) + [0xCC, 0xE8, 0xF0] + Array(".mp3\n".utf8)).write(to: bench.url("old.m3u"))
    try bench.run("import", "old.m3u", "--into", "m.sqlite", "--encoding", "Windows-1251", "--time-zone", "Asia/Tokyo", status: 0)
    #expect(try bench.run("list", "m.sqlite", "tracks").output.contains("Мир"))
    for (option, values) in [("--encoding", "one of utf-8, windows-1252"), ("--time-zone", "a time zone, such as Europe/Berlin")] {
      let unknown = try bench.run("import", "old.m3u", "--into", "m.sqlite", option, "Atlantis", status: 64)
      #expect(unknown.errors.contains("'Atlantis' is not a value for \(option): choose \(values)"), "\(unknown.errors)")
      let books = try bench.run("import", try bench.fixture("library.json", as: "\(option).json"), "--into", "b.sqlite", option, "utf-8")
      #expect(books.status == (option == "--encoding" ? 65 : 64), "\(books.errors)")
    }
    try bench.run("import", "./--encoding.json", "--into", "b.sqlite", "--time-zone", "UTC", status: 65, errors: "without --time-zone")
    #expect(try bench.names().contains("b.sqlite") == false)
  }

  @Test("playlists stand in their order, with their folder")
  func playlists() throws {
    #expect(
      try bench.run("list", store, "playlists").withoutIDs == """
        PLAYLIST   FOLDER  TRACKS
        Evening                 3
        Moods/
        The Whale  Moods        1

        """)
  }

  @Test("playlists are listed, and a folder is shown, without loading what is in any of them")
  func countsOnly() async throws {
    let statements = TracedStatements()
    var options = StoreOptions.production
    options.trace = { statements.append($0) }
    let library = try MusicStore.open(at: URL(fileURLWithPath: store), options: options)
    try await library.store.read { reader in
      _ = try MusicStore.description.lists.first { $0.name == "playlists" }?.lines(in: reader)
      _ = try Lookup.one("Moods", of: MusicStore.description.kinds, in: reader).found.show(reader)
    }
    try library.store.close()
    let texts = statements.take()
    let loading = texts.filter { $0.contains("track_id") && !$0.contains("collection_id = ") }
    #expect(loading == [] && texts.contains { $0.contains("count(*) FROM collection_tracks") })
  }

  @Test("a list that is cut short says how much there is besides", arguments: ["albums", "artists", "playlists", "tracks"])
  func limit(what: String) async throws {
    let all = try #require(try bench.run("list", store, what, "--json").document[what] as? [[String: Any]])
    let cut = try bench.run("list", store, what, "--limit", "2")
    #expect(cut.output.split(separator: "\n").count == 3)
    #expect(cut.errors == "… and \(all.count - 2) more.\n")
    #expect(try bench.run("list", store, what, "--json").document["total"] as? Int == all.count)
  }

  @Test(
    "show takes an id or the beginning of one of everything, and a name with or without case and accents",
    arguments: ["album Harbour Songs", "artist Various Artists", "playlist Evening", "folder Moods", "title Café"])
  func lookup(line: String) async throws {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let named = try bench.run("show", store, words[1].lowercased().replacingOccurrences(of: "é", with: "e"), status: 0)
    let first = try #require(named.output.split(separator: "\n").first)
    #expect(first.hasPrefix("\(words[0])  ") && first.hasSuffix("  \(words[1])"), "\(first)")
    let id = try #require(named.output.firstMatch(of: /\nid +([0-9a-f-]{36})\n/)?.output.1)
    #expect(try bench.run("show", store, String(id)).output == named.output)
    #expect(try bench.run("show", store, String(id.prefix(13)).uppercased()).output == named.output)
  }

  @Test("a name that an album and a playlist have is ambiguous, and names both with ids that work")
  func ambiguous() async throws {
    let finished = try bench.run("show", store, "The Whale", status: 64)
    let ids = finished.errors.matches(of: /(album|playlist) ([0-9a-f-]{36}) \(/).map { (String($0.1), String($0.2)) }
    #expect(ids.map(\.0) == ["album", "playlist"], "\(finished.errors)")
    for (kind, id) in ids { #expect(try bench.run("show", store, id, "--json").document["kind"] as? String == kind) }
    #expect(try bench.run("show", store, "Nothing of this name").status == 66)
    #expect(try bench.run("show", store, "00000000-0000-4000-8000-000000000000").errors.contains("no album and no artist"))
  }

  @Test("what is exported can be imported again, and holds the same")
  func roundTrip() async throws {
    #expect(try bench.run("export", store, "--to", bench.path("out.json")).status == 0)
    try bench.run("import", bench.path("out.json"), "--into", bench.path("again.sqlite"), status: 0)
    for what in ["albums", "artists", "playlists", "tracks"] {
      #expect(try bench.run("list", bench.path("again.sqlite"), what).output == (try bench.run("list", store, what).output))
    }
    #expect(try bench.run("stats", bench.path("again.sqlite")).output == (try bench.run("stats", store).output))
  }

  @Test("a playlist is written by its name, though an album has it too, and all tracks without one", arguments: ["m3u8", "xspf"])
  func playlistExport(format: String) async throws {
    try bench.run("export", store, "--to", bench.path("list"), "--format", format, "--playlist", "the whale", status: 0)
    let text = try String(contentsOf: bench.url("list"), encoding: .utf8)
    #expect(text.contains("Duet") && !text.contains("Loomings"), "\(text)")
    #expect(try bench.run("export", store, "--to", bench.path("all"), "--format", format).output.contains("tracks       5\n"))
    #expect(try bench.run("export", store, "--to", bench.path("x"), "--format", format, "--playlist", "Loomings").status == 66)
    #expect(try bench.run("export", store, "--to", bench.path("x"), "--playlist", "evening").status == 65)
    let books = try bench.run("export", try bench.store(), "--to", bench.path("x"), "--format", "library-json", "--playlist", "evening")
    #expect(books.status == 65)
    #expect(books.errors.hasPrefix("Error: the format library-json has no use for --playlist\n"))
    #expect(!FileManager.default.fileExists(atPath: bench.path("x")))
  }
}
