import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Plays and ratings") struct Plays {
  @Test("a play is a row, its track's count goes up, and the last time is the latest of all")
  func play() async throws {
    let (world, known) = try await World.prepared()
    let now = world.clock.now
    #expect(try world.store.rowsChanged { try MusicStore.recordPlay(of: known.first, in: $0) } == 3)
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

  /// The count of the first track, its count without rows, and its rows.
  private func counts(_ world: World, _ known: Known) throws -> [String] {
    try world.store.rows(
      "SELECT play_count, base_plays, (SELECT count(*) FROM plays WHERE track_id = tracks.id) FROM tracks WHERE id = \(known.first)",
      columns: 3)
  }

  @Test("a count that somebody saves stays, whatever plays there are, and later plays are added to it")
  func savedCount() async throws {
    let (world, known) = try await World.prepared()
    for _ in 0..<2 { try await world.library.recordPlay(of: known.first) }
    #expect(try counts(world, known) == ["2 0 2"])
    for (count, base) in [(10, 8), (0, -2)] {
      var track = try #require(try await world.library.track(known.first))
      track.playCount = count
      try await world.library.saveTracks([track])
      #expect(try counts(world, known) == ["\(count) \(base) 2"])
    }
    try await world.library.recordPlay(of: known.first)
    #expect(try counts(world, known) == ["1 -2 3"])
    #expect(try world.isHealthy())
  }

  @Test("an export has the plays as rows; where it comes in, the plays of both sides are counted once")
  func exported() async throws {
    let (world, known) = try await World.prepared()
    let folder = try TemporaryFolder()
    let copy = folder.file("copy.sqlite")
    // Of the second track two plays came from elsewhere, and one was recorded.
    for number in 1...2 {
      try await world.library.recordPlay(of: known.first)
      let export = folder.file("\(number).json")
      _ = try world.library.export(to: export)
      _ = try await MusicStore.importLibrary(from: export, into: copy, storeOptions: .testing)
      let other = try MusicStore.open(at: copy, options: .testing)
      #expect(try await other.store.integrityCheck().isHealthy)
      #expect(try await other.track(known.tracks[1].id)?.playCount == 3)
      // With the plays of before, and the one that the copy has recorded itself.
      #expect(try await other.track(known.first)?.playCount == [1, 3][number - 1])
      if number == 1 { try await other.recordPlay(of: known.first) }
      try other.store.close()
    }
  }

  @Test("a rating is one row, none when it is that already, and nil takes it away")
  func rate() async throws {
    let (world, known) = try await World.prepared()
    for (rating, rows) in [(0, 1), (0, 0), (100, 1), (nil, 1), (nil, 0)] as [(Int?, Int)] {
      #expect(try world.store.rowsChanged { try MusicStore.rate(rating, track: known.first, in: $0) } == rows)
      #expect(try await world.library.track(known.first)?.rating == rating)
    }
  }

  @Test("what is not there is said to be missing, what no rating and no date is is refused, and nothing changes")
  func refused() async throws {
    let (world, known) = try await World.prepared()
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
