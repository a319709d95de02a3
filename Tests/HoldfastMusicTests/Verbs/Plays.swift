import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Plays and ratings") struct Plays {
  @Test("a play is one row: the count goes up, and the last time is the latest of all")
  func play() throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let now = world.clock.now
    #expect(try world.store.rowsChanged { try MusicStore.recordPlay(of: known.first, in: $0) } == 1)
    try world.library.recordPlay(of: known.first, at: now.addingTimeInterval(-3600))
    var expected = known.tracks[0]
    (expected.playCount, expected.lastPlayedAt) = (2, now)
    #expect(try world.library.track(known.first) == expected)
    try world.library.recordPlay(of: known.first, at: now.addingTimeInterval(0.0014))
    (expected.playCount, expected.lastPlayedAt) = (3, DateCodec.rounded(now.addingTimeInterval(0.001)))
    #expect(try world.library.track(known.first) == expected)
    #expect(try world.library.tracks(.mostPlayed).items.map(\.playCount) == [3, 3])
  }

  @Test("the largest count that there is stays, and the play is noted all the same")
  func largestCount() throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 1)
    var track = Sample.track("Worn", &random)
    track.playCount = .max
    try world.library.saveTracks([track])
    try world.library.recordPlay(of: track.id)
    track.lastPlayedAt = world.clock.now
    #expect(try world.library.track(track.id) == track)
  }

  @Test("a rating is one row, none when it is that already, and nil takes it away")
  func rate() throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    for (rating, rows) in [(0, 1), (0, 0), (100, 1), (nil, 1), (nil, 0)] as [(Int?, Int)] {
      #expect(try world.store.rowsChanged { try MusicStore.rate(rating, track: known.first, in: $0) } == rows)
      #expect(try world.library.track(known.first)?.rating == rating)
    }
  }

  @Test("what is not there is said to be missing, what no rating and no date is is refused, and nothing changes")
  func refused() throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    #expect(code { try world.library.recordPlay(of: UUID()) } == .notFound)
    #expect(code { try world.library.rate(1, track: UUID()) } == .notFound)
    #expect(code { try world.library.rate(nil, track: UUID()) } == .notFound)
    for rating in [-1, 101, .max, .min] { #expect(code { try world.library.rate(rating, track: known.first) } == .invalidValue) }
    #expect(code { try world.library.recordPlay(of: known.first, at: .distantFuture.addingTimeInterval(1e15)) } == .invalidValue)
    #expect(try world.library.tracks() == known.tracks)
  }
}
