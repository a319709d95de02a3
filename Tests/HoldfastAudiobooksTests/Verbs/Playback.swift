import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Playback") struct Playback {
  @Test("progress is two rows, whatever the size of the collection, and says what was played last and when")
  func progress() async throws {
    let collection = Sample.collection("Book", tracks: (1...200).map { "Track \($0)" })
    let world = try await World.holding(collection)
    let id = collection.tracks[120].id
    for second in 1...3 {
      let state = PlaybackState(position: Double(second), duration: 600, updatedAt: world.clock.advance())
      #expect(try world.store.rowsChanged { try AudiobookLibrary.savePlaybackState(state, of: id, in: $0) } == 2)
      #expect(try await world.library.playbackState(of: id) == state)
      let loaded = try #require(try await world.library.collection(collection.id))
      #expect(loaded.lastPlayedTrackID == id)
      #expect(loaded.updatedAt == state.updatedAt)
    }
    let last = PlaybackState(position: 3, duration: 600, updatedAt: world.clock.now)
    #expect(try await world.library.playbackStates() == [id: last])
    #expect(try await world.library.resumePoint()?.state == last)
  }

  @Test("going back is recorded; the collection's own time never goes back")
  func goingBack() async throws {
    let collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let id = collection.tracks[0].id
    let late = world.clock.advance(milliseconds: 60_000)
    try await world.library.savePlaybackState(PlaybackState(position: 100, updatedAt: late), of: id)
    let early = PlaybackState(position: 5, updatedAt: late.addingTimeInterval(-30))
    try await world.library.savePlaybackState(early, of: id)
    #expect(try await world.library.playbackState(of: id) == early)
    #expect(try await world.library.collection(collection.id)?.updatedAt == late)
  }

  @Test("one resumes in the collection that was heard last, or in the one that is asked for")
  func resume() async throws {
    let world = try World.temporary()
    let books = (1...3).map { Sample.collection("Book \($0)", tracks: ["First", "Second"], seed: $0) }
    for book in books { try await world.library.save(book) }
    #expect(try await world.library.resumePoint() == nil)
    for (book, track) in [(0, 0), (1, 1), (0, 1)] {
      let state = PlaybackState(position: Double(book), updatedAt: world.clock.advance())
      try await world.library.savePlaybackState(state, of: books[book].tracks[track].id)
    }
    func words(_ point: ResumePoint?) -> [String]? { point.map { [$0.collectionTitle, $0.trackName, "\($0.state.position)"] } }
    #expect(try await words(world.library.resumePoint()) == ["Book 1", "Second", "0.0"])
    #expect(try await words(world.library.resumePoint(in: books[1].id)) == ["Book 2", "Second", "1.0"])
    #expect(try await world.library.resumePoint(in: books[2].id) == nil)
  }

  @Test("there is nothing to resume when the last played track was removed or its state cleared")
  func nothingToResume() async throws {
    let collection = Sample.collection("Book", tracks: ["One", "Two"])
    let world = try await World.holding(collection)
    for track in collection.tracks {
      try await world.library.savePlaybackState(PlaybackState(position: 1, updatedAt: world.clock.advance()), of: track.id)
    }
    #expect(try await world.library.clearPlaybackState(of: collection.tracks[1].id))
    #expect(try await world.library.clearPlaybackState(of: collection.tracks[1].id) == false)
    #expect(try await world.library.playbackState(of: collection.tracks[1].id) == nil)
    #expect(try await world.library.resumePoint() == nil)
    try await world.library.savePlaybackState(PlaybackState(position: 1, updatedAt: world.clock.advance()), of: collection.tracks[0].id)
    try await world.library.removeTracks([collection.tracks[0].id])
    #expect(try await world.library.resumePoint() == nil)
  }

  @Test("a verb of a library is counted under its own name, with the errors that it throws")
  func counted() async throws {
    let collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let state = PlaybackState(position: 1, updatedAt: world.clock.advance())
    try await world.library.savePlaybackState(state, of: collection.tracks[0].id)
    let error = await #expect(throws: StoreError.self) { try await world.library.savePlaybackState(state, of: UUID()) }
    #expect(error?.verb == "savePlaybackState(_:of:)")
    let verb = world.store.metrics().verbs["savePlaybackState(_:of:)"]
    #expect(verb?.writes == 2 && verb?.rowsWritten == 2 && verb?.errors == ["not_found": 1])
  }

  @Test("a track that is not there and a position that is no number are refused, and nothing changes")
  func refused() async throws {
    let collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let id = collection.tracks[0].id
    let attempts: [(PlaybackState, UUID, StoreError.Code)] = [
      (PlaybackState(position: 1, updatedAt: world.clock.now), UUID(), .notFound),
      (PlaybackState(position: .nan, updatedAt: world.clock.now), id, .invalidValue),
      (PlaybackState(position: .infinity, updatedAt: world.clock.now), id, .invalidValue),
      (PlaybackState(position: 1, duration: -.infinity, updatedAt: world.clock.now), id, .invalidValue),
      (PlaybackState(position: 1, updatedAt: Date(timeIntervalSince1970: .infinity)), id, .invalidValue),
      (PlaybackState(position: 1, updatedAt: .distantPast.addingTimeInterval(-1e12)), id, .invalidValue),
    ]
    for (state, track, code) in attempts {
      #expect(await asyncCode { try await world.library.savePlaybackState(state, of: track) } == code)
    }
    #expect(try await world.library.collections() == [collection])
  }
}
