import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Favorites") struct Favorites {
  @Test("a favourite keeps the time since when it is one, and is still there after the library was opened again")
  func set() async throws {
    let collection = Sample.collection("Book", tracks: ["One", "Two"])
    let world = try await World.holding(collection)
    let id = collection.tracks[0].id
    let since = world.clock.advance()
    try await world.library.setFavorite(true, track: id)
    world.clock.advance()
    #expect(try world.store.rowsChanged { try AudiobookLibrary.setFavorite(true, track: id, in: $0) } == 0)
    let reopened = try AudiobookLibrary.open(at: try world.store.copy(), options: .testing)
    #expect(try await reopened.collection(collection.id)?.favorites == [id: Favorite(favoritedAt: since)])
    #expect(try await reopened.collection(collection.id)?.updatedAt == since, "an older copy elsewhere must not win over it")

    try await world.library.setFavorite(false, track: id)
    #expect(try await world.library.favorites().items == [])
    #expect(try world.store.rowsChanged { try AudiobookLibrary.setFavorite(false, track: id, in: $0) } == 0)
  }

  @Test("toggling turns a favourite into none and back, and says which")
  func toggle() async throws {
    let collection = Sample.collection("Book", tracks: ["One"])
    let world = try await World.holding(collection)
    let id = collection.tracks[0].id
    for wanted in [true, false, true, false] { #expect(try await world.library.toggleFavorite(track: id) == wanted) }
  }

  @Test("a track that is not there cannot be a favourite")
  func missing() async throws {
    let world = try World.temporary()
    for isFavorite in [true, false] {
      #expect(await asyncCode { try await world.library.setFavorite(isFavorite, track: UUID()) } == .notFound)
    }
    await #expect(throws: StoreError.self) { try await world.library.toggleFavorite(track: UUID()) }
  }

  @Test("favourites are listed newest first and those without a time last, by pages of every size")
  func order() async throws {
    let world = try World.temporary()
    var collection = Sample.collection("Book", tracks: (1...12).map { "Track \($0)" })
    for (number, track) in collection.tracks.enumerated() {
      // Four times, three tracks each; the last three have none.
      let time: Date? = number < 9 ? world.clock.now.addingTimeInterval(Double(number / 3)) : nil
      collection.favorites[track.id] = Favorite(favoritedAt: time)
    }
    try await world.library.save(collection)
    let expected = collection.favorites.sorted { first, second in
      (first.value.favoritedAt ?? .distantPast, IDCodec.lowercase(first.key))
        > (second.value.favoritedAt ?? .distantPast, IDCodec.lowercase(second.key))
    }.map(\.key)
    let list = PagedList<AudiobookLibrary>(ofValues: "favourites") { try await $0.favorites(after: $1, limit: $2) }
    try await list.checkSizes(in: world.library, atLeast: 12)
    #expect(try await world.library.favorites().items.map(\.track.id) == expected)
    let first = try #require(try await world.library.favorites(limit: 1).items.first)
    #expect(first.collectionID == collection.id && collection.tracks.contains(first.track))
    #expect(first.favorite == collection.favorites[first.track.id])
  }
}
