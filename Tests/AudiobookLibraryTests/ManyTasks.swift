import AudiobookLibrary
import Foundation
import Holdfast
import Testing

@Suite("Many tasks", .timeLimit(.minutes(5))) struct ManyTasks {
  @Test("64 tasks that save, read and observe lose no write and keep every invariant")
  func together() async throws {
    let world = try World.temporary()
    let library = world.library
    let book = Sample.collection("Book", tracks: (0..<64).map { "Track \($0)" })
    try await library.save(book)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, track) in book.tracks.enumerated() {
        group.addTask {
          switch number % 8 {
          case 7: try await observe(library)
          case 5, 6: try await read(library, book.id)
          default: try await write(library, book.id, track.id, number)
          }
        }
      }
      try await group.waitForAll()
    }
    let loaded = try #require(try await library.collection(book.id))
    let writers = book.tracks.enumerated().filter { $0.offset % 8 < 5 }
    #expect(Set(loaded.tags) == Set(writers.map { "tag \($0.offset)" }))
    #expect(loaded.playbackStates == Dictionary(uniqueKeysWithValues: writers.map { ($0.element.id, state(9, $0.offset)) }))
    #expect(loaded.favorites.isEmpty, "each was toggled an even number of times")
    #expect(Set(loaded.tracks.map(\.id)) == Set(book.tracks.map(\.id)))
    #expect(try world.isHealthy())
  }

  private func write(_ library: AudiobookLibrary, _ book: UUID, _ track: UUID, _ number: Int) async throws {
    try await library.addTag("tag \(number)", to: book)
    for round in 0..<10 {
      try await library.savePlaybackState(state(round, number), of: track)
      try await library.toggleFavorite(track: track)
      try await library.moveTrack(track, before: nil)
    }
  }

  private func state(_ round: Int, _ number: Int) -> PlaybackState {
    PlaybackState(position: Double(round), updatedAt: Date(timeIntervalSince1970: Double(round * 100 + number)))
  }

  private func read(_ library: AudiobookLibrary, _ book: UUID) async throws {
    for _ in 0..<10 {
      let loaded = try #require(try await library.collection(book))
      // One view: all tracks are there, and the last played one has a state.
      #expect(loaded.tracks.count == 64)
      if let last = loaded.lastPlayedTrackID { #expect(loaded.playbackStates[last] != nil) }
      _ = try await library.statistics()
      _ = try await library.search("track")
    }
  }

  private func observe(_ library: AudiobookLibrary) async throws {
    var seen = 0
    for try await value in library.statisticsUpdates() {
      #expect(value.tracks == 64)
      seen += 1
      if seen == 1 { break }
    }
    #expect(seen == 1)
  }
}
