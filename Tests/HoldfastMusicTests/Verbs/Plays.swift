import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Plays and ratings") struct Plays {
  @Test("a play is one row: the count goes up, and the last time is the latest of all")
  func play() async throws {
    let world = try World.temporary()
    let known = try await VerbCase.prepare(world)
    let now = world.clock.now
    #expect(try world.store.rowsChanged { try MusicStore.recordPlay(of: known.first, in: $0) } == 1)
    try await world.library.recordPlay(of: known.first, at: now.addingTimeInterval(-3600))
    var expected = known.tracks[0]
    (expected.playCount, expected.lastPlayedAt) = (2, now)
    #expect(try await world.library.track(known.first) == expected)
    try await world.library.recordPlay(of: known.first, at: now.addingTimeInterval(0.0014))
    (expected.playCount, expected.lastPlayedAt) = (3, DateCodec.rounded(now.addingTimeInterval(0.001)))
    #expect(try await world.library.track(known.first) == expected)
    #expect(try await world.library.tracks(.mostPlayed).items.map(\.playCount) == [3, 3])
  }

  @Test("the largest count that there is stays, and the play is noted all the same")
  func largestCount() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 1)
    var track = Sample.track("Worn", &random)
    track.playCount = .max
    try await world.library.saveTracks([track])
    try await world.library.recordPlay(of: track.id)
    track.lastPlayedAt = world.clock.now
    #expect(try await world.library.track(track.id) == track)
  }

  @Test("a rating is one row, none when it is that already, and nil takes it away")
  func rate() async throws {
    let world = try World.temporary()
    let known = try await VerbCase.prepare(world)
    for (rating, rows) in [(0, 1), (0, 0), (100, 1), (nil, 1), (nil, 0)] as [(Int?, Int)] {
      #expect(try world.store.rowsChanged { try MusicStore.rate(rating, track: known.first, in: $0) } == rows)
      #expect(try await world.library.track(known.first)?.rating == rating)
    }
  }

  @Test("what is not there is said to be missing, what no rating and no date is is refused, and nothing changes")
  func refused() async throws {
    let world = try World.temporary()
    let known = try await VerbCase.prepare(world)
    #expect(await asyncCode { try await world.library.recordPlay(of: UUID()) } == .notFound)
    #expect(await asyncCode { try await world.library.rate(1, track: UUID()) } == .notFound)
    #expect(await asyncCode { try await world.library.rate(nil, track: UUID()) } == .notFound)
    for rating in [-1, 101, .max, .min] {
      #expect(await asyncCode { try await world.library.rate(rating, track: known.first) } == .invalidValue)
    }
    #expect(
      await asyncCode { try await world.library.recordPlay(of: known.first, at: .distantFuture.addingTimeInterval(1e15)) } == .invalidValue)
    #expect(try await world.library.tracks() == known.tracks)
  }
}
