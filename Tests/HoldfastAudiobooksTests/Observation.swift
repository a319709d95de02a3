import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Observation", .timeLimit(.minutes(10))) struct Observation {
  @Test(
    "every verb that writes gives the observers of the whole library its new state",
    arguments: VerbCase.writes.filter { !$0.changes.isEmpty }.map(\.name))
  func delivers(verb name: String) async throws {
    let verb = try #require(VerbCase.writes.first { $0.name == name })
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    try await UpdatesCheck.follow(world.library.collectionUpdates()) {
      try world.library.collections()
    } after: {
      try verb.run(world.library, known)
    }
  }

  @Test("each kind of updates begins with what is there and goes on with what a verb makes of it")
  func eachKind() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let library = world.library
    try await UpdatesCheck.follow(library.collectionUpdates(known.book.id)) {
      try library.collection(known.book.id)
    } after: {
      try library.renameCollection(known.book.id, to: "Renamed")
    }
    try await UpdatesCheck.follow(library.resumePointUpdates()) {
      try library.resumePoint()
    } after: {
      try library.savePlaybackState(PlaybackState(position: 50, updatedAt: world.clock.advance()), of: known.last)
    }
    try await UpdatesCheck.follow(library.resumePointUpdates(in: known.book.id)) {
      try library.resumePoint(in: known.book.id)
    } after: {
      try library.renameTrack(known.last, to: "Renamed")
    }
    try await UpdatesCheck.follow(library.favoriteUpdates()) {
      try library.favorites().items
    } after: {
      try library.toggleFavorite(track: known.last)
    }
    try await UpdatesCheck.follow(library.tagUpdates()) {
      try library.tags()
    } after: {
      try library.addTag("more", to: known.other.id)
    }
    try await UpdatesCheck.follow(library.statisticsUpdates()) {
      try library.statistics()
    } after: {
      try library.removeTracks([known.first])
    }
    try await UpdatesCheck.follow(library.collectionUpdates(known.book.id)) {
      try library.collection(known.book.id)
    } after: {
      try library.deleteCollection(known.book.id)
    }
  }

  @Test("a live value shows the newest")
  @MainActor func liveValue() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let live = LiveValue(world.library.tagUpdates())
    let before = [TagCount(tag: "tag", collections: 1), TagCount(tag: "two", collections: 1)]
    #expect(await eventually { live.value == before })
    let watches = try TableWatches(world.store, ["tags"])
    try await world.library.addTag("tag", to: known.other.id)
    try #require(watches.woken == ["tags"])
    #expect(await eventually { live.value == [TagCount(tag: "tag", collections: 2), before[1]] })
    #expect(live.error == nil)
  }
}
