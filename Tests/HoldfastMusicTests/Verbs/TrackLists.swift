import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Lists of tracks") struct TrackLists {
  /// Nobody changes it.
  private static let crowded: Task<World, any Error> = Task {
    let world = try World.inMemory()
    try await world.library.saveTracks(crowd(seed: 90))
    return world
  }

  @Test("each list has the tracks and the order that their fields say", arguments: VerbCase.lists.map(\.name))
  func order(name: String) async throws {
    let list = try #require(VerbCase.lists.first { $0.name == name }).list
    let library = try await Self.crowded.value.library
    let expected = Self.expected(list, of: try await library.tracks())
    #expect(!expected.isEmpty)
    #expect(try await library.tracks(list, limit: 10_000).items == expected)
  }

  @Test("a rating below the least, and none, is not in the list")
  func rated() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 91)
    let ratings: [Int?] = [nil, 0, 20, 60, 80, 100]
    try await world.library.saveTracks(
      ratings.map { rating in
        var track = Sample.track("\(rating as Int?)", &random)
        track.rating = rating
        return track
      })
    func found(_ least: Int) async throws -> [Int?] { try await world.library.tracks(.rated(atLeast: least)).items.map(\.rating) }
    #expect(try await found(60) == [100, 80, 60])
    #expect(try await found(0) == [100, 80, 60, 20, 0])
    #expect(try await found(.min) == [100, 80, 60, 20, 0])
    #expect(try await found(.max) == [])
  }

  @Test("case, accents and white space at the beginning do not matter in an order, and articles do")
  func folded() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 92)
    let titles = ["Zebra", "apple", "Émile", "eMIR", " beach", "The Beatles", "ＥＭＩＬ", "三体", "100", "Ärger"]
    try await world.library.saveTracks(titles.map { Sample.track($0, &random) })
    #expect(
      try await world.library.tracks(.byTitle).items.map(\.title) == [
        "100", "apple", "Ärger", " beach", "ＥＭＩＬ", "Émile", "eMIR", "The Beatles", "Zebra", "三体",
      ])
  }

  @Test("a key of another list is refused")
  func foreignKey() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    let key = try #require(try await library.tracks(.byTitle, limit: 1).next)
    #expect(await asyncCode { _ = try await library.tracks(.recentlyAdded, after: key) } == .misuse)
    #expect(await asyncCode { _ = try await library.albums(after: key) } == .misuse)
    #expect(await asyncCode { _ = try await library.artists(after: key) } == .misuse)
    #expect(await asyncCode { _ = try await library.playlists(in: nil, after: key) } == .misuse)
    #expect(await asyncCode { _ = try await library.entries(of: known.list.id, after: key) } == .misuse)
    #expect(await asyncCode { _ = try await library.tracks(.byTitle, after: PageKey()) } == .misuse)
    #expect(await asyncCode { _ = try await library.tracks(.byTitle, after: PageKey(.text("0"), .text("a"), .text("b"))) } == .misuse)
    #expect(await asyncCode { _ = try await library.tracks(.byTitle, after: PageKey([.integer(0)] + key.parts.dropFirst())) } == .misuse)
    #expect(await asyncCode { _ = try await library.tracks(.byTitle, after: PageKey(Array(key.parts.dropLast()))) } == .misuse)
  }

  @Test("a key of a list with columns of the same kinds is refused, also of the same list with another name, rating or folder")
  func foreignKeyOfTheSameKinds() async throws {
    let (world, known) = try await World.prepared()
    let library = world.library
    let newest = try await library.tracks(.recentlyAdded, limit: 1).next
    #expect(await asyncCode { _ = try await library.tracks(.mostPlayed, after: newest) } == .misuse)
    let entry = try await library.entries(of: known.list.id, limit: 1).next
    #expect(await asyncCode { _ = try await library.playlists(in: nil, after: entry) } == .misuse)
    #expect(await asyncCode { _ = try await library.entries(of: known.inner.id, after: entry) } == .misuse)
    let folder = try await library.playlists(in: nil, limit: 1).next
    #expect(await asyncCode { _ = try await library.playlists(in: known.folder.id, after: folder) } == .misuse)
    let rated = try await library.tracks(.rated(atLeast: 60), limit: 1).next
    #expect(await asyncCode { _ = try await library.tracks(.rated(atLeast: 80), after: rated) } == .misuse)
    let artist = try await library.tracks(.ofArtist("Artist"), limit: 1).next
    #expect(await asyncCode { _ = try await library.tracks(.ofArtist("Various Artists"), after: artist) } == .misuse)
    let albums = try await library.albums(of: "Artist", limit: 1).next
    #expect(await asyncCode { _ = try await library.albums(after: albums) } == .misuse)
    let found = try await library.search("artist", after: nil, limit: 1).next
    #expect(await asyncCode { _ = try await library.search("two", after: found, limit: 1) } == .misuse)
    #expect([newest, entry, folder, rated, artist, albums, found].allSatisfy { $0 != nil }, "nil is no key of another list")
  }

  /// Few names in every spelling, so that every column of an order has to decide somewhere.
  static func crowd(seed: UInt64) -> [LibraryTrack] {
    var random = SeededGenerator(seed: seed)
    return (0..<200).map { number in
      var track = Sample.track(
        random.pick(["Song", "song", "Sóng", "歌", ""]),
        artist: random.pick(["Artist", "artist", "Ärtist", "Émile", LibraryTrack.unknownArtist]),
        album: random.pick(["Album", "ALBUM", LibraryTrack.unknownAlbum, "三体"]), &random)
      track.albumArtist = random.pick([nil, nil, "", "Artist", "Owner"])
      track.isCompilation = random.chance(20)
      track.discNumber = random.pick([nil, 1, 2])
      track.trackNumber = random.pick([nil, 1, 2, 3])
      track.rating = random.pick([nil, 0, 20, 100])
      track.playCount = random.pick([0, 1, 2])
      // Three at a time came in the same millisecond; the date of every seventh is unknown.
      track.addedAt = number % 7 == 0 ? nil : Date(timeIntervalSince1970: Double(number / 3 - 30))
      return track
    }
  }

  /// What a list should hold, in plain Swift.
  static func expected(_ list: TrackList, of all: [LibraryTrack]) -> [LibraryTrack] {
    func text(_ text: String) -> Value { .text(Array(text.utf8)) }
    func folded(_ text: String) -> Value { .text(Array(SortText.folded(text).utf8)) }
    func id(_ track: LibraryTrack) -> Value { text(IDCodec.lowercase(track.id)) }
    func album(_ track: LibraryTrack) -> [Value] { [folded(track.album), text(track.album)] }
    func artist(_ track: LibraryTrack) -> [Value] { [folded(track.groupArtist), text(track.groupArtist)] }
    func place(_ track: LibraryTrack) -> [Value] {
      [.number(track.discNumber ?? 1), .number(track.trackNumber ?? .max), folded(track.title), id(track)]
    }
    func sorted(_ tracks: [LibraryTrack], by values: (LibraryTrack) -> [Value]) -> [LibraryTrack] {
      tracks.map { ($0, values($0)) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }
    switch list {
    case .byTitle: return sorted(all) { [folded($0.title), id($0)] }
    case .byArtist: return sorted(all) { artist($0) + album($0) + place($0) }
    case .byAlbum: return sorted(all) { album($0) + [text($0.groupArtist)] + place($0) }
    case .recentlyAdded:
      return sorted(all) { [.number($0.addedAt.map { Int($0.timeIntervalSince1970) } ?? .min), id($0)] }.reversed()
    case .mostPlayed: return sorted(all.filter { $0.playCount > 0 }) { [.number($0.playCount), id($0)] }.reversed()
    case .rated(let least): return sorted(all.filter { $0.rating ?? -1 >= least }) { [.number($0.rating ?? 0), id($0)] }.reversed()
    case .ofAlbum(let id): return sorted(all.filter { $0.albumID == id }, by: place)
    case .ofArtist(let name):
      let guests = all.filter { $0.artist == name && $0.groupArtist != name }
      return sorted(all.filter { $0.groupArtist == name }) { album($0) + place($0) } + sorted(guests) { album($0) + place($0) }
    }
  }

  enum Value: Comparable {
    case number(Int)
    case text([UInt8])

    static func < (left: Value, right: Value) -> Bool {
      switch (left, right) {
      case (.number(let left), .number(let right)): left < right
      case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
      default: false
      }
    }
  }
}
