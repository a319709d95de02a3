import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Tracks") struct Tracks {
  @Test("every move in every list of up to five tracks gives the order that an array gives")
  func everyMove() async throws {
    let world = try World.inMemory()
    for count in 1...5 {
      for from in 0..<count {
        for to in 0...count {
          let collection = Sample.collection("Book", tracks: (0..<count).map { "Track \($0)" })
          try await world.library.save(collection)
          var expected = collection.tracks.map(\.id)
          let moved = expected[from]
          let other = to < count ? expected[to] : nil
          if other != moved {
            expected.remove(at: from)
            expected.insert(moved, at: other.flatMap(expected.firstIndex) ?? expected.count)
          }
          try await world.library.moveTrack(moved, before: other)
          #expect(try await order(world, collection.id) == expected, "\(from) to \(to) of \(count)")
          try await world.library.deleteCollection(collection.id)
        }
      }
    }
  }

  @Test("tracks can be added before each track of every list of up to five, and at the end")
  func everyAddition() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 8)
    for count in 0...5 {
      for place in 0...count {
        for added in 0...3 {
          let collection = Sample.collection("Book", tracks: (0..<count).map { "Track \($0)" })
          try await world.library.save(collection)
          let new = (0..<added).map { Sample.track(&random, number: $0) }
          var expected = collection.tracks
          expected.insert(contentsOf: new, at: place)
          try await world.library.addTracks(new, to: collection.id, before: place < count ? collection.tracks[place].id : nil)
          #expect(try await world.library.collection(collection.id)?.tracks == expected, "\(added) at \(place) of \(count)")
          try await world.library.deleteCollection(collection.id)
        }
      }
    }
  }

  @Test("a move writes one track, a move to where it is none")
  func smallMove() async throws {
    let world = try World.temporary()
    let collection = Sample.collection("Book", tracks: (0..<50).map { "Track \($0)" })
    let ids = collection.tracks.map(\.id)
    try await world.library.save(collection)
    let update = "UPDATE tracks SET position = ? WHERE id = ?"
    for (from, to, writes) in [(49, 0, 1), (3, 4, 0), (3, 10, 1), (49, nil, 0), (0, nil, 1)] as [(Int, Int?, Int)] {
      let before = try await order(world, collection.id)
      _ = world.statements.take()
      try await world.library.moveTrack(before[from], before: to.map { before[$0] })
      #expect(world.statements.take().filter { $0 == update }.count == writes, "\(from) to \(to as Int?)")
    }
    #expect(Set(try await order(world, collection.id)) == Set(ids))
  }

  @Test("a list whose positions have no gap left takes a track anywhere")
  func noGaps() async throws {
    let collection = Sample.collection("Book", tracks: ["A", "B", "C", "D"])
    let world = try await World.holding(collection)
    var random = SeededGenerator(seed: 9)
    for start in [Int64(0), .max - 3, .min] {
      let ids = try await order(world, collection.id)
      try await world.store.write { tx in
        for (offset, id) in ids.enumerated() {
          try tx.execute("UPDATE tracks SET position = \(start + Int64(min(offset, 3))) WHERE id = \(id)")
        }
      }
      var expected = try await order(world, collection.id)
      let track = Sample.track(&random)
      try await world.library.addTracks([track], to: collection.id, before: expected[2])
      expected.insert(track.id, at: 2)
      let last = Sample.track(&random)
      try await world.library.addTracks([last], to: collection.id)
      expected.append(last.id)
      #expect(try await order(world, collection.id) == expected, "from \(start)")
      try await world.library.removeTracks([track.id, last.id])
    }
  }

  @Test("removing tracks takes their states and favourites along, and the collection no longer points at them")
  func remove() async throws {
    let collection = Sample.collection("Book", tracks: ["One", "Two", "Three"])
    let world = try await World.holding(collection)
    let ids = collection.tracks.map(\.id)
    for id in ids {
      try await world.library.savePlaybackState(PlaybackState(position: 1, updatedAt: world.clock.advance()), of: id)
      try await world.library.setFavorite(true, track: id)
    }
    #expect(try await world.library.removeTracks([ids[2], UUID(), ids[0]]) == 2)
    let loaded = try #require(try await world.library.collection(collection.id))
    #expect(loaded.tracks.map(\.id) == [ids[1]])
    #expect(Array(loaded.playbackStates.keys) == [ids[1]])
    #expect(Array(loaded.favorites.keys) == [ids[1]])
    #expect(loaded.lastPlayedTrackID == nil)
    #expect(try world.isHealthy())
  }

  @Test("updating tracks replaces what they hold, keeps their places, and changes none when one is missing")
  func update() async throws {
    let collection = Sample.collection("Book", tracks: ["One", "Two", "Three"])
    let world = try await World.holding(collection)
    var changed = collection.tracks
    changed[0].displayName = "第一章"
    changed[2].duration = 5
    try await world.library.updateTracks([changed[2], changed[0]])
    #expect(try await world.library.collection(collection.id)?.tracks == changed)
    #expect(try await world.library.track(changed[0].id) == changed[0])
    #expect(try await world.library.search("一章").count == 1)

    var random = SeededGenerator(seed: 10)
    var again = changed[1]
    again.displayName = "never"
    #expect(await asyncCode { try await world.library.updateTracks([again, Sample.track(&random)]) } == .notFound)
    #expect(try await world.library.collection(collection.id)?.tracks == changed)
  }

  @Test("renaming a track is two small updates, and the new name is found")
  func rename() async throws {
    let world = try World.temporary()
    let collection = Sample.collection("Book", tracks: ["Old"])
    let id = collection.tracks[0].id
    try await world.library.save(collection)
    _ = world.statements.take()
    let now = world.clock.advance()
    #expect(try await world.library.renameTrack(id, to: "Neu"))
    #expect(world.statements.take().map { String($0.prefix(18)) } == ["UPDATE tracks SET ", "UPDATE collections"])
    #expect(try await world.library.track(id)?.displayName == "Neu")
    #expect(try await world.library.collection(collection.id)?.updatedAt == now)
    #expect(try await world.library.search("neu").count == 1)
    #expect(try await world.library.search("old") == [])
    #expect(try await world.library.renameTrack(UUID(), to: "x") == false)
  }

  @Test("what is not there is said to be missing, and nothing changes")
  func missing() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 11)
    let collection = Sample.collection("Book", tracks: ["One"])
    let other = Sample.collection("Other", tracks: ["Two"], seed: 2)
    try await world.library.save(collection)
    try await world.library.save(other)
    let track = Sample.track(&random)
    let attempts: [() async throws -> Void] = [
      { try await world.library.addTracks([track], to: UUID()) },
      { try await world.library.addTracks([track], to: collection.id, before: other.tracks[0].id) },
      { try await world.library.moveTrack(UUID(), before: nil) },
      { try await world.library.moveTrack(collection.tracks[0].id, before: other.tracks[0].id) },
    ]
    for (number, attempt) in attempts.enumerated() { #expect(await asyncCode(attempt) == .notFound, "attempt \(number)") }
    #expect(try await world.library.collections() == Sample.newestFirst([collection, other]))
    #expect(try await world.library.track(track.id) == nil)
  }

  @Test("adding a track that is there is refused by table and column")
  func addTwice() async throws {
    let collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let error = await #expect(throws: StoreError.self) { try await world.library.addTracks(collection.tracks, to: collection.id) }
    #expect([error?.code.rawValue, error?.table, error?.column] == ["constraint", "tracks", "id"])
    #expect(try await world.library.collections() == [collection])
  }

  private func order(_ world: World, _ id: UUID) async throws -> [UUID] { try await world.library.collection(id)?.tracks.map(\.id) ?? [] }
}
