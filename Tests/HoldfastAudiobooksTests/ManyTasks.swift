import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Many tasks", .timeLimit(.minutes(10))) struct ManyTasks {
  private static let duration: Duration = .milliseconds(ProofRun.isLong ? 10_000 : 300)

  @Test("64 tasks that save, read and observe lose no write and keep every invariant")
  func together() async throws {
    let world = try World.temporary()
    let library = world.library
    let book = Sample.collection("Book", tracks: (0..<64).map { "Track \($0)" })
    try await library.save(book)
    let end = ContinuousClock.now + Self.duration
    let observers = (0..<8).map { _ in Task { try await observe(library) } }
    // By writer, the last round that it saved.
    let rounds = try await withThrowingTaskGroup(of: (Int, Int)?.self) { group in
      for (number, track) in book.tracks.enumerated().dropFirst(8) {
        group.addTask {
          if number % 8 < 6 { return (number, try await write(library, book.id, track.id, number, until: end)) }
          try await read(library, book.id, until: end)
          return nil
        }
      }
      return try await group.reduce(into: [Int: Int]()) { rounds, written in
        if let (number, round) = written { rounds[number] = round }
      }
    }
    defer { for observer in observers { observer.cancel() } }
    #expect(rounds.count == 42)
    let loaded = try #require(try await library.collection(book.id))
    #expect(Set(loaded.tags) == Set(rounds.keys.map { "tag \($0)" }))
    let states = rounds.map { number, round in (book.tracks[number].id, state(round, number)) }
    #expect(loaded.playbackStates == Dictionary(uniqueKeysWithValues: states))
    #expect(loaded.favorites.isEmpty, "each was toggled an even number of times")
    #expect(Set(loaded.tracks.map(\.id)) == Set(book.tracks.map(\.id)))
    #expect(try world.isHealthy())
    // Tells at once what the observers would wait for without end.
    let watches = try TableWatches(world.store, ["tracks"])
    try await library.removeTracks([book.tracks[0].id])
    try #require(watches.woken == ["tracks"])
    for observer in observers { try await observer.value }
  }

  private func write(
    _ library: AudiobookLibrary, _ book: UUID, _ track: UUID, _ number: Int, until end: ContinuousClock.Instant
  ) async throws -> Int {
    try await library.addTag("tag \(number)", to: book)
    var round = -1
    repeat {
      round += 1
      try await library.savePlaybackState(state(round, number), of: track)
      try await library.toggleFavorite(track: track)
      try await library.moveTrack(track, before: nil)
      try await library.toggleFavorite(track: track)
    } while ContinuousClock.now < end
    return round
  }

  private func state(_ round: Int, _ number: Int) -> PlaybackState {
    PlaybackState(position: Double(round), updatedAt: Date(timeIntervalSince1970: Double(round * 100 + number)))
  }

  private func read(_ library: AudiobookLibrary, _ book: UUID, until end: ContinuousClock.Instant) async throws {
    repeat {
      let loaded = try #require(try await library.collection(book))
      // One view: all tracks are there, and the last played one has a state.
      #expect(loaded.tracks.count == 64)
      if let last = loaded.lastPlayedTrackID { #expect(loaded.playbackStates[last] != nil) }
      _ = try await library.statistics()
      _ = try await library.search("track")
    } while ContinuousClock.now < end
  }

  /// Ends when a track is gone.
  private func observe(_ library: AudiobookLibrary) async throws {
    for try await value in library.statisticsUpdates() {
      if value.tracks == 63 { return }
      #expect(value.tracks == 64)
    }
  }
}
