import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Observation", .timeLimit(.minutes(10))) struct Observation {
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
}
