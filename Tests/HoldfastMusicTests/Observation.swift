import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Observation", .timeLimit(.minutes(10))) struct Observation {
  @Test("every verb wakes the observers of the tables that it changes, and no others", arguments: VerbCase.writes.map(\.name))
  func wakes(verb name: String) throws {
    let verb = try #require(VerbCase.writes.first { $0.name == name })
    let world = try World.inMemory()
    let known = try VerbCase.prepare(world)
    let watches = try TableWatches(world.store, VerbCase.everything)
    try verb.run(world.library, known)
    #expect(watches.woken == verb.changes)
  }

  @Test("each list of tracks begins with what is there and goes on with what a verb makes of it", arguments: VerbCase.lists.map(\.name))
  func lists(name: String) async throws {
    let list = try #require(VerbCase.lists.first { $0.name == name }).list
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let library = world.library
    try await UpdatesCheck.follow(library.trackUpdates(list)) {
      try library.tracks(list).items
    } after: {
      try library.deleteTracks([known.tracks[1].id])
    }
  }

  @Test("each other kind of updates begins with what is there and goes on with what a verb makes of it")
  func eachKind() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let library = world.library
    try await UpdatesCheck.follow(library.trackUpdates()) {
      try library.tracks()
    } after: {
      try library.recordPlay(of: known.first)
    }
    try await UpdatesCheck.follow(library.trackUpdates(known.first)) {
      try library.track(known.first)
    } after: {
      try library.rate(20, track: known.first)
    }
    try await UpdatesCheck.follow(library.searchUpdates("two")) {
      try library.search("two")
    } after: {
      try library.rate(1, track: known.tracks[1].id)
    }
    try await UpdatesCheck.follow(library.playlistUpdates()) {
      try library.playlists()
    } after: {
      try library.addTracks([known.last], to: known.list.id)
    }
    try await UpdatesCheck.follow(library.playlistUpdates(known.list.id)) {
      try library.playlist(known.list.id)
    } after: {
      try library.moveEntry(known.entries[2].id, before: known.entries[0].id)
    }
    try await UpdatesCheck.follow(library.playlistUpdates(in: nil)) {
      try library.playlists(in: nil).items
    } after: {
      try library.movePlaylist(known.list.id, toFolder: known.folder.id)
    }
    try await UpdatesCheck.follow(library.entryUpdates(of: known.list.id)) {
      try library.entries(of: known.list.id).items
    } after: {
      try library.rate(40, track: known.first)
    }
    try await UpdatesCheck.follow(library.statisticsUpdates()) {
      try library.statistics()
    } after: {
      try library.recordPlay(of: known.first)
    }
    try await UpdatesCheck.follow(library.albumUpdates()) {
      try library.albums().items
    } after: {
      try library.deleteTracks([known.last])
    }
    try await UpdatesCheck.follow(library.albumUpdates(of: "Artist")) {
      try library.albums(of: "Artist").items
    } after: {
      try library.deleteTracks([known.first])
    }
    try await UpdatesCheck.follow(library.artistUpdates()) {
      try library.artists().items
    } after: {
      try library.saveTracks([], replacingAll: true)
    }
  }

  @Test("a change that is rolled back wakes nobody, not with a later commit either")
  func rollback() throws {
    let world = try World.inMemory()
    let known = try VerbCase.prepare(world)
    let watches = try TableWatches(world.store, VerbCase.everything)
    #expect(throws: StoreError.self) {
      try world.store.write { tx in
        try MusicStore.recordPlay(of: known.first, in: tx)
        throw StoreError(.cancelled, "the test changed its mind")
      }
    }
    try world.store.write { _ in }
    #expect(watches.woken == [])
    try world.library.recordPlay(of: known.first)
    #expect(watches.woken == ["tracks"])
  }
}
