import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Plays and the lists that do not show them", .timeLimit(.minutes(10)))
struct IgnoredPlays {
  let world: World
  let known: Known

  init() async throws {
    world = try World.temporary()
    known = try await VerbCase.prepare(world)
  }

  @Test("a play makes no list of albums or artists read again, and none that ignores plays; another change does")
  func ignored() async throws {
    let library = world.library
    try await hears(library.albumUpdates(), plays: false)
    try await hears(library.albumUpdates(of: "Artist"), plays: false)
    try await hears(library.artistUpdates(), plays: false)
    try await hears(library.trackUpdates(ignoringPlays: true), plays: false)
    try await hears(library.trackUpdates(.byTitle, ignoringPlays: true), plays: false)
    try await hears(library.entryUpdates(of: known.list.id, ignoringPlays: true), plays: false)
    try await hears(library.searchUpdates("one", ignoringPlays: true), plays: false)
  }

  @Test("a list that shows plays is read again, and so is the one that plays put in order")
  func shown() async throws {
    let library = world.library
    try await hears(library.trackUpdates(), plays: true)
    try await hears(library.trackUpdates(.byTitle), plays: true)
    try await hears(library.entryUpdates(of: known.list.id), plays: true)
    try await hears(library.searchUpdates("one"), plays: true)
    try await hears(library.trackUpdates(.mostPlayed, ignoringPlays: true), plays: true)
  }

  private func hears<Value>(_ updates: Updates<Value>, plays: Bool, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let played = try await FollowedUpdates(updates)
    try await world.library.recordPlay(of: known.first)
    #expect(played.hasHeard == plays, sourceLocation: sourceLocation)
    // Columns of both an album and a track.
    var track = try #require(try await world.library.track(known.first))
    track.year = (track.year ?? 2000) + 1
    let changed = try await FollowedUpdates(updates)
    try await world.library.saveTracks([track])
    #expect(changed.hasHeard, sourceLocation: sourceLocation)
  }
}
