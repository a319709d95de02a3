import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastAudiobooks

@Suite("Statistics") struct Statistics {
  @Test("the numbers are those that a walk over all collections gives", arguments: [UInt64(20), 21])
  func model(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    var collections: [AudiobookCollection] = []
    for _ in 0..<25 {
      var collection = Sample.collection(&random, tracks: 0...4)
      for index in collection.tracks.indices {
        collection.tracks[index].duration = random.pick([nil, 100, 1500, 5000])
        collection.playbackStates[collection.tracks[index].id] = random.pick([
          nil,
          PlaybackState(
            position: random.pick([0, 97, 98, 1469, 1470, 4969, 4970, 9000]), duration: random.pick([nil, 100]), updatedAt: random.date()),
        ])
      }
      collections.append(collection)
      try await world.library.save(collection)
    }
    let numbers = try await world.library.statistics()
    let expected = walk(collections)
    #expect(numbers == expected, "seed \(seed)")
    #expect(numbers.finishedTracks > 0 && numbers.tracksInProgress > 0 && numbers.collectionsInProgress > 0)
  }

  @Test("an empty library has zeros")
  func empty() async throws {
    let world = try World.temporary()
    #expect(try await world.library.statistics() == walk([]))
    #expect(try await world.library.mostHeard() == [])
  }

  @Test(
    "a track is finished within its last 30 seconds, or its last 2 % when it is shorter than 25 minutes",
    arguments: [(3600.0, 3569.9, 0), (3600, 3570, 1), (1500, 1469.9, 0), (1500, 1470, 1), (100, 97.9, 0), (100, 98, 1), (0, 0, 0)])
  func finished(length: Double, position: Double, finished: Int) async throws {
    let world = try World.inMemory()
    var collection = Sample.collection("Book", tracks: ["One"])
    collection.tracks[0].duration = length
    collection.playbackStates[collection.tracks[0].id] = PlaybackState(position: position, updatedAt: world.clock.now)
    try await world.library.save(collection)
    let numbers = try await world.library.statistics()
    let begun = 1 - finished
    #expect(
      numbers
        == LibraryStatistics(
          collections: 1, tracks: 1, totalSeconds: length, listenedSeconds: position, finishedTracks: finished, tracksInProgress: begun,
          finishedCollections: finished, collectionsInProgress: begun))
  }

  @Test("the collections heard longest come first, and those not heard do not come", arguments: [UInt64(22), 23])
  func mostHeard(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    var expected: [HeardCollection] = []
    for _ in 0..<30 {
      var collection = Sample.collection(&random, tracks: 0...4)
      collection.playbackStates = [:]
      var heard = HeardCollection(
        id: collection.id, title: collection.title, author: collection.author, listenedSeconds: 0, totalSeconds: 0)
      for track in collection.tracks {
        heard.totalSeconds += track.duration ?? 0
        let position: Double? = random.pick([nil, 0, 10, 20, 1000])
        guard let position else { continue }
        heard.listenedSeconds += position
        collection.playbackStates[track.id] = PlaybackState(position: position, updatedAt: random.date())
      }
      if heard.listenedSeconds > 0 { expected.append(heard) }
      try await world.library.save(collection)
    }
    expected.sort { left, right in
      if left.listenedSeconds != right.listenedSeconds { return left.listenedSeconds > right.listenedSeconds }
      return IDCodec.lowercase(left.id) < IDCodec.lowercase(right.id)
    }
    #expect(expected.count > 10 && expected.count < 30, "seed \(seed)")
    #expect(try await world.library.mostHeard(limit: 100) == expected, "seed \(seed)")
    #expect(try await world.library.mostHeard() == Array(expected.prefix(10)), "seed \(seed)")
    #expect(try await world.library.mostHeard(limit: -1) == Array(expected.prefix(1)), "seed \(seed)")
  }

  private func walk(_ collections: [AudiobookCollection]) -> LibraryStatistics {
    var numbers = LibraryStatistics(collections: collections.count)
    for collection in collections {
      var finished = 0
      for track in collection.tracks {
        numbers.totalSeconds += track.duration ?? 0
        guard let state = collection.playbackStates[track.id] else { continue }
        numbers.listenedSeconds += state.position
        let length = state.duration ?? track.duration ?? 0
        if length > 0, state.position >= length - min(30, 0.02 * length) { finished += 1 }
      }
      numbers.tracks += collection.tracks.count
      numbers.finishedTracks += finished
      numbers.tracksInProgress += collection.playbackStates.count - finished
      if finished == collection.tracks.count, finished > 0 { numbers.finishedCollections += 1 }
      if !collection.playbackStates.isEmpty, finished < collection.tracks.count { numbers.collectionsInProgress += 1 }
      numbers.favorites += collection.favorites.count
    }
    return numbers
  }
}
