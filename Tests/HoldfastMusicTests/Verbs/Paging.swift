import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Paging") struct Paging {
  private typealias List = PagedList<MusicStore>

  private static let listID = SeededGenerator.firstID(seed: 100)

  private static let lists =
    VerbCase.lists.map { name, list in List(name) { try await $0.tracks(list, after: $1, limit: $2) } } + [
      List("albums") { try await $0.albums(after: $1, limit: $2) },
      List("albums of an artist") { try await $0.albums(of: "Artist", after: $1, limit: $2) },
      List("artists") { try await $0.artists(after: $1, limit: $2) },
      List("playlists") { try await $0.playlists(in: nil, after: $1, limit: $2) },
      List("search") { try await $0.search("song", after: $1, limit: $2) },
      List("entries") { try await $0.entries(of: listID, after: $1, limit: $2) },
    ]

  /// For tests that change nothing.
  private static let whole: Task<World, any Error> = Task { try await filled().0 }

  private static func filled() async throws -> (World, [LibraryTrack]) {
    let world = try World.inMemory()
    let tracks = TrackLists.crowd(seed: 101)
    try await world.library.saveTracks(tracks)
    try await world.library.savePlaylists(
      [MusicPlaylist(id: listID, name: "List", trackIDs: (tracks + tracks.prefix(40)).map(\.id))]
        + (0..<20).map { MusicPlaylist(id: UUID(), name: "\($0)") })
    return (world, tracks)
  }

  @Test("pages of every size put together are the whole list", arguments: lists.map(\.name))
  func allPages(name: String) async throws {
    let list = try #require(Self.lists.first { $0.name == name })
    try await list.checkSizes(in: Self.whole.value.library)
  }

  @Test("a row that was there all the time comes exactly once, whatever is added and removed between pages", arguments: lists.map(\.name))
  func changesBetweenPages(name: String) async throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let (world, tracks) = try await Self.filled()
    var random = SeededGenerator(seed: 102)
    var removable = Array(tracks.prefix(60))
    var new = TrackLists.crowd(seed: 103)
    let before = Set(try await list.page(world.library, nil, 10_000).items)
    let found = try await list.items(of: world.library, limit: 7) {
      let added = new.popLast().map { [$0] } ?? []
      try await world.library.saveTracks(added)
      try await world.library.addTracks(
        added.map(\.id), to: Self.listID, before: world.library.entries(of: Self.listID, limit: 1).items.first?.id)
      _ = try await world.library.createPlaylist(named: "New")
      removable.shuffle(using: &random)
      if let track = removable.popLast() { try await world.library.deleteTracks([track.id]) }
    }
    let kept = before.intersection(try await list.page(world.library, nil, 10_000).items)
    #expect(Set(found).count == found.count, "none twice")
    #expect(kept.isSubset(of: found), "none left out")
  }

  @Test("a page of an empty library is the last")
  func empty() async throws {
    let world = try World.temporary()
    for list in Self.lists {
      let page = try await list.page(world.library, nil, 10)
      #expect(page.items == [] && page.next == nil, "\(list.name)")
    }
  }

  @Test("a key that was kept as JSON goes on where it stopped")
  func keptKey() async throws {
    let library = try await Self.whole.value.library
    let key = try #require(try await library.tracks(.byArtist, limit: 10).next)
    let kept = try JSONDecoder().decode(PageKey.self, from: JSONEncoder().encode(key))
    #expect(try await library.tracks(.byArtist, after: kept).items == library.tracks(.byArtist, after: key).items)
  }
}

extension SeededGenerator {
  static func firstID(seed: UInt64) -> UUID {
    var random = SeededGenerator(seed: seed)
    return random.id()
  }
}
