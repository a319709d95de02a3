import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Albums and artists") struct Albums {
  private struct Line {
    var title: String
    var artist = LibraryTrack.unknownArtist
    var album = LibraryTrack.unknownAlbum
    var albumArtist: String?
    var isCompilation = false
    var disc: Int?
    var number: Int?
  }

  /// With a picture for some, years, and two minutes each but for one.
  private static let lines: [Line] = [
    Line(title: "Airbag", artist: "Radiohead", album: "OK Computer", number: 1),
    Line(title: "Lucky", artist: "Radiohead", album: "OK Computer", number: 11),
    Line(title: "Teardrop", artist: "Massive Attack feat. Elizabeth Fraser", album: "Mezzanine", albumArtist: "Massive Attack", number: 3),
    Line(title: "Angel", artist: "Massive Attack", album: "Mezzanine", number: 1),
    Line(title: "Creep", artist: "Radiohead", album: "Hits of the 90s", isCompilation: true),
    Line(title: "Unfinished Sympathy", artist: "Massive Attack", album: "Hits of the 90s", albumArtist: "", isCompilation: true),
    Line(title: "One", artist: "Émile", album: "Greatest Hits"), Line(title: "Two", artist: "abba", album: "Greatest Hits"),
    Line(title: "No album", artist: "Radiohead"), Line(title: "nothing known"), Line(title: "Nothing at all"),
  ]

  private func world() async throws -> World {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 80)
    let pictures = try await ["a", "b"].asyncMap { try await world.library.saveArtwork(Data($0.utf8)).hash }.sorted()
    var tracks = Self.lines.map { line in
      var track = Sample.track(line.title, artist: line.artist, album: line.album, &random)
      (track.albumArtist, track.isCompilation, track.discNumber, track.trackNumber) =
        (line.albumArtist, line.isCompilation, line.disc, line.number)
      track.duration = 120
      return track
    }
    (tracks[0].year, tracks[1].year, tracks[1].duration) = (1997, 1998, nil)
    (tracks[0].artworkHash, tracks[1].artworkHash, tracks[4].artworkHash) = (pictures[1], pictures[0], pictures[0])
    try await world.library.saveTracks(tracks)
    return world
  }

  @Test("albums are told apart by name and album artist; compilations are of various artists, and nothing known is an album too")
  func albums() async throws {
    let world = try await world()
    #expect(
      try await picture(world.library.albums().items) == [
        "Greatest Hits – abba: 1, 120 s", "Greatest Hits – Émile: 1, 120 s", "Hits of the 90s – Various Artists: 2, 240 s, picture",
        "Mezzanine – Massive Attack: 2, 240 s", "OK Computer – Radiohead: 2, 120 s, 1998, picture",
        "Unknown Album – Radiohead: 1, 120 s", "Unknown Album – Unknown Artist: 2, 240 s",
      ])
    #expect(try await picture(world.library.albums(of: "Radiohead").items).map { $0.prefix(13) } == ["OK Computer –", "Unknown Album"])
    #expect(try await world.library.albums(of: "radiohead").items == [])
    #expect(try await world.library.albums(of: "Massive Attack feat. Elizabeth Fraser").items == [])
  }

  @Test("artists are those who have albums, with their albums' counts")
  func artists() async throws {
    let world = try await world()
    let found = try await world.library.artists().items
    #expect(
      found.map { "\($0.name): \($0.albums), \($0.tracks), \($0.totalSeconds)" } == [
        "abba: 1, 1, 120.0", "Émile: 1, 1, 120.0", "Massive Attack: 1, 2, 240.0", "Radiohead: 2, 3, 240.0", "Unknown Artist: 1, 2, 240.0",
        "Various Artists: 1, 2, 240.0",
      ])
    #expect(found.map { $0.artworkHash != nil } == [false, false, false, true, false, true])
    for artist in found {
      let albums = try await world.library.albums(of: artist.id).items
      #expect(albums.count == artist.albums && albums.map(\.tracks).reduce(0, +) == artist.tracks)
    }
  }

  @Test("an album's tracks come by disc, number and title: no disc is the first, no number comes last")
  func order() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 81)
    let places: [(String, disc: Int?, number: Int?)] = [
      ("e", 2, 1), ("hidden", nil, nil), ("a", nil, 1), ("b", 1, 2), ("f", 2, nil), ("Zero", 1, nil), ("d", 1, 10), ("c", nil, 3),
      ("before", -1, 5), ("far", .max, .max),
    ]
    try await world.library.saveTracks(
      places.map { title, disc, number in
        var track = Sample.track(title, artist: "Artist", album: "Album", &random)
        (track.discNumber, track.trackNumber) = (disc, number)
        return track
      })
    let expected = ["before", "a", "b", "c", "d", "hidden", "Zero", "e", "f", "far"]
    #expect(try await world.library.tracks(.ofAlbum(MusicAlbum.ID(name: "Album", artist: "Artist"))).items.map(\.title) == expected)
    #expect(try await world.library.tracks(.byAlbum).items.map(\.title) == expected)
  }

  @Test("an artist's tracks are those of his albums, then those that name him on albums of others")
  func ofArtist() async throws {
    let library = try await world().library
    func titles(_ name: String) async throws -> [String] { try await library.tracks(.ofArtist(name)).items.map(\.title) }
    #expect(try await titles("Radiohead") == ["Airbag", "Lucky", "No album", "Creep"])
    #expect(try await titles("Massive Attack") == ["Angel", "Teardrop", "Unfinished Sympathy"])
    #expect(try await titles("Massive Attack feat. Elizabeth Fraser") == ["Teardrop"])
    #expect(try await titles(LibraryTrack.variousArtists) == ["Creep", "Unfinished Sympathy"])
    #expect(try await titles(LibraryTrack.unknownArtist) == ["Nothing at all", "nothing known"])
    #expect(try await titles("Nobody") == [])
  }

  @Test("two spellings of one accent are one album and one artist, and every track keeps its own spelling")
  func spellings() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 83)
    let (composed, apart) = ("Beyonc\u{E9}", "Beyonce\u{301}")
    var tracks = [composed, apart, apart].map { Sample.track("Song", artist: $0, album: "\($0) live", &random) }
    tracks[2].albumArtist = composed
    try await world.library.saveTracks(tracks)
    #expect(try await world.library.albums().items.map { "\($0.name): \($0.tracks)" } == ["\(composed) live: 3"])
    #expect(try await world.library.artists().items.map { "\($0.name): \($0.albums), \($0.tracks)" } == ["\(composed): 1, 3"])
    for name in [composed, apart] {
      #expect(try await world.library.tracks(.ofArtist(name)).items.count == 3)
      #expect(try await world.library.tracks(.ofAlbum(MusicAlbum.ID(name: "\(name) live", artist: name))).items.count == 3)
      #expect(try await world.library.albums(of: name).items.count == 1)
    }
    #expect(try await world.library.tracks().map { Array($0.artist.utf8) } == tracks.map { Array($0.artist.utf8) })
  }

  @Test("every track is in exactly one album, and the album's tracks are those whose fields name it")
  func partition() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 82)
    try await world.library.saveTracks(Sample.tracks(300, &random))
    let all = try await world.library.tracks()
    let albums = try await world.library.albums(limit: 1000).items
    #expect(Set(albums.map(\.id)) == Set(all.map(\.albumID)))
    #expect(albums.map(\.tracks).reduce(0, +) == all.count)
    for album in albums {
      let tracks = try await world.library.tracks(.ofAlbum(album.id), limit: 1000).items
      #expect(Set(tracks.map(\.id)) == Set(all.filter { $0.albumID == album.id }.map(\.id)), "\(album.id)")
      #expect(tracks.count == album.tracks)
    }
  }

  private func picture(_ albums: [MusicAlbum]) -> [String] {
    albums.map { album in
      "\(album.name) – \(album.artist): \(album.tracks), \(Int(album.totalSeconds)) s" + (album.year.map { ", \($0)" } ?? "")
        + (album.artworkHash == nil ? "" : ", picture")
    }
  }

  @Test("the kinds of list that the library derives are those that the track's fields say")
  func groupArtist() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 3)
    var tracks = (0..<4).map { Sample.track("\($0)", artist: "Artist", &random) }
    tracks[1].albumArtist = "Owner"
    tracks[2].isCompilation = true
    (tracks[3].albumArtist, tracks[3].isCompilation) = ("", true)
    try await world.library.saveTracks(tracks)
    #expect(try world.store.rows("SELECT group_artist FROM tracks ORDER BY title") == tracks.map(\.groupArtist))
    #expect(tracks.map(\.groupArtist) == ["Artist", "Owner", "Various Artists", "Various Artists"])
  }
}
