import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Saving") struct Saving {
  @Test("what is loaded equals what was saved, with and without every field, one by one and many at once", arguments: [1, 3, 300])
  func roundTrip(count: Int) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 140)
    let artwork = try await world.library.saveArtwork(Data("picture".utf8))
    var tracks = Sample.tracks(count, &random)
    tracks[0].artworkHash = artwork.hash
    try await world.library.saveTracks(tracks)
    #expect(try await world.library.tracks() == tracks)
    #expect(try await tracks.asyncMap { try await world.library.track($0.id) } == tracks)
    #expect(try world.isHealthy())
  }

  @Test("saving what is there writes no row, saving one change writes one", arguments: [false, true])
  func onlyChanges(replacingAll: Bool) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 141)
    var tracks = Sample.tracks(50, &random)
    var playlists = (0..<5).map { MusicPlaylist(id: random.id(), name: "\($0)", trackIDs: tracks.shuffled(using: &random).map(\.id)) }
    try await world.library.saveTracks(tracks)
    try await world.library.savePlaylists(playlists)
    func rows() throws -> [Int] {
      [
        try world.store.rowsChanged { try MusicStore.saveTracks(tracks, replacingAll: replacingAll, in: $0) },
        try world.store.rowsChanged { _ = try MusicStore.savePlaylists(playlists, replacingAll: replacingAll, in: $0) },
      ]
    }
    #expect(try rows() == [0, 0])
    tracks[7].rating = tracks[7].rating == 40 ? 60 : 40
    playlists[2].name = "Name"
    #expect(try rows() == [1, 1])
    playlists[3].trackIDs.append(playlists[3].trackIDs.removeFirst())
    #expect(try rows() == [0, 1])
    playlists[3].trackIDs.append(tracks[0].id)
    playlists[4].trackIDs.removeLast()
    #expect(try rows() == [0, 2])
    #expect(try await world.library.playlists() == playlists)
    #expect(try await world.library.tracks() == tracks)
  }

  @Test("saving a few tracks of many looks at those few, saving most of them at all in one go")
  func few() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 142)
    let tracks = (0..<2000).map { Sample.track("\($0)", &random) }
    try await world.library.saveTracks(tracks)
    func readsAll(_ count: Int) async throws -> Bool {
      _ = world.statements.take()
      try await world.library.saveTracks(Array(tracks.prefix(count)))
      return world.statements.take().contains { $0.hasSuffix("FROM tracks ORDER BY rowid") }
    }
    #expect(try await [1, 200, 250, 251, 2000].asyncMap(readsAll) == [false, false, false, true, true])
  }

  @Test("tracks that are not saved stay, unless all are replaced; playlists keep the entries of tracks that stay, and the same ones")
  func replacingAll() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    var changed = known.tracks[1]
    changed.title = "Zwei"
    try await library.saveTracks([changed])
    #expect(try await library.tracks() == [known.tracks[0], changed, known.tracks[2], known.tracks[3]])
    try await library.saveTracks([known.tracks[0], known.tracks[3]], replacingAll: true)
    #expect(try await library.tracks() == [known.tracks[0], known.tracks[3]])
    #expect(try await library.playlists().map(\.trackIDs) == [[known.first, known.first], [], []])
    #expect(try await library.entries(of: known.list.id).items == [known.entries[0], known.entries[2]])
    #expect(try world.isHealthy())
  }

  @Test("a track that was removed does not stand in the way of its playlist: the rest is saved, and the report names it")
  func removedTrack() async throws {
    let (world, known) = try await World.prepared()
    try await world.library.deleteTracks([known.first])
    var list = known.list
    list.name = "Still saved"
    list.trackIDs.append(known.last)
    let missing = try await world.library.savePlaylists([list, known.folder, known.inner], replacingAll: true)
    #expect(missing == Array(repeating: MissingEntry(playlistID: list.id, trackID: known.first), count: 2))
    list.trackIDs = [known.tracks[1].id, known.last]
    #expect(try await world.library.playlists() == [list, known.folder, known.inner])
  }

  @Test("a track that stands in a playlist several times stays there as often, in this order")
  func repeated() async throws {
    let (world, known) = try await World.prepared()
    var list = known.list
    for places in [[0, 0, 0, 1], [1, 0, 1, 0], [0], [], [3, 3, 3, 3, 3]] {
      list.trackIDs = places.map { known.tracks[$0].id }
      #expect(try await world.library.savePlaylists([list]) == [])
      #expect(try await world.library.playlist(list.id) == list)
    }
    #expect(try world.isHealthy())
  }

  @Test("playlists that are not saved stay where they are, and those that are stand in their order, unless all are replaced")
  func somePlaylists() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    let new = [MusicPlaylist(id: UUID(), name: "B"), MusicPlaylist(id: UUID(), name: "A", parentID: known.folder.id)]
    try await library.savePlaylists([new[0], known.inner, new[1]])
    #expect(try await library.playlists() == [known.list, known.folder, new[0], known.inner, new[1]])
    try await library.savePlaylists([new[1], known.folder], replacingAll: true)
    #expect(try await library.playlists() == [new[1], known.folder])
    #expect(try await library.tracks() == known.tracks)
  }

  @Test("an order that was saved is the order that is stored, with the fewest rows, and the others keep their places")
  func order() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 143)
    let lists = "abcdef".map { MusicPlaylist(id: random.id(), name: String($0)) }
    try await world.library.savePlaylists(lists)
    func names() async throws -> String { try await world.library.playlists().map(\.name).joined() }
    func rows(_ places: [Int]) throws -> Int {
      try world.store.rowsChanged { _ = try MusicStore.savePlaylists(places.map { lists[$0] }, in: $0) }
    }
    #expect(try rows([5, 0, 1, 2, 3, 4]) == 1)
    #expect(try await names() == "fabcde")
    #expect(try rows([4, 1]) == 2)
    #expect(try await names() == "faecdb")
    #expect(try rows([5, 2, 1]) == 0)
    #expect(try await names() == "faecdb")
    let new = ["x", "y", "z"].map { MusicPlaylist(id: random.id(), name: $0) }
    try await world.library.savePlaylists([new[0], lists[2], new[1], lists[0], new[2]])
    #expect(try await names() == "fxceyadbz")
    #expect(try world.isHealthy())
  }

  @Test("whatever some playlists are saved in between, those given stand in the given order and the others in theirs")
  func randomOrders() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("Orders of playlists: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    for round in 0..<100 {
      let before = try await world.library.playlists()
      let new = (0..<Int.random(in: 0...2, using: &random)).map { MusicPlaylist(id: random.id(), name: "\(round) \($0)") }
      let given = (before.filter { _ in random.chance(40) } + new).shuffled(using: &random)
      let ids = Set(given.map(\.id))
      try await world.library.savePlaylists(given)
      let after = try await world.library.playlists()
      try #require(after.filter { ids.contains($0.id) } == given, "seed \(seed), round \(round)")
      try #require(after.filter { !ids.contains($0.id) } == before.filter { !ids.contains($0.id) }, "seed \(seed), round \(round)")
    }
    #expect(try world.isHealthy())
  }

  @Test("new playlists stand behind all others where there is no position left", arguments: [Int64.max, Int64.max - 1])
  func noRoom(last: Int64) async throws {
    let (world, known) = try await World.prepared()
    try await world.store.write { _ = try $0.execute("UPDATE collections SET position = \(last) WHERE id = \(known.inner.id)") }
    var list = known.list
    list.name = "Name"
    let new = [MusicPlaylist(id: UUID(), name: "A"), MusicPlaylist(id: UUID(), name: "B")]
    try await world.library.savePlaylists([list] + new)
    #expect(try await world.library.playlists() == [list, known.folder, known.inner] + new)
    let created = try await world.library.createPlaylist(named: "C")
    #expect(try await world.library.playlists().last == created)
    #expect(try world.isHealthy())
  }

  @Test("a parent that is no folder here is left out: one that is missing, a playlist, itself, or a folder inside it")
  func parents() async throws {
    let world = try World.temporary()
    let ids = (0..<6).map { _ in UUID() }
    let wanted = [
      MusicPlaylist(id: ids[0], name: "In nothing", parentID: UUID()), MusicPlaylist(id: ids[1], name: "In a playlist", parentID: ids[0]),
      MusicPlaylist(id: ids[2], name: "In itself", parentID: ids[2], isFolder: true),
      MusicPlaylist(id: ids[3], name: "In what it contains", parentID: ids[4], isFolder: true),
      MusicPlaylist(id: ids[4], name: "In what it contains, too", parentID: ids[3], isFolder: true),
      MusicPlaylist(id: ids[5], name: "In a folder", parentID: ids[2]),
    ]
    try await world.library.savePlaylists(wanted)
    #expect(try await world.library.playlists().map(\.parentID) == [nil, nil, nil, nil, nil, ids[2]])
    #expect(try world.isHealthy())
  }

  @Test("what is in a folder goes to the top when the folder is saved as a playlist, or is removed")
  func noLongerAFolder() async throws {
    for replacing in [false, true] {
      let (world, known) = try await World.prepared()
      var folder = known.folder
      folder.isFolder = false
      try await world.library.savePlaylists(replacing ? [known.list, known.inner] : [folder], replacingAll: replacing)
      #expect(try await world.library.playlist(known.inner.id)?.parentID == nil)
      #expect(try await world.library.playlist(known.inner.id)?.trackIDs == known.inner.trackIDs)
      #expect(try world.isHealthy())
    }
  }

  @Test("what cannot be stored is refused, and everything stays as it was")
  func refused() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    func save(_ change: (inout LibraryTrack) -> Void) async -> StoreError.Code? {
      var track = known.tracks[3]
      track.title = "Never"
      var other = known.tracks[0]
      other.title = "Never"
      change(&track)
      return await asyncCode { try await library.saveTracks([other, track], replacingAll: true) }
    }
    #expect(await save { $0.rating = 101 } == .constraint)
    #expect(await save { $0.rating = -1 } == .constraint)
    #expect(await save { $0.playCount = -1 } == .constraint)
    #expect(await save { $0.duration = -1 } == .constraint)
    #expect(await save { $0.duration = .infinity } == .invalidValue)
    #expect(await save { $0.duration = .nan } == .invalidValue)
    #expect(await save { $0.addedAt = Date(timeIntervalSince1970: 1e15) } == .invalidValue)
    #expect(await save { $0.artworkHash = "not stored" } == .constraint)
    #expect(await save { $0.id = known.first } == .constraint)
    #expect(await asyncCode { try await library.savePlaylists([known.list, known.list]) } == .constraint)
    #expect(try await library.tracks() == known.tracks)
    #expect(try await library.playlists() == known.playlists)
    #expect(try world.isHealthy())
  }

  @Test("a picture is stored once, whoever shows it, and goes only when nobody does")
  func artwork() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    let other = try await library.saveArtwork(Data([0xFF, 0xD8]))
    #expect(try await library.saveArtwork(known.picture).hash == known.tracks[0].artworkHash)
    #expect(try world.store.rows("SELECT count(*) FROM artwork") == ["2"])
    #expect(try await library.removeUnusedArtwork() == 2)
    #expect(try await library.artwork(other.hash) == nil)
    #expect(try await library.artwork(MusicArtwork(known.picture).hash)?.data == known.picture)
    try await library.deleteTracks([known.first])
    #expect(try await library.removeUnusedArtwork() == known.picture.count)
    #expect(try world.store.rows("SELECT count(*) FROM artwork") == ["0"])
  }

  @Test("a date that a property took finer than a millisecond is no change")
  func fineDates() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 143)
    var track = Sample.track("1", &random)
    let date = Date(timeIntervalSince1970: 1_700_000_000.123_456)
    (track.addedAt, track.lastPlayedAt, track.file.modifiedAt) = (date, date, date)
    try await world.library.saveTracks([track])
    #expect(try world.store.rowsChanged { try MusicStore.saveTracks([track], in: $0) } == 0)
    track.addedAt = date + 0.001
    #expect(try world.store.rowsChanged { try MusicStore.saveTracks([track], in: $0) } == 1)
  }
}
