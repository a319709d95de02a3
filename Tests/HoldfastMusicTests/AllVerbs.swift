import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting

/// Every verb of the library once, on the same small library, for the checks that must leave none out.
typealias VerbCase = LibraryVerb<MusicStore, Known>
typealias Live = LibraryUpdates<MusicStore, Known>

/// What the library holds before a verb.
struct Known: Sendable {
  /// On an album of the artist with a picture; the second is rated and was played; on a sampler; and one of which nothing is known.
  var tracks: [LibraryTrack]
  /// At the top, with the first, the second and the first track.
  var list: MusicPlaylist
  /// Below it a folder.
  var folder: MusicPlaylist
  /// In the folder, with the third track.
  var inner: MusicPlaylist
  var entries: [PlaylistTrack]
  var picture: Data
  var first: UUID { tracks[0].id }
  var last: UUID { tracks[3].id }
  var playlists: [MusicPlaylist] { [list, folder, inner] }
}

extension VerbCase {
  static func prepare(_ world: World) async throws -> Known {
    var random = SeededGenerator(seed: 70)
    let picture = Data("picture".utf8)
    let artwork = try await world.library.saveArtwork(picture)
    var tracks = [
      Sample.track("One", artist: "Artist", album: "Album", &random), Sample.track("Two", artist: "Artist", album: "Album", &random),
      Sample.track("Three", artist: "Artist", album: "Sampler", &random), Sample.track("Four", &random),
    ]
    tracks[0].artworkHash = artwork.hash
    (tracks[1].rating, tracks[1].playCount) = (80, 2)
    tracks[2].isCompilation = true
    try await world.library.saveTracks(tracks)
    try await world.library.recordPlay(of: tracks[1].id)
    (tracks[1].playCount, tracks[1].lastPlayedAt) = (3, world.clock.now)
    let list = MusicPlaylist(id: random.id(), name: "List", trackIDs: [tracks[0].id, tracks[1].id, tracks[0].id])
    let folder = MusicPlaylist(id: random.id(), name: "Folder", isFolder: true)
    let inner = MusicPlaylist(id: random.id(), name: "Inner", parentID: folder.id, trackIDs: [tracks[2].id])
    try await world.library.savePlaylists([list, folder, inner])
    world.clock.advance()
    return Known(
      tracks: tracks, list: list, folder: folder, inner: inner, entries: try await world.library.entries(of: list.id).items,
      picture: picture)
  }

  static var writes: [VerbCase] {
    [
      VerbCase(name: "save a new track", changes: ["tracks"]) { library, _ in
        var random = SeededGenerator(seed: 71)
        try await library.saveTracks([Sample.track("New", &random)])
      },
      VerbCase(name: "save what is there") { library, known in try await library.saveTracks(known.tracks, replacingAll: true) },
      VerbCase(name: "save another title", changes: ["tracks"]) { library, known in
        var track = known.tracks[0]
        track.title = "Title"
        try await library.saveTracks([track])
      },
      VerbCase(name: "save fewer tracks", changes: ["tracks", "collection_tracks"]) { library, known in
        try await library.saveTracks(Array(known.tracks.dropFirst()), replacingAll: true)
      },
      VerbCase(name: "delete tracks", changes: ["tracks", "collection_tracks"]) { library, known in
        try await library.deleteTracks([known.first])
      },
      VerbCase(name: "record a play", changes: ["plays", "tracks"]) { library, known in try await library.recordPlay(of: known.first) },
      VerbCase(name: "rate", changes: ["tracks"]) { library, known in try await library.rate(60, track: known.first) },
      VerbCase(name: "save a new playlist", changes: ["collections", "collection_tracks"]) { library, known in
        try await library.savePlaylists([MusicPlaylist(id: UUID(), name: "New", trackIDs: [known.first])])
      },
      VerbCase(name: "save the playlists that are there") { library, known in
        try await library.savePlaylists(known.playlists, replacingAll: true)
      },
      VerbCase(name: "save another name", changes: ["collections"]) { library, known in
        var list = known.list
        list.name = "Name"
        try await library.savePlaylists([list])
      },
      VerbCase(name: "save another order", changes: ["collection_tracks"]) { library, known in
        var list = known.list
        list.trackIDs.swapAt(1, 2)
        try await library.savePlaylists([list])
      },
      VerbCase(name: "save fewer playlists", changes: ["collections", "collection_tracks"]) { library, known in
        try await library.savePlaylists([known.folder, known.inner], replacingAll: true)
      },
      VerbCase(name: "save a folder as a playlist", changes: ["collections"]) { library, known in
        try await library.savePlaylists([MusicPlaylist(id: known.folder.id, name: "Folder")])
      },
      VerbCase(name: "create a playlist", changes: ["collections"]) { library, known in
        _ = try await library.createPlaylist(named: "New", in: known.folder.id)
      },
      VerbCase(name: "create a folder", changes: ["collections"]) { library, _ in _ = try await library.createFolder(named: "New") },
      VerbCase(name: "rename a playlist", changes: ["collections"]) { library, known in
        try await library.renamePlaylist(known.list.id, to: "Name")
      },
      VerbCase(name: "delete a playlist", changes: ["collections", "collection_tracks"]) { library, known in
        try await library.deletePlaylist(known.list.id)
      },
      VerbCase(name: "delete a folder", changes: ["collections"]) { library, known in try await library.deletePlaylist(known.folder.id) },
      VerbCase(name: "move a playlist", changes: ["collections"]) { library, known in
        try await library.movePlaylist(known.folder.id, before: known.list.id)
      },
      VerbCase(name: "move a playlist into a folder", changes: ["collections"]) { library, known in
        try await library.movePlaylist(known.list.id, toFolder: known.folder.id)
      },
      VerbCase(name: "add tracks", changes: ["collection_tracks"]) { library, known in
        try await library.addTracks([known.last, known.first], to: known.list.id)
      },
      VerbCase(name: "add tracks before an entry", changes: ["collection_tracks"]) { library, known in
        try await library.addTracks([known.last], to: known.list.id, before: known.entries[1].id)
      },
      VerbCase(name: "remove entries", changes: ["collection_tracks"]) { library, known in
        try await library.removeEntries([known.entries[0].id])
      },
      VerbCase(name: "move an entry", changes: ["collection_tracks"]) { library, known in
        try await library.moveEntry(known.entries[2].id, before: known.entries[0].id)
      },
      VerbCase(name: "save artwork", changes: ["artwork"]) { library, _ in try await library.saveArtwork(Data("other".utf8)) },
      VerbCase(name: "remove unused artwork", changes: ["artwork", "tracks"]) { library, known in
        var track = known.tracks[0]
        track.artworkHash = nil
        try await library.saveTracks([track])
        try await library.removeUnusedArtwork()
      },
      VerbCase(name: "change nothing") { library, known in
        try await library.deleteTracks([UUID()])
        try await library.rate(80, track: known.tracks[1].id)
        try await library.renamePlaylist(UUID(), to: "Name")
        try await library.deletePlaylist(UUID())
        try await library.movePlaylist(known.inner.id, before: nil)
        try await library.movePlaylist(known.inner.id, toFolder: known.folder.id)
        try await library.addTracks([], to: known.list.id)
        try await library.removeEntries([UUID()])
        try await library.moveEntry(known.entries[0].id, before: known.entries[1].id)
        try await library.saveArtwork(known.picture)
      },
    ]
  }

  static var lists: [(name: String, list: TrackList)] {
    [
      ("by title", .byTitle), ("by artist", .byArtist), ("by album", .byAlbum), ("recently added", .recentlyAdded),
      ("most played", .mostPlayed), ("rated", .rated(atLeast: 0)),
      ("of an album", .ofAlbum(MusicAlbum.ID(name: "Album", artist: "Artist"))),
      ("of an artist", .ofArtist("Artist")),
    ]
  }

  static var updates: [Live] { liveTracks + liveOthers }

  /// One list of each form; the others differ in their order alone, and come in a long run.
  private static var liveTracks: [Live] {
    lists.filter { ProofRun.isLong || ["by title", "most played", "rated", "of an album", "of an artist"].contains($0.name) }.map {
      name, list in
      Live(
        name: "tracks \(name)", { library, _ in library.trackUpdates(list) },
        reading: { library, _ in try await library.tracks(list).items })
    }
  }

  private static var liveOthers: [Live] {
    [
      Live(name: "all tracks", { library, _ in library.trackUpdates() }, reading: { library, _ in try await library.tracks() }),
      Live(
        name: "a track", { library, known in library.trackUpdates(known.first) },
        reading: { library, known in try await library.track(known.first) }),
      Live(name: "a search", { library, _ in library.searchUpdates("one") }, reading: { library, _ in try await library.search("one") }),
      Live(name: "all playlists", { library, _ in library.playlistUpdates() }, reading: { library, _ in try await library.playlists() }),
      Live(
        name: "a playlist", { library, known in library.playlistUpdates(known.list.id) },
        reading: { library, known in try await library.playlist(known.list.id) }),
      Live(
        name: "playlists in no folder", { library, _ in library.playlistUpdates(in: nil) },
        reading: { library, _ in try await library.playlists(in: nil).items }),
      Live(
        name: "entries", { library, known in library.entryUpdates(of: known.list.id) },
        reading: { library, known in try await library.entries(of: known.list.id).items }),
      Live(name: "statistics", { library, _ in library.statisticsUpdates() }, reading: { library, _ in try await library.statistics() }),
      Live(name: "albums", { library, _ in library.albumUpdates() }, reading: { library, _ in try await library.albums().items }),
      Live(
        name: "albums of an artist", { library, _ in library.albumUpdates(of: "Artist") },
        reading: { library, _ in try await library.albums(of: "Artist").items }),
      Live(name: "artists", { library, _ in library.artistUpdates() }, reading: { library, _ in try await library.artists().items }),
    ]
  }

  static var reads: [VerbCase] {
    lists.map { name, list in
      VerbCase(name: "list tracks \(name)") { library, _ in
        let page = try await library.tracks(list, limit: 1)
        if let next = page.next { _ = try await library.tracks(list, after: next) }
        // The list's later parts, too.
        _ = try await library.tracks(list)
      }
    } + [
      VerbCase(name: "load all tracks") { library, _ in _ = try await library.tracks() },
      VerbCase(name: "load a track") { library, known in _ = try await library.track(known.first) },
      VerbCase(name: "load all playlists") { library, _ in _ = try await library.playlists() },
      VerbCase(name: "load a playlist") { library, known in _ = try await library.playlist(known.list.id) },
      VerbCase(name: "list playlists") { library, known in
        _ = try await library.playlists(in: known.folder.id)
        _ = try await library.playlists(in: nil, after: library.playlists(in: nil, limit: 1).next)
      },
      VerbCase(name: "list entries") { library, known in
        _ = try await library.entries(of: known.list.id, after: library.entries(of: known.list.id, limit: 1).next)
      },
      VerbCase(name: "list albums") { library, _ in _ = try await library.albums(after: library.albums(limit: 1).next) },
      VerbCase(name: "list albums of an artist") { library, _ in
        _ = try await library.albums(of: "Artist", after: library.albums(of: "Artist", limit: 1).next)
      },
      VerbCase(name: "list artists") { library, _ in _ = try await library.artists(after: library.artists(limit: 1).next) },
      VerbCase(name: "search") { library, _ in
        _ = try await library.search("one")
        _ = try await library.search("one", ranked: true)
        _ = try await library.search("artist", after: library.search("artist", after: nil, limit: 1).next, limit: 1)
      },
      VerbCase(name: "count") { library, _ in _ = try await library.counts() },
      VerbCase(name: "statistics") { library, _ in _ = try await library.statistics() },
      VerbCase(name: "load artwork") { library, known in _ = try await library.artwork(MusicArtwork(known.picture).hash) },
    ]
  }
}
