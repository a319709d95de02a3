import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What the library writes for others") struct ExportTests {
  private let folder: TemporaryFolder
  private let world: World
  private let ids = (1...4).map { NewID.derived(from: "\($0)") }
  private let list = NewID.derived(from: "list")

  init() async throws {
    folder = try TemporaryFolder()
    world = try World.temporary()
    let now = world.clock.now
    func track(_ number: Int, _ title: String, _ location: FileLocation?) -> LibraryTrack {
      LibraryTrack(id: ids[number], title: title, file: TrackFile(location: location), addedAt: now)
    }
    var full = track(0, "Ripe & <Ruin>\nlive", FileLocation(path: "/Music/é & #1.mp3"))
    (full.artist, full.album, full.albumArtist, full.genre) = ("alt-J", "Wave", "∆", "Indie")
    (full.duration, full.trackNumber) = (72.9, 3)
    try await world.library.saveTracks([
      full, track(1, "A - B", FileLocation(text: "file://localhost/G:/x%20y.mp3")), track(2, "no file", nil),
      track(3, "radio", FileLocation(text: "http://radio.example/;a b")),
    ])
    try await world.library.savePlaylists([
      MusicPlaylist(id: list, name: "For\nthe road", trackIDs: [ids[0], ids[1], ids[0], ids[2], ids[3]])
    ])
  }

  @Test("a playlist as M3U in UTF-8: a line break in a text begins no line, and a track without a file is left out")
  func m3u() throws {
    let file = folder.file("road.m3u8")
    let report = try world.library.exportM3U(playlist: list, to: file, relativeTo: URL(fileURLWithPath: "/Music"))
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        #EXTM3U
        #PLAYLIST:For the road
        #EXTALB:Wave
        #EXTART:∆
        #EXTGENRE:Indie
        #EXTINF:72,alt-J - Ripe & <Ruin> live
        ./é & #1.mp3
        #EXTALB:
        #EXTART:
        #EXTGENRE:
        #EXTINF:-1,Unknown Artist - A - B
        G:/x y.mp3
        #EXTALB:Wave
        #EXTART:∆
        #EXTGENRE:Indie
        #EXTINF:72,alt-J - Ripe & <Ruin> live
        ./é & #1.mp3
        #EXTALB:
        #EXTART:
        #EXTGENRE:
        #EXTINF:-1,radio
        http://radio.example/;a b

        """)
    #expect(report.format == "m3u8")
    #expect(report.counts == ["collections": 1, "tracks": 4])
    #expect(report.leftOut == [.init(kind: "tracks", id: IDCodec.lowercase(ids[2]), reason: "it has no file")])
    #expect(report.bytes == Int64(try Data(contentsOf: file).count))
  }

  @Test("a playlist as XSPF, escaped, with locations as URLs")
  func xspf() throws {
    let file = folder.file("road.xspf")
    let report = try world.library.exportXSPF(playlist: list, to: file)
    #expect(
      try String(contentsOf: file, encoding: .utf8) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <playlist version="1" xmlns="http://xspf.org/ns/0/">
          <title>For
        the road</title>
          <trackList>
            <track><location>file:///Music/%C3%A9%20&amp;%20%231.mp3</location><title>Ripe &amp; &lt;Ruin&gt;
        live</title><creator>alt-J</creator><album>Wave</album><trackNum>3</trackNum><duration>72900</duration></track>
            <track><location>file://localhost/G:/x%20y.mp3</location><title>A - B</title></track>
            <track><location>file:///Music/%C3%A9%20&amp;%20%231.mp3</location><title>Ripe &amp; &lt;Ruin&gt;
        live</title><creator>alt-J</creator><album>Wave</album><trackNum>3</trackNum><duration>72900</duration></track>
            <track><location>http://radio.example/;a b</location><title>radio</title></track>
          </trackList>
        </playlist>

        """)
    #expect(report.counts == ["collections": 1, "tracks": 4])
    #expect(report.leftOut.map(\.id) == [IDCodec.lowercase(ids[2])])
  }

  @Test("what was written is the same list when it is read, in an empty library and in this one", arguments: ["m3u8", "xspf"])
  func roundTrip(format: String) throws {
    let importing = try ImportWorld("road.\(format)")
    let library = world.library
    _ =
      format == "m3u8"
      ? try library.exportM3U(playlist: list, to: importing.source) : try library.exportXSPF(playlist: list, to: importing.source)
    _ = try importing.report()
    let read = try importing.withLibrary { library in
      let tracks = Dictionary(
        try library.store.read { try MusicStore.tracks(in: $0) }.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      return try library.store.read { try MusicStore.playlists(in: $0) }.flatMap { $0.trackIDs }.compactMap {
        tracks[$0]?.file.location.map { $0.key ?? $0.text }
      }
    }
    #expect(read == ["/Music/é & #1.mp3", "G:/x y.mp3", "/Music/é & #1.mp3", "http://radio.example/;a b"])

    let here = try ImportSource(importing.source)
    let report = try world.store.importing(MusicStore.importer(for: here), from: here)
    #expect(report.counts["tracks"]?.skipped == 2, "the files are known here; a URL is known by what made it")
    let playlists = try library.store.read { try MusicStore.playlists(in: $0) }
    #expect(playlists.count == 2)
    #expect(playlists.last?.trackIDs.prefix(3) == [ids[0], ids[1], ids[0]])
  }

  @Test("all tracks can be written as one list")
  func all() throws {
    let file = folder.file("all.xspf")
    #expect(try world.library.exportXSPF(to: file).counts == ["collections": 0, "tracks": 3])
    #expect(try world.library.exportM3U(to: file).counts == ["collections": 0, "tracks": 3])
  }

  @Test("the store itself is never written over, and a playlist that is not there leaves the file as it was")
  func refused() throws {
    let own = try #require(world.store.url)
    #expect(throws: StoreError.self) { try world.library.exportM3U(to: own) }
    #expect(try world.isHealthy())
    let file = folder.file("a.m3u8")
    try Data("as it was".utf8).write(to: file)
    #expect(code { _ = try world.library.exportM3U(playlist: ids[0], to: file) } == .notFound)
    #expect(try String(contentsOf: file, encoding: .utf8) == "as it was")
  }

  @Test("exported, wiped and imported again, everything is the same: tracks, playlists, folders, pictures")
  func documented() async throws {
    let importing = try ImportWorld("library.jsonl")
    var random = SeededGenerator(seed: 5)
    let artwork = try await world.library.saveArtwork(Data("picture".utf8))
    try await world.library.saveTracks(Sample.tracks(20, &random) + [Sample.full(&random, artwork: artwork.hash)])
    let folderList = MusicPlaylist(id: random.id(), name: "Folder", isFolder: true)
    try await world.library.savePlaylists([
      folderList,
      MusicPlaylist(id: random.id(), name: "三体", parentID: folderList.id, trackIDs: [ids[1], ids[1]], persistentID: "0123456789ABCDEF"),
    ])
    _ = try world.library.export(to: importing.source)
    #expect(try importing.report().isClean)
    let expected = try await (Set(world.library.tracks()), world.library.playlists())
    let found = try importing.withLibrary {
      try (
        Set($0.store.read { try MusicStore.tracks(in: $0) }), $0.store.read { try MusicStore.playlists(in: $0) },
        $0.store.read { try MusicStore.artwork(artwork.hash, in: $0) }
      )
    }
    #expect(found.0 == expected.0)
    #expect(found.1 == expected.1)
    #expect(found.2 == artwork)
  }

  @Test("an export comes into a library with a playlist of its own: places that two have are told apart by id, and every verb goes on")
  func intoAnother() throws {
    let importing = try ImportWorld("library.jsonl")
    var random = SeededGenerator(seed: 6)
    let track = Sample.track("Own", &random)
    let own = MusicPlaylist(id: random.id(), name: "Own", trackIDs: [track.id])
    try importing.withLibrary { library in
      try library.store.write { try MusicStore.saveTracks([track], in: $0) }
      _ = try library.store.write { try MusicStore.savePlaylists([own], in: $0) }
    }
    _ = try world.library.export(to: importing.source)
    #expect(try importing.report().isClean)
    let theirs = try world.library.store.read { try MusicStore.playlists(in: $0) }
    try importing.withLibrary { library in
      #expect(try library.store.rows("SELECT count(DISTINCT position) FROM collections") == ["1"], "both are the first of their library")
      let expected = ([own] + theirs).sorted { IDCodec.lowercase($0.id) < IDCodec.lowercase($1.id) }
      #expect(try library.store.read { try MusicStore.playlists(in: $0) } == expected)
      #expect(try library.store.read { try MusicStore.playlists(in: nil, in: $0) }.items.map(\.id) == expected.map(\.id))
      try library.store.write { try MusicStore.movePlaylist(expected[1].id, before: expected[0].id, in: $0) }
      #expect(try library.store.read { try MusicStore.playlists(in: $0) } == expected.reversed())
      #expect(try library.store.integrityCheck().findings == [])
    }
  }

  @Test("an export whose tracks count to another album than their fields say is refused, and leaves the library as it was")
  func derived() async throws {
    let importing = try ImportWorld("library.jsonl")
    _ = try await importing.usingLibrary { try await $0.createPlaylist(named: "Own") }
    let before = try importing.rows()
    try await world.store.write { tx in _ = try tx.execute("UPDATE tracks SET group_artist = 'Other' WHERE id = \(ids[1])") }
    _ = try world.library.export(to: importing.source)
    let error = try importing.failure()
    #expect(error.message.contains("a track counts to the album that its own fields name"), "\(error.message)")
    #expect(try importing.rows() == before)
  }

  @Test("each format that can be written can be read again")
  func formats() {
    #expect(MusicStore.description.writable.map(\.name) == ["holdfast", "m3u8", "xspf"])
    #expect(MusicStore.description.readable.map(\.name) == ["music-json", "music-sqlite", "itunes-xml", "m3u", "xspf", "holdfast"])
  }

  @Test(
    "an empty text where a file should be is no file: the report says who is left out",
    arguments: ["library.json", "library.db", "Library.xml"])
  func emptyLocation(source: String) throws {
    let importing = try ImportWorld(source)
    switch source {
    case "library.json":
      _ = try importing.report(PlayerMusic.library([PlayerMusic.track(1, ["fileURL": "\"\""]), PlayerMusic.track(2)]))
    case "library.db":
      try importing.database([PlayerDatabase.raw, PlayerDatabase.track(1, ["file_url": "''"]), PlayerDatabase.track(2)])
      _ = try importing.report()
    default:
      let empty = ITunes.track(1).replacingOccurrences(of: "file:///Music/1.mp3", with: "")
      _ = try importing.report(ITunes.library([empty, ITunes.track(2)]))
    }
    try importing.withLibrary { library in
      let first = try #require(try library.store.read { try MusicStore.tracks(in: $0) }.first { $0.title.hasSuffix("1") })
      // What legacy mode must be able to write again is kept word for word.
      #expect(first.file.location == (source == "library.json" ? FileLocation(text: "") : nil))
      let left = [ExportReport.LeftOut(kind: "tracks", id: IDCodec.lowercase(first.id), reason: "it has no file")]
      let file = folder.file("all.m3u8")
      #expect(try library.exportM3U(to: file).leftOut == left)
      // The list, the album, the title and the file.
      let count = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
      #expect(count == (source == "Library.xml" ? 3 : 4))
      #expect(try library.exportXSPF(to: folder.file("all.xspf")).leftOut == left)
    }
  }

  @Test(
    "a path that would not come back as it is, is written as a URL in M3U",
    arguments: ["file:///m/a%2Fb.mp3", "file:///m/a%2fb.mp3", "file:///C:/a%5Cb.mp3"])
  func escapedSlashes(url: String) async throws {
    let importing = try ImportWorld("all.m3u8")
    let own = try World.temporary()
    try await own.library.saveTracks([
      LibraryTrack(id: ids[0], title: "t", file: TrackFile(location: FileLocation(text: url)), addedAt: own.clock.now)
    ])
    _ = try own.library.exportM3U(to: importing.source)
    _ = try importing.report()
    #expect(try importing.tracks().map { $0.file.location?.text } == [url])
  }
}
