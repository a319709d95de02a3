import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

/// What the saver does with what others wrote since the app loaded.
@Suite("LibrarySaver beside other writers") struct SaverOtherWriters {
  @Test("a play that a verb recorded survives, also when the app changed another field of the track")
  func fields() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b"], list: [0])
    let saver = try await world.saver(holding: state)
    var played = state.tracks
    for place in played.indices { (played[place].playCount, played[place].lastPlayedAt) = (1, world.world.clock.now) }
    try await world.library.saveTracks(played)
    state.tracks[0].title = "renamed"
    try await saver.store(state)
    played[0].title = "renamed"
    #expect(try await world.library.tracks() == played)
  }

  @Test("every field of a track and of a playlist is taken when it differs")
  func everyField() throws {
    var random = SeededGenerator(seed: 5)
    var old = Sample.track("a", &random)
    var new = Sample.full(&random)
    new.id = old.id
    #expect(old.taking(new, since: old) == new)
    #expect(new.taking(old, since: new) == old)
    old.title = "kept"
    #expect(old.taking(new, since: new) == old)
    let list = MusicPlaylist(id: old.id, name: "a")
    let other = MusicPlaylist(id: old.id, name: "b", parentID: new.id, isFolder: true, trackIDs: [old.id], persistentID: "0123456789ABCDEF")
    #expect(list.taking(other, since: list) == other)
    #expect(list.taking(other, since: other) == list)
  }

  @Test("tracks and playlists that the app does not know stay, and those that it removed go")
  func unknown() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b"], list: [0, 1])
    let saver = try await world.saver(holding: state)
    let others = SaverWorld.state(["c"], list: [0, 0], seed: 8)
    try await world.library.saveTracks(others.tracks)
    try await world.library.savePlaylists(others.playlists)
    state.tracks.removeLast()
    state.playlists = []
    try await saver.store(state)
    #expect(try await world.library.state() == LibraryState(tracks: [state.tracks[0]] + others.tracks, playlists: others.playlists))
  }

  @Test("without what was loaded, the first state replaces what is stored, and the later ones only what changed")
  func firstState() async throws {
    let world = try SaverWorld.inMemory()
    let others = SaverWorld.state(["c"], list: [0, 0], seed: 8)
    try await world.library.saveTracks(others.tracks)
    try await world.library.savePlaylists(others.playlists)
    let state = SaverWorld.state(["a"], list: [0])
    let saver = world.saver()
    try await saver.store(state)
    #expect(try await world.library.state() == state)
    try await world.library.saveTracks(others.tracks)
    try await saver.store(LibraryState(tracks: state.tracks))
    #expect(try await world.library.state() == LibraryState(tracks: state.tracks + others.tracks))
  }

  @Test("a track that somebody removed stays away, unless the app changed it")
  func removed() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b"], list: [0, 1])
    let saver = try await world.saver(holding: state)
    try await world.library.deleteTracks(state.tracks.map(\.id))
    state.tracks[1].title = "changed"
    try await saver.store(state)
    #expect(try await world.library.tracks() == [state.tracks[1]])
    state.playlists[0].name = "Changed"
    state.playlists[0].trackIDs.reverse()
    try await saver.store(state)
    #expect(try await world.library.playlists().map(\.trackIDs) == [[state.tracks[1].id]])
    let missing = MissingEntry(playlistID: state.playlists[0].id, trackID: state.tracks[0].id)
    #expect(await world.told.first(1) == ["missing \(missing)"])
  }

  @Test("a track that comes back comes back to its places in the playlists, beside what others put there; one that is gone is told")
  func returned() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b", "c", "d"], list: [1, 0, 2, 1])
    let saver = try await world.saver(holding: state)
    let ids = state.tracks.map(\.id)
    try await world.library.deleteTracks([ids[0], ids[1]])
    var list = state.playlists[0]
    list.trackIDs = [ids[3], ids[2], ids[3]]
    try await world.library.savePlaylists([list])
    state.tracks[1].title = "changed"
    try await saver.store(state)
    #expect(try await world.library.playlists().map(\.trackIDs) == [[ids[1], ids[3], ids[2], ids[1], ids[3]]])
    #expect(await world.told.first(1) == ["missing \(MissingEntry(playlistID: list.id, trackID: ids[0]))"])
    state.tracks[0].title = "changed, too"
    try await saver.store(state)
    #expect(try await world.library.playlists().map(\.trackIDs) == [[ids[1], ids[0], ids[3], ids[2], ids[1], ids[3]]])
    #expect(try world.world.isHealthy())
  }

  @Test("a playlist that the app renamed keeps the entries that somebody added; one that somebody removed stays away")
  func playlists() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b"], list: [0])
    state.playlists.append(MusicPlaylist(id: state.tracks[0].id, name: "Second", trackIDs: [state.tracks[0].id]))
    let saver = try await world.saver(holding: state)
    var stored = state.playlists
    stored.removeLast()
    stored[0].trackIDs.append(state.tracks[1].id)
    try await world.library.savePlaylists(stored, replacingAll: true)
    state.playlists[0].name = "Renamed"
    try await saver.store(state)
    stored[0].name = "Renamed"
    #expect(try await world.library.playlists() == stored)
    state.playlists[1].name = "Comes back"
    try await saver.store(state)
    #expect(try await world.library.playlists() == stored + [state.playlists[1]])
  }

  @Test("an order of playlists that the app did not change stays as it is stored, and one that it changed counts")
  func order() async throws {
    let world = try SaverWorld.inMemory()
    var random = SeededGenerator(seed: 9)
    let lists = ["a", "b", "c"].map { MusicPlaylist(id: random.id(), name: $0) }
    let saver = try await world.saver(holding: LibraryState(playlists: lists))
    let other = MusicPlaylist(id: random.id(), name: "other")
    try await world.library.savePlaylists([lists[2], other, lists[0], lists[1]], replacingAll: true)
    var changed = lists
    changed[0].name = "A"
    try await saver.store(LibraryState(playlists: changed))
    #expect(try await world.library.playlists().map(\.name) == ["c", "other", "A", "b"])
    try await saver.store(LibraryState(playlists: [changed[1], changed[0], changed[2]]))
    #expect(try await world.library.playlists().map(\.name) == ["b", "A", "c", "other"])
    try await saver.store(LibraryState(playlists: [changed[1], changed[0]]))
    #expect(try await world.library.playlists().map(\.name) == ["b", "A", "other"])
  }

  @Test("folders that the app and somebody else put into each other leave none inside itself")
  func folders() async throws {
    let world = try SaverWorld.inMemory()
    var random = SeededGenerator(seed: 10)
    var folders = ["a", "b"].map { MusicPlaylist(id: random.id(), name: $0, isFolder: true) }
    let saver = try await world.saver(holding: LibraryState(playlists: folders))
    var others = folders
    others[1].parentID = folders[0].id
    try await world.library.savePlaylists(others)
    folders[0].parentID = folders[1].id
    try await saver.store(LibraryState(playlists: folders))
    #expect(try await world.library.playlists().map(\.parentID) == [nil, folders[0].id])
    #expect(try world.world.isHealthy())
  }
}
