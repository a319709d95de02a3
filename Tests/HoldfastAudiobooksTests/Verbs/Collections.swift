import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Collections") struct Collections {
  @Test("what is saved is what is loaded, whatever it holds", arguments: [UInt64(1), 2, 3])
  func roundTrip(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    let collections = (0..<60).map { _ in Sample.collection(&random) }
    for collection in collections {
      try await world.library.save(collection)
      #expect(try await world.library.collection(collection.id) == collection, "seed \(seed)")
    }
    #expect(try await world.library.collections() == Sample.newestFirst(collections), "seed \(seed)")
    #expect(try world.isHealthy())
  }

  @Test("saving the same again writes nothing", arguments: [UInt64(4), 5])
  func savingTwice(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let collection = Sample.collection(&random)
      try await world.library.save(collection)
      #expect(try world.store.rowsChanged { try AudiobookLibrary.save(collection, in: $0) } == 0, "seed \(seed)")
    }
  }

  @Test("a save changes only what changed, and every row that stays keeps its place in the file")
  func smallestChange() async throws {
    var collection = Sample.collection("Book", tracks: (1...10).map { "Track \($0)" })
    let world = try await World.holding(collection)
    let before = Set(try world.store.rows("SELECT id, rowid FROM tracks", columns: 2))

    collection.tracks.swapAt(2, 3)
    #expect(try world.store.rowsChanged { try AudiobookLibrary.save(collection, in: $0) } == 1, "one position")
    collection.tracks[0].checksum = "new"
    #expect(try world.store.rowsChanged { try AudiobookLibrary.save(collection, in: $0) } == 1, "one row")
    collection.author = "Somebody"
    collection.tags = ["one", "two"]
    #expect(try Set(world.store.rows("SELECT id, rowid FROM tracks", columns: 2)) == before)

    collection.tracks.remove(at: 9)
    var random = SeededGenerator(seed: 77)
    collection.tracks.insert(Sample.track(&random), at: 4)
    try await world.library.save(collection)
    let after = Set(try world.store.rows("SELECT id, rowid FROM tracks", columns: 2))
    #expect(after.subtracting(before).count == 1)
    #expect(try await world.library.collection(collection.id) == collection)
  }

  @Test("a copy that was loaded before the last listening cannot set it back")
  func stalePlayback() async throws {
    let original = Sample.collection("Book", tracks: ["One", "Two"])
    let world = try await World.holding(original)
    let (first, second) = (original.tracks[0].id, original.tracks[1].id)
    try await world.library.savePlaybackState(PlaybackState(position: 10, updatedAt: world.clock.advance()), of: first)
    var stale = try #require(try await world.library.collection(original.id))
    let newer = PlaybackState(position: 20, updatedAt: world.clock.advance())
    try await world.library.savePlaybackState(newer, of: first)
    let newest = PlaybackState(position: 5, updatedAt: world.clock.advance())
    try await world.library.savePlaybackState(newest, of: second)

    stale.title = "Renamed"
    try await world.library.save(stale)
    let loaded = try #require(try await world.library.collection(original.id))
    #expect(loaded.title == "Renamed")
    #expect(loaded.playbackStates == [first: newer, second: newest])
    #expect(loaded.lastPlayedTrackID == second, "the app would resume the wrong track")
    #expect(try await world.library.resumePoint()?.trackID == second)
  }

  @Test("a save with newer playback states moves the last played track")
  func newerPlayback() async throws {
    var collection = Sample.collection("Book", tracks: ["One", "Two"])
    let world = try await World.holding(collection)
    try await world.library.savePlaybackState(PlaybackState(position: 1, updatedAt: world.clock.advance()), of: collection.tracks[0].id)
    let state = PlaybackState(position: 2, updatedAt: world.clock.advance())
    collection.playbackStates = [collection.tracks[1].id: state]
    collection.lastPlayedTrackID = collection.tracks[1].id
    try await world.library.save(collection)
    #expect(try await world.library.resumePoint()?.trackID == collection.tracks[1].id)
    #expect(try await world.library.playbackStates().count == 2)
  }

  @Test("what hangs on a track that the collection does not have is left out instead of failing the save")
  func strayParts() async throws {
    let world = try World.temporary()
    var collection = Sample.collection("Book", tracks: ["One", "Two"])
    let other = Sample.collection("Other", tracks: ["Three"], seed: 2)
    let foreign = PlaybackState(position: 3, updatedAt: world.clock.now)
    try await world.library.save(other)
    try await world.library.savePlaybackState(foreign, of: other.tracks[0].id)

    let gone = collection.tracks.removeLast().id
    for id in [gone, other.tracks[0].id] {
      collection.playbackStates[id] = PlaybackState(position: 1, updatedAt: world.clock.advance())
      collection.favorites[id] = Favorite(favoritedAt: nil)
    }
    collection.lastPlayedTrackID = gone
    try await world.library.save(collection)
    collection.playbackStates = [:]
    collection.favorites = [:]
    collection.lastPlayedTrackID = nil
    #expect(try await world.library.collection(collection.id) == collection)
    #expect(try await world.library.playbackState(of: other.tracks[0].id) == foreign)
    #expect(try world.isHealthy())
  }

  @Test("deleting a collection deletes all that hangs on it, and nothing of another; search finds it no more")
  func delete() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 6)
    let kept = Sample.collection(&random, tracks: 4...4)
    var gone = Sample.collection("Zebra", author: "Yak", tracks: ["Xylophone"])
    gone.playbackStates[gone.tracks[0].id] = PlaybackState(position: 1, updatedAt: world.clock.now)
    gone.favorites[gone.tracks[0].id] = Favorite(favoritedAt: world.clock.now)
    gone.tags = ["animals"]
    try await world.library.save(kept)
    try await world.library.save(gone)
    #expect(try await world.library.deleteCollection(gone.id))
    #expect(try await world.library.deleteCollection(gone.id) == false)
    #expect(try await world.library.collection(gone.id) == nil)
    #expect(try await world.library.collections() == [kept])
    for word in ["Zebra", "Yak", "Xylophone"] { #expect(try await world.library.search(word) == []) }
    #expect(try world.store.rows("SELECT count(*) FROM tags WHERE tag = 'animals'") == ["0"])
    #expect(try world.isHealthy())
  }

  @Test("renaming a collection is one update, and the new title is found")
  func rename() async throws {
    let collection = Sample.collection("Old", tracks: ["One"])
    let world = try await World.holding(collection)
    _ = world.statements.take()
    let now = world.clock.advance()
    #expect(try await world.library.renameCollection(collection.id, to: "三体问题"))
    #expect(world.statements.take().map { String($0.prefix(18)) } == ["UPDATE collections"])
    var renamed = collection
    renamed.title = "三体问题"
    renamed.updatedAt = now
    #expect(try await world.library.collections() == [renamed])
    #expect(try await world.library.search("体问").count == 1)
    #expect(try await world.library.search("Old") == [])
    #expect(try await world.library.renameCollection(UUID(), to: "x") == false)
  }

  @Test("a track id of another collection is refused by table and column, and nothing changes")
  func takenTrack() async throws {
    let world = try World.temporary()
    let owner = Sample.collection("Owner", tracks: ["One"])
    var thief = Sample.collection("Thief", tracks: ["Two"], seed: 2)
    try await world.library.save(owner)
    thief.tracks += owner.tracks
    let error = await #expect(throws: StoreError.self) { try await world.library.save(thief) }
    #expect([error?.code.rawValue, error?.table, error?.column] == ["constraint", "tracks", "id"])
    #expect(try await world.library.collections() == [owner])
  }

  @Test("a track named twice is refused, and nothing changes")
  func doubledTrack() async throws {
    var collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    collection.tracks += collection.tracks
    await #expect(throws: StoreError.self) { try await world.library.save(collection) }
    #expect(try await world.library.collection(collection.id)?.tracks.count == 1)
  }

  @Test("a tag given twice is stored once")
  func doubledTag() async throws {
    var collection = Sample.collection("Book")
    collection.tags = ["b", "a", "b"]
    let world = try await World.holding(collection)
    #expect(try await world.library.collection(collection.id)?.tags == ["b", "a"])
  }

  @Test("collections made in the same millisecond are ordered by id")
  func equalTimes() async throws {
    let world = try World.temporary()
    let collections = (1...5).map { Sample.collection("Book \($0)", seed: $0) }
    for collection in collections { try await world.library.save(collection) }
    #expect(try await world.library.collections() == Sample.newestFirst(collections))
  }

  @Test("a track's original id survives a save of a track that the app built anew")
  func originalID() async throws {
    var collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let original = UUID()
    try await world.store.write { tx in _ = try tx.execute("UPDATE tracks SET original_id = \(original)") }
    collection.tracks[0].displayName = "Renamed"
    try await world.library.save(collection)
    collection.tracks[0].checksum = "x"
    try await world.library.updateTracks(collection.tracks)
    #expect(try await world.library.track(collection.tracks[0].id)?.originalID == original)
    #expect(try await world.library.track(collection.tracks[0].id)?.checksum == "x")
  }
}
