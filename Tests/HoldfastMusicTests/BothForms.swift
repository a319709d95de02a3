import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("From a task") struct BothForms {
  @Test("every verb does the same from a task")
  func verbs() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let library = world.library
    let id = known.first

    try await library.recordPlay(of: id)
    try await library.recordPlay(of: id, at: world.clock.now.addingTimeInterval(5))
    try await library.rate(60, track: id)
    var first = try #require(try await library.track(id))
    #expect([first.playCount, first.rating] == [2, 60])
    #expect(first.lastPlayedAt == world.clock.now.addingTimeInterval(5))
    first.title = "Eins"
    try await library.saveTracks([first])
    #expect(try await library.tracks() == [first] + known.tracks.dropFirst())
    for (name, list) in VerbCase.lists {
      let page = try await library.tracks(list, limit: 1)
      let whole = try await world.store.read { try MusicStore.tracks(list, in: $0) }.items
      var rest: [LibraryTrack] = []
      if let next = page.next { rest = try await library.tracks(list, after: next).items }
      #expect(page.items + rest == whole, "\(name)")
    }
    #expect(try await library.albums().items.map(\.name) == ["Album", "Sampler", "Unknown Album"])
    #expect(try await library.albums(of: "Artist").items.map(\.name) == ["Album"])
    #expect(try await library.artists().items.map(\.name) == ["Artist", "Unknown Artist", "Various Artists"])
    #expect(try await library.search("eins") == [first])
    #expect(try await library.search("eins", after: nil, limit: 1).items == [first])
    #expect(try await library.counts() == MusicCounts(tracks: 4, albums: 3, artists: 3, playlists: 2, folders: 1))
    #expect(try await library.statistics().plays == 5)
    let artwork = try await library.saveArtwork(Data("other".utf8))
    #expect(try await library.artwork(artwork.hash) == artwork)
    #expect(try await library.removeUnusedArtwork() == 5)

    #expect(try await library.deleteTracks([known.tracks[2].id]) == 1)
    try await library.saveTracks([first, known.tracks[1]], replacingAll: true)
    #expect(try await library.tracks() == [first, known.tracks[1]])
  }

  @Test("every verb of playlists does the same from a task")
  func playlists() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let library = world.library
    let id = known.first

    let folder = try await library.createFolder(named: "New folder")
    let list = try await library.createPlaylist(named: "New", in: folder.id)
    let entries = try await library.addTracks([id, known.last], to: list.id)
    let before = try await library.addTracks([known.last], to: list.id, before: entries[0].id)
    try await library.moveEntry(entries[1].id, before: before[0].id)
    #expect(try await library.removeEntries([before[0].id]) == 1)
    #expect(try await library.entries(of: list.id).items.map(\.id) == [entries[1].id, entries[0].id])
    #expect(try await library.renamePlaylist(list.id, to: "Renamed"))
    try await library.movePlaylist(list.id, toFolder: nil)
    try await library.movePlaylist(list.id, before: known.list.id)
    let moved = MusicPlaylist(id: list.id, name: "Renamed", trackIDs: [known.last, id])
    #expect(try await library.playlist(list.id) == moved)
    #expect(try await library.playlists() == [moved] + known.playlists + [folder])
    #expect(try await library.playlists(in: nil).items.map(\.name) == ["Renamed", "List", "Folder", "New folder"])
    #expect(try await library.deletePlaylist(folder.id))
    #expect(try await library.savePlaylists([known.list], replacingAll: true) == [])
    #expect(try await library.playlists() == [known.list])
  }

  @Test("an app that knows only the two protocols loads and saves everything")
  func repositories() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let tracks: any TrackRepository = world.library
    let collections: any CollectionRepository = world.library
    #expect(try await tracks.loadTracks() == known.tracks)
    #expect(try await collections.loadCollections() == known.playlists)
    var changed = known.tracks[0]
    changed.title = "Title"
    try await tracks.saveTracks([changed])
    try await collections.saveCollections([known.list])
    #expect(try await tracks.loadTracks() == [changed] + known.tracks.dropFirst())
    #expect(try await collections.loadCollections() == known.playlists)
    try await tracks.saveTracks([changed], replacingAll: true)
    try await collections.saveCollections([known.list], replacingAll: true)
    #expect(try await tracks.loadTracks() == [changed])
    #expect(try await collections.loadCollections().map(\.trackIDs) == [[changed.id, changed.id]])
  }
}
