import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Many tasks", .timeLimit(.minutes(5))) struct ManyTasks {
  private static let duration: Duration = .seconds(ProofRun.isLong ? 10 : 1)

  @Test("64 tasks that play, change playlists, read and observe lose no write and keep every invariant")
  func together() async throws {
    let world = try World.temporary()
    let library = world.library
    var random = SeededGenerator(seed: 150)
    let tracks = (0..<64).map { Sample.track("Track \($0)", artist: "Artist \($0 % 5)", album: "Album", &random) }
    try await library.saveTracks(tracks)
    let list = try await library.createPlaylist(named: "List")
    let end = ContinuousClock.now + Self.duration
    let observers = (0..<8).map { _ in Task { try await observe(library) } }
    // By writer, how often it played its track.
    let plays = try await withThrowingTaskGroup(of: (Int, Int)?.self) { group in
      for number in 8..<64 {
        group.addTask {
          if number % 8 < 6 { return (number, try await write(library, list.id, tracks[number].id, until: end)) }
          try await read(library, list.id, until: end)
          return nil
        }
      }
      return try await group.reduce(into: [Int: Int]()) { plays, written in
        if let (number, count) = written { plays[number] = count }
      }
    }
    defer { for observer in observers { observer.cancel() } }
    #expect(plays.count == 42)
    let loaded = try await library.tracks()
    #expect(loaded.map(\.playCount) == (0..<64).map { plays[$0] ?? 0 })
    let entries = try #require(try await library.playlist(list.id)).trackIDs
    #expect(entries.sorted { $0.uuidString < $1.uuidString } == plays.keys.map { tracks[$0].id }.sorted { $0.uuidString < $1.uuidString })
    #expect(try world.isHealthy())
    // Tells at once what the observers would wait for without end.
    let watches = try TableWatches(world.store, ["tracks"])
    try await library.deleteTracks([tracks[0].id])
    try #require(watches.woken == ["tracks"])
    for observer in observers { try await observer.value }
  }

  private func write(_ library: MusicStore, _ list: UUID, _ track: UUID, until end: ContinuousClock.Instant) async throws -> Int {
    let entry = try #require(try await library.addTracks([track], to: list).first)
    var plays = 0
    repeat {
      plays += 1
      try await library.recordPlay(of: track)
      try await library.rate(plays % 101, track: track)
      try await library.moveEntry(entry.id, before: nil)
      let second = try await library.addTracks([track], to: list, before: entry.id)
      try await library.removeEntries(second.map(\.id))
    } while ContinuousClock.now < end
    return plays
  }

  private func read(_ library: MusicStore, _ list: UUID, until end: ContinuousClock.Instant) async throws {
    repeat {
      let albums = try await library.albums().items
      #expect(albums.map(\.tracks).reduce(0, +) == 64)
      _ = try await library.entries(of: list)
      _ = try await library.tracks(.mostPlayed)
      _ = try await library.search("track")
    } while ContinuousClock.now < end
  }

  /// Ends when a track is gone.
  private func observe(_ library: MusicStore) async throws {
    for try await artists in library.artistUpdates() {
      let tracks = artists.map(\.tracks).reduce(0, +)
      if tracks == 63 { return }
      #expect(tracks == 64)
    }
  }
}
