import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Lists as M3U") struct M3UTests {
  @Test("an extended list: what it says of its files, and every way to say where they are")
  func extended() throws {
    let world = try ImportWorld("Mix.m3u8")
    let text = """
      #EXTM3U
      #PLAYLIST:For the road
      # a comment
      #EXTINF:123,alt-J - Ripe & Ruin
      /Music/100% a#b.mp3
      #EXTALB:Wave
      #EXTART:Various
      #EXTGENRE:Indie
      #EXTINF:-1 tvg-id="a,b" group="c",Only a title
      sub/../sub/./two words.mp3
      #EXTALB:
      #EXTART:
      #EXTGENRE:
      C:\\Music\\Ünï\\c.mp3
      \\\\server\\share\\d.mp3
      Artist\\Album\\e.mp3
      ../f.mp3

      http://radio.example:8000/live?x=1,2
      file:///Music/g%20h.mp3
      """
    #expect(try world.importing(text) == allImported(["tracks": 8, "collections": 1, "collection_tracks": 8]))
    #expect(
      try world.shelf(in: "/Lists") == """
        Ripe & Ruin by alt-J on Unknown Album, 123.0 s at file:///Music/100%25%20a%23b.mp3
        Only a title by Unknown Artist on Wave of Various, Indie at file:///Lists/sub/two%20words.mp3
        c by Unknown Artist on Unknown Album at file:///C:/Music/%C3%9Cn%C3%AF/c.mp3
        d by Unknown Artist on Unknown Album at file://server/share/d.mp3
        e by Unknown Artist on Unknown Album at file:///Lists/Artist/Album/e.mp3
        f by Unknown Artist on Unknown Album at file:///f.mp3
        live?x=1,2 by Unknown Artist on Unknown Album at http://radio.example:8000/live?x=1,2
        g h by Unknown Artist on Unknown Album at file:///Music/g%20h.mp3
        For the road: Ripe & Ruin, Only a title, c, d, e, f, live?x=1,2, g h
        """)
    #expect(try world.importing(text) == allSkipped(["tracks": 8, "collections": 1, "collection_tracks": 8]))
  }

  @Test("a path with the escapes of a URL is the file that it escapes, where none has the name as it stands")
  func escapedPaths() throws {
    let world = try ImportWorld("Mix.m3u8")
    try Data().write(to: world.folder.file("c%20d.mp3"))
    let known = LibraryTrack(
      id: NewID.derived(from: "known"), title: "known", file: TrackFile(location: FileLocation(path: "/Music/k%20l.mp3")),
      addedAt: world.clock.now)
    try world.withLibrary { try $0.store.write { try MusicStore.saveTracks([known], in: $0) } }
    let text = "a%20b.mp3\nc%20d.mp3\n/Music/k%20l.mp3\n50% of%20it.mp3\ne%2Ff.mp3\n%E4%B8%89.mp3\n"
    #expect(
      try world.importing(text) == """
        tracks 6: 5 imported, 1 skipped
        collections 1: 1 imported
        collection_tracks 6: 6 imported
        skipped 1: in the library already
        """)
    let names = try world.tracks().compactMap { $0.file.location?.path?.split(separator: "/").last }
    #expect(Set(names) == ["a b.mp3", "c%20d.mp3", "k%20l.mp3", "50% of%20it.mp3", "e%2Ff.mp3", "三.mp3"])
    #expect(try world.importing(text).hasPrefix("tracks 6: 6 skipped"))
  }

  @Test("lists that were put behind each other are one: a byte order mark in the middle is no part of a path")
  func marksInside() throws {
    let world = try ImportWorld("x.m3u8")
    #expect(
      try world.importing("\u{FEFF}#EXTM3U\n/a.mp3\n\u{FEFF}#EXTM3U\n\u{FEFF}/b.mp3\n\u{FEFF}\n")
        == allImported(["tracks": 2, "collections": 1, "collection_tracks": 2]))
    #expect(try world.tracks().map { $0.file.location?.text } == ["file:///a.mp3", "file:///b.mp3"])
  }

  @Test(
    "a byte order mark, line breaks of every system and UTF-16 change nothing",
    arguments: [("\u{FEFF}", "\r\n"), ("\u{FEFF}", "\n"), ("", "\r\n"), ("", "\r"), ("", "\n")])
  func lineBreaks(mark: String, lineBreak: String) throws {
    let text = mark + ["#EXTM3U", "#EXTINF:60,三体", "/a.mp3", "/b.mp3"].joined(separator: lineBreak) + lineBreak
    for encoding in [String.Encoding.utf8, .utf16] {
      let world = try ImportWorld("x.m3u")
      try #require(text.data(using: encoding)).write(to: world.source)
      _ = try world.report()
      #expect(
        try world.shelf(in: "") == """
          三体 by Unknown Artist on Unknown Album, 60.0 s at file:///a.mp3
          b by Unknown Artist on Unknown Album at file:///b.mp3
          x: 三体, b
          """)
    }
  }

  @Test("a list that is not UTF-8 is read as Windows-1252, and the report says so")
  func legacyText() throws {
    let world = try ImportWorld("old.m3u")
    // Each of these characters is one byte there.
    let text = "#EXTM3U\r\n#EXTINF:5,Beyoncé - “Déjà” €\r\n/Café.mp3\r\n"
    let bytes = try #require(text.data(using: .windowsCP1252))
    try bytes.write(to: world.source)
    #expect(
      try world.importing() == """
        tracks 1: 1 imported
        collections 1: 1 imported
        collection_tracks 1: 1 imported
        noted 1: lines that are not UTF-8 were read as Windows-1252 (first: line 2)
        """)
    #expect(
      try world.shelf(in: "") == "“Déjà” € by Beyoncé on Unknown Album, 5.0 s at file:///Caf%C3%A9.mp3\nold: “Déjà” €")
  }

  @Test(
    "the encoding of a list can be named: then its paths are those that were meant, and nothing is said of a guess",
    arguments: [
      (0x502, [0xCC, 0xE8, 0xF0], "Мир"), (0x420, [0x8E, 0x4F, 0x91, 0xCC, 0x95, 0x5C], "三体表"), (0x421, [0xC1, 0xAA, 0xCD, 0xA8], "联通"),
      (0x500, [0x80, 0x81], "€\u{81}"),
    ] as [(UInt, [UInt8], String)])
  func namedEncoding(number: UInt, bytes: [UInt8], name: String) throws {
    let world = try ImportWorld("old.m3u")
    try Data(Array("#EXTM3U\r\n/Music/".utf8) + bytes + Array(".mp3\r\n".utf8)).write(to: world.source)
    world.hints.encoding = number == 0x500 ? .windowsCP1252 : String.Encoding(rawValue: 0x8000_0000 | number)
    #expect(try world.importing() == "tracks 1: 1 imported\ncollections 1: 1 imported\ncollection_tracks 1: 1 imported")
    #expect(try world.tracks().map { $0.file.location?.path } == ["/Music/\(name).mp3"])
  }

  @Test("a byte order mark counts for more than the encoding that was named, and bytes that are not in it are refused")
  func namedEncodingDoubted() throws {
    let world = try ImportWorld("x.m3u8")
    world.hints.encoding = .shiftJIS
    #expect(try world.report("\u{FEFF}/é.mp3\n").isClean)
    #expect(try world.tracks().map { $0.file.location?.path } == ["/é.mp3"])
    let other = try ImportWorld("x.m3u")
    try Data([0x23, 0x0A, 0x2F, 0x80, 0xFF, 0x0A]).write(to: other.source)
    other.hints.encoding = .shiftJIS
    let error = try other.failure()
    #expect(error.code == .invalidSource)
    #expect(error.message.hasSuffix("is no list of music files: its text is not in the encoding that was named"))
  }

  @Test("a new song where a track's file was before it moved is a track of its own; the list that brought in the first still means it")
  func placeTakenAgain() throws {
    let world = try ImportWorld("Old.m3u8")
    let old = "#EXTM3U\n#EXTINF:1,A - Old\n/Music/01.mp3\n"
    _ = try world.report(old)
    try world.edit(track: #require(try world.tracks().first).id) { $0.file.location = FileLocation(path: "/Archive/01.mp3") }
    #expect(try world.importing(old).hasPrefix("tracks 1: 1 skipped\ncollections 1: 1 skipped\ncollection_tracks 1: 1 skipped\n"))
    #expect(try world.lists() == "Old: Old")
    world.source = world.folder.file("New.m3u8")
    let new = "#EXTM3U\n#EXTINF:1,B - New\n/Music/01.mp3\n/Archive/01.mp3\n"
    #expect(
      try world.importing(new) == """
        tracks 2: 1 imported, 1 skipped
        collections 1: 1 imported
        collection_tracks 2: 2 imported
        skipped 1: in the library already
        """)
    #expect(try world.lists() == "Old: Old\nNew: New, Old")
    #expect(try world.importing(new).contains("skipped 4: in the store already"))
    #expect(try world.lists() == "Old: Old\nNew: New, Old")
  }

  @Test("two lists of one name that share a song stay two; one that moved and changed a little is still the same")
  func oneCommonSong() throws {
    let world = try ImportWorld("playlist.m3u8")
    func list(_ folder: String, _ tracks: String...) throws {
      let url = world.folder.url.appendingPathComponent(folder)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      world.source = url.appendingPathComponent("playlist.m3u8")
      _ = try world.report("#EXTM3U\n" + tracks.map { "/\($0).mp3\n" }.joined())
    }
    try list("one", "a", "b", "c", "d")
    try list("two", "a", "x", "y", "z")
    try list("two", "a", "x", "y", "z")
    try list("three", "a")
    #expect(try world.lists() == "playlist: a, b, c, d\nplaylist: a, x, y, z\nplaylist: a")
    try list("moved", "a", "b", "c", "e")
    // At its own place it may change as much as it likes.
    try list("one", "a", "f", "g", "h", "i", "j", "k", "l", "m")
    #expect(try world.lists().split(separator: "\n").map(\.count) == [47, 20, 11])
  }

  @Test("a file that the library has a track for is that track, however its place is spelled")
  func known() throws {
    let world = try ImportWorld("Mix.m3u8")
    var random = SeededGenerator(seed: 4)
    let tracks = [
      LibraryTrack(
        id: random.id(), title: "mine", file: TrackFile(location: FileLocation(text: "file://localhost/Music/e%CC%81.mp3")),
        addedAt: random.date()),
      LibraryTrack(
        id: random.id(), title: "drive", file: TrackFile(location: FileLocation(text: "file://localhost/G:/a.mp3")), addedAt: random.date()),
    ]
    try world.withLibrary { try $0.store.write { try MusicStore.saveTracks(tracks, in: $0) } }
    let text = "#EXTM3U\n#EXTINF:9,Other - Name\n/Music/é.mp3\nG:\\a.mp3\n/Music/new.mp3\n/Music/é.mp3\n"
    #expect(
      try world.importing(text) == """
        tracks 3: 1 imported, 2 skipped
        collections 1: 1 imported
        collection_tracks 4: 4 imported
        skipped 2: in the library already
        """)
    #expect(try world.lists() == "Mix: mine, drive, new, mine")
    #expect(try world.tracks().prefix(2) == tracks[...])
    #expect(
      try world.importing(text) == """
        tracks 3: 3 skipped
        collections 1: 1 skipped
        collection_tracks 4: 4 skipped
        skipped 2: in the library already
        skipped 6: in the store already
        """)
  }

  @Test("what the listener took out of the list or out of the library does not come back; what is new in the list does")
  func later() throws {
    let world = try ImportWorld("Mix.m3u8")
    _ = try world.report("#EXTM3U\n/a.mp3\n/b.mp3\n/c.mp3\n")
    try world.withLibrary { library in
      var list = try #require(try library.store.read { try MusicStore.playlists(in: $0) }.first)
      let ids = list.trackIDs
      list.trackIDs = [ids[0], ids[2]]
      _ = try library.store.write { try MusicStore.savePlaylists([list], in: $0) }
      _ = try library.store.write { try MusicStore.deleteTracks([ids[2]], in: $0) }
    }
    #expect(
      try world.importing("#EXTM3U\n/a.mp3\n/b.mp3\n/c.mp3\n/d.mp3\n/c.mp3\n") == """
        tracks 4: 1 imported, 3 skipped
        collections 1: 1 skipped
        collection_tracks 5: 1 imported, 4 skipped
        skipped 2: deleted since it was imported
        skipped 4: in the store already
        skipped 2: its track was deleted since it was imported
        """)
    #expect(try world.lists() == "Mix: a, d")
  }

  @Test("a list that moved to another folder is the same list, and another one of the same name is not")
  func names() throws {
    let world = try ImportWorld("playlist.m3u8")
    _ = try world.report("#EXTM3U\n/a/1.mp3\n/a/2.mp3\n")
    let other = world.folder.url.appendingPathComponent("other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let file = other.appendingPathComponent("playlist.m3u8")
    func importing(_ text: String) throws -> String {
      try Data(text.utf8).write(to: file)
      return try MusicStore.importLibrary(from: file, into: world.store, storeOptions: world.options).picture
    }
    #expect(try importing("#EXTM3U\n/a/1.mp3\n/a/2.mp3\n") == allSkipped(["tracks": 2, "collections": 1, "collection_tracks": 2]))
    let own = "tracks 1: 1 imported\ncollections 1: 1 imported\ncollection_tracks 1: 1 imported"
    #expect(try importing("#EXTM3U\n/b/1.mp3\n") == own)
    #expect(try importing("#EXTM3U\n/b/1.mp3\n").contains("skipped 3: in the store already"))
    #expect(try world.lists() == "playlist: 1, 2\nplaylist: 1")
  }

  @Test("lines that cannot be read cost themselves alone")
  func damage() throws {
    let world = try ImportWorld("Mix.m3u8")
    #expect(
      try world.importing("#EXTM3U\n#EXTINF:long,A - B\n/a.mp3\n/b\u{7}.mp3\n") == """
        tracks 2: 1 imported, 1 quarantined
        collections 1: 1 imported
        collection_tracks 2: 1 imported, 1 quarantined
        line 2.duration: #EXTINF should begin with seconds
        line 4: a path should not have control characters
        line 4: its track is quarantined
        """)
    #expect(try world.quarantine() == ["#EXTINF:long,A - B", "/b\u{7}.mp3", "/b\u{7}.mp3"])
  }

  @Test("a list without a word about itself is known by its name and its lines; elsewhere the format must be said")
  func recognition() throws {
    #expect(try ImportWorld("plain.M3U").importing("/a.mp3\n/b.mp3\n").hasPrefix("tracks 2: 2 imported"))
    #expect(try ImportWorld("list.txt").importing("#EXTM3U\n/a.mp3\n").hasPrefix("tracks 1: 1 imported"))
    #expect(try ImportWorld("list.txt").failure("/a.mp3\n").code == .invalidSource)
    #expect(try ImportWorld("list.txt").importing("/a.mp3\n", format: "m3u").hasPrefix("tracks 1: 1 imported"))
  }

  @Test(
    "what is no list of files is refused, whatever it is called",
    arguments: [
      ("{\"a\": 1}", "it begins with {"), ("[playlist]\nFile1=/a.mp3", "it begins with ["), ("<html>", "it begins with <"),
      ("ID3\u{0}\u{0}", "it is not text: byte 3 is 0"), ("#EXTM3U\n#EXT-X-TARGETDURATION:9\na.ts", "it is a stream in pieces"),
    ])
  func refused(text: String, message: String) throws {
    let error = try ImportWorld("x.m3u").failure(text, format: "m3u")
    #expect(error.code == .invalidSource)
    #expect(error.message.contains("is no list of music files: \(message)"), "\(error.message)")
    #expect(try ImportWorld("x.m3u").failure(text).code == .invalidSource)
  }

  @Test("each #EXTINF begins anew: nothing of the one before it belongs to the next file")
  func infoTwice() throws {
    let world = try ImportWorld("Mix.m3u8")
    #expect(
      try world.importing("#EXTM3U\n#EXTINF:5,Abba - Gone\n#EXTINF:-1,Solo\n/m/solo.mp3\n#EXTINF:x,A - B\n#EXTINF:\n#EXTINF:7\n/m/b.mp3\n")
        == """
        tracks 2: 2 imported
        collections 1: 1 imported
        collection_tracks 2: 2 imported
        """)
    #expect(
      try world.shelf() == """
        Solo by Unknown Artist on Unknown Album at file:///m/solo.mp3
        b by Unknown Artist on Unknown Album, 7.0 s at file:///m/b.mp3
        Mix: Solo, b
        """)
  }

  @Test("one line that is not UTF-8 leaves the others as they are")
  func mixedText() throws {
    let world = try ImportWorld("old.m3u")
    let lines = [Data("#EXTM3U\r\n/三体.mp3\r\n/".utf8), Data([0xC9, 0x74, 0xE9]), Data(".mp3\r\n/é.mp3\n".utf8)]
    try Data(lines.joined()).write(to: world.source)
    #expect(
      try world.importing() == """
        tracks 3: 3 imported
        collections 1: 1 imported
        collection_tracks 3: 3 imported
        noted 1: lines that are not UTF-8 were read as Windows-1252 (first: line 3)
        """)
    #expect(try world.lists() == "old: 三体, Été, é")
  }

  @Test("long paths of Windows are paths; one from the root of a drive that nobody names is quarantined")
  func windowsPaths() throws {
    let world = try ImportWorld("Mix.m3u8")
    #expect(
      try world.importing("#EXTM3U\n\\\\?\\C:\\x.mp3\n\\\\?\\UNC\\server\\share\\y.mp3\n\\Music\\z.mp3\n") == """
        tracks 3: 2 imported, 1 quarantined
        collections 1: 1 imported
        collection_tracks 3: 2 imported, 1 quarantined
        line 4: this path begins at the root of a drive that the list does not name
        line 4: its track is quarantined
        """)
    #expect(try world.tracks().map { $0.file.location?.text } == ["file:///C:/x.mp3", "file://server/share/y.mp3"])
    #expect(try world.quarantine() == ["\\Music\\z.mp3", "\\Music\\z.mp3"])
  }

  @Test("names in brackets and titles like a stream's lines are names and titles")
  func bracketsAndStreams() throws {
    let world = try ImportWorld("x.m3u")
    let text = "[1999] Album/x.mp3\n#EXTINF:1,About #EXT-X-KEY\n/{live} b.mp3\n"
    #expect(try world.importing(text).hasPrefix("tracks 2: 2 imported"))
    #expect(try world.lists() == "x: x, About #EXT-X-KEY")
    #expect(try ImportWorld("y.m3u").importing("{live} b.mp3\n", format: "m3u").hasPrefix("tracks 1: 1 imported"))
    for other in ["[1,2]", "[\"a] b\"]", "[1999", "{}", "[V2]\nFile1=a"] {
      #expect(try ImportWorld("z.m3u").failure(other, format: "m3u").message.contains("it begins with"), "\(other)")
    }
  }

  @Test("a list in UTF-16 is known wherever its pairs lie", arguments: [1_022, 1_023])
  func wideRecognition(count: Int) throws {
    let world = try ImportWorld("wide.m3u8")
    let text = "\u{FEFF}/" + String(repeating: "a", count: count - 2) + "\u{1F3B5}.mp3\n"
    try #require(text.data(using: .utf16LittleEndian)).write(to: world.source)
    #expect(try world.importing().hasPrefix("tracks 1: 1 imported"))
  }
}

extension ImportWorld {
  /// As `shelf()`, with the folder of the list under another name.
  func shelf(in name: String) throws -> String {
    try shelf().replacingOccurrences(of: "file://" + source.deletingLastPathComponent().standardizedFileURL.path, with: "file://" + name)
      .replacingOccurrences(
        of: "file://" + source.deletingLastPathComponent().deletingLastPathComponent().standardizedFileURL.path, with: "file://")
  }
}
