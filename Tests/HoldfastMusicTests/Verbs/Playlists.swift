import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Playlists") struct Playlists {
  /// A list with so many entries, of up to a hundred tracks in turns.
  private func world(entries count: Int) async throws -> (world: World, list: UUID, tracks: [UUID]) {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 120)
    let tracks = (0..<min(count, 100)).map { Sample.track("\($0)", &random) }
    try await world.library.saveTracks(tracks)
    let list = MusicPlaylist(id: random.id(), name: "List", trackIDs: (0..<count).map { tracks[$0 % tracks.count].id })
    try await world.library.savePlaylists([list])
    return (world, list.id, list.trackIDs)
  }

  @Test("every move in every list of up to five entries gives the order that an array gives")
  func everyMove() async throws {
    for count in 1...5 {
      let (world, list, _) = try await world(entries: count)
      for from in 0..<count {
        for to in 0...count {
          let entries = try await world.library.entries(of: list).items
          var expected = entries.map(\.id)
          let moved = expected[from]
          let other = to < count ? expected[to] : nil
          if other != moved {
            expected.remove(at: from)
            expected.insert(moved, at: other.flatMap(expected.firstIndex) ?? expected.count)
          }
          try await world.library.moveEntry(moved, before: other)
          #expect(try await world.library.entries(of: list).items.map(\.id) == expected, "\(from) to \(to) of \(count)")
        }
      }
    }
  }

  @Test("tracks can be added before each entry of every list of up to four, and at the end, a track that is there too")
  func everyAddition() async throws {
    let (world, _, tracks) = try await world(entries: 4)
    for count in 1...4 {
      for place in 0...count {
        for added in 0...3 {
          let list = try await world.library.createPlaylist(named: "List").id
          let before = try await world.library.addTracks(Array(tracks.prefix(count)), to: list)
          let new = try await world.library.addTracks(
            (0..<added).map { _ in tracks[0] }, to: list, before: place < count ? before[place].id : nil)
          var expected = before
          expected.insert(contentsOf: new, at: place)
          #expect(new.count == added)
          #expect(
            try await world.library.entries(of: list).items.map { PlaylistEntry(id: $0.id, trackID: $0.track.id) } == expected,
            "\(added) at \(place) of \(count)")
        }
      }
    }
  }

  @Test("in a playlist of 10,000 entries a change at any place is one row, and reads no more than its neighbours")
  func smallChanges() async throws {
    let (world, list, tracks) = try await world(entries: 10_000)
    let entries = try await world.library.entries(of: list, limit: 10_000).items.map(\.id)
    func cost(_ body: (Writer) throws -> Void) throws -> [Int] {
      _ = world.statements.take()
      let rows = try world.store.rowsChanged(by: body)
      let read = world.statements.take().filter { $0.contains("ORDER BY position, id") }.count
      return [rows, read]
    }
    #expect(try cost { _ = try MusicStore.addTracks([tracks[5]], to: list, in: $0) } == [1, 0])
    #expect(try cost { _ = try MusicStore.addTracks([tracks[5], tracks[6]], to: list, before: entries[5000], in: $0) } == [2, 0])
    #expect(try cost { try MusicStore.moveEntry(entries[9000], before: entries[3], in: $0) } == [1, 0])
    #expect(try cost { try MusicStore.moveEntry(entries[3], before: nil, in: $0) } == [1, 0])
    #expect(try cost { try MusicStore.moveEntry(entries[7], before: entries[8], in: $0) } == [0, 0])
    #expect(try cost { _ = try MusicStore.removeEntries([entries[100], UUID()], in: $0) } == [1, 0])
    #expect(try await world.library.playlist(list)?.trackIDs.count == 10_002)
    #expect(try world.isHealthy())
  }

  @Test(
    "a list whose positions have no gap left, or that are at the end of the numbers, takes an entry anywhere",
    arguments: [Int64(0), Int64.max - 3, Int64.min])
  func noGaps(start: Int64) async throws {
    let (world, list, tracks) = try await world(entries: 4)
    for place in 0...4 {
      let entries = try await world.library.entries(of: list).items.map(\.id)
      try await world.store.write { tx in
        for (offset, id) in entries.enumerated() {
          try tx.execute("UPDATE collection_tracks SET position = \(start + Int64(offset)) WHERE id = \(id)")
        }
      }
      var expected = entries
      let new = try await world.library.addTracks([tracks[0]], to: list, before: place < 4 ? entries[place] : nil)
      expected.insert(contentsOf: new.map(\.id), at: place)
      #expect(try await world.library.entries(of: list).items.map(\.id) == expected)
      #expect(try world.isHealthy())
      let moved = expected.remove(at: 0)
      try await world.library.moveEntry(moved, before: expected[2])
      expected.insert(moved, at: 2)
      #expect(try await world.library.entries(of: list).items.map(\.id) == expected)
      try await world.library.removeEntries([expected[4]])
    }
  }

  @Test("entries at one position, from a file that was not ours, are told apart by id, and a move puts that right")
  func equalPositions() async throws {
    let (world, list, _) = try await world(entries: 4)
    try await world.store.write { _ = try $0.execute("UPDATE collection_tracks SET position = 7") }
    var expected = try await world.library.entries(of: list).items.map(\.id)
    #expect(expected == expected.sorted { IDCodec.lowercase($0) < IDCodec.lowercase($1) })
    expected.insert(expected.remove(at: 3), at: 1)
    try await world.library.moveEntry(expected[1], before: expected[2])
    #expect(try await world.library.entries(of: list).items.map(\.id) == expected)
    #expect(try world.isHealthy())
  }

  @Test("a new playlist stands behind all others, in its folder; a name may be empty or come twice")
  func create() async throws {
    let world = try World.temporary()
    let library = world.library
    let folder = try await library.createFolder(named: "Folder")
    let first = try await library.createPlaylist(named: "三体", in: folder.id)
    let second = try await library.createPlaylist(named: "")
    let third = try await library.createPlaylist(named: "三体", in: folder.id)
    let inner = try await library.createFolder(named: "Inner", in: folder.id)
    #expect(try await library.playlists() == [folder, first, second, third, inner])
    #expect(
      try await library.playlists(in: folder.id).items.map { "\($0.name) \($0.isFolder) \($0.entries)" } == [
        "三体 false 0", "三体 false 0", "Inner true 0",
      ])
    #expect(try await library.playlists(in: nil).items.map(\.id) == [folder.id, second.id])
    #expect(try await library.renamePlaylist(second.id, to: "Second"))
    #expect(try await library.playlist(second.id)?.name == "Second")
    #expect(try await !library.renamePlaylist(UUID(), to: "x"))
  }

  @Test("a deleted folder's playlists go to the top, with all their entries; a deleted playlist leaves the tracks")
  func delete() async throws {
    let (world, known) = try await World.prepared()
    #expect(try await world.library.deletePlaylist(known.folder.id))
    var inner = known.inner
    inner.parentID = nil
    #expect(try await world.library.playlists() == [known.list, inner])
    #expect(try await world.library.deletePlaylist(known.list.id))
    #expect(try await !world.library.deletePlaylist(known.list.id))
    #expect(try await world.library.playlists() == [inner])
    #expect(try await world.library.tracks() == known.tracks)
    #expect(try world.isHealthy())
  }

  @Test("a playlist moves among those of its folder by one row, and into a folder behind all")
  func move() async throws {
    let world = try World.temporary()
    let library = world.library
    let folders = try await ["A", "B"].asyncMap { try await library.createFolder(named: $0) }
    let lists = try await (1...4).asyncMap { try await library.createPlaylist(named: "\($0)", in: $0 < 4 ? folders[0].id : nil) }
    func names(_ folder: MusicPlaylist?) async throws -> String { try await library.playlists(in: folder?.id).items.map(\.name).joined() }
    #expect(try world.store.rowsChanged { try MusicStore.movePlaylist(lists[2].id, before: lists[0].id, in: $0) } == 1)
    #expect(try await names(folders[0]) == "312")
    #expect(try world.store.rowsChanged { try MusicStore.movePlaylist(lists[2].id, before: nil, in: $0) } == 1)
    #expect(try await names(folders[0]) == "123")
    #expect(try world.store.rowsChanged { try MusicStore.movePlaylist(lists[0].id, toFolder: folders[1].id, in: $0) } == 1)
    try await library.movePlaylist(lists[3].id, toFolder: folders[0].id)
    try await library.movePlaylist(lists[1].id, toFolder: nil)
    #expect(try await [names(nil), names(folders[0]), names(folders[1])] == ["AB2", "34", "1"])
    try await library.movePlaylist(folders[0].id, toFolder: folders[1].id)
    #expect(try await [names(nil), names(folders[0]), names(folders[1])] == ["B2", "34", "1A"])
    #expect(await asyncCode { try await library.movePlaylist(folders[1].id, toFolder: folders[0].id) } == .invalidValue)
    #expect(await asyncCode { try await library.movePlaylist(folders[1].id, toFolder: folders[1].id) } == .invalidValue)
    #expect(await asyncCode { try await library.movePlaylist(lists[0].id, before: lists[1].id) } == .notFound)
    #expect(try await [names(nil), names(folders[0]), names(folders[1])] == ["B2", "34", "1A"])
    #expect(try world.isHealthy())
  }

  @Test("folders that contain each other, in a damaged file, can be taken apart")
  func circle() async throws {
    let world = try World.temporary()
    let library = world.library
    let (a, b, c) = (
      try await library.createFolder(named: "A"), try await library.createFolder(named: "B"), try await library.createPlaylist(named: "C")
    )
    try await world.store.write { tx in
      try tx.execute("UPDATE collections SET parent_id = \(b.id) WHERE id = \(a.id)")
      try tx.execute("UPDATE collections SET parent_id = \(a.id) WHERE id = \(b.id)")
    }
    try await library.movePlaylist(c.id, toFolder: a.id)
    try await library.movePlaylist(b.id, toFolder: nil)
    #expect(try await library.playlists(in: nil).items.map(\.name) == ["B"])
    #expect(try world.isHealthy())
  }

  @Test("what is not there is said to be missing, and nothing changes")
  func missing() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    let (list, folder, nobody) = (known.list.id, known.folder.id, UUID())
    let inner = try #require(try await library.entries(of: known.inner.id).items.first?.id)
    let attempts: [() async throws -> Void] = [
      { _ = try await library.createPlaylist(named: "x", in: nobody) }, { _ = try await library.createFolder(named: "x", in: list) },
      { try await library.movePlaylist(nobody, before: nil) }, { try await library.movePlaylist(list, before: nobody) },
      { try await library.movePlaylist(nobody, toFolder: nil) }, { try await library.movePlaylist(nobody, toFolder: folder) },
      { try await library.movePlaylist(list, toFolder: nobody) }, { try await library.movePlaylist(list, toFolder: known.inner.id) },
      { try await library.addTracks([known.first], to: nobody) }, { try await library.addTracks([known.first], to: folder) },
      { try await library.addTracks([known.first, nobody], to: list) },
      { try await library.addTracks([known.first], to: list, before: inner) },
      { try await library.addTracks([], to: list, before: nobody) }, { try await library.moveEntry(nobody, before: nil) },
      { try await library.moveEntry(known.entries[0].id, before: nobody) },
      { try await library.moveEntry(known.entries[0].id, before: inner) },
    ]
    for (number, attempt) in attempts.enumerated() { #expect(await asyncCode(attempt) == .notFound, "attempt \(number)") }
    #expect(try await library.playlists() == known.playlists)
    #expect(try await library.entries(of: list).items == known.entries)
    #expect(try await library.entries(of: nobody).items == [])
  }
}
