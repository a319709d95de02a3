import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Search") struct Searching {
  /// For tests that change nothing.
  private static let shelf: Task<World, any Error> = Task { try await filled(World.inMemory()) }

  /// A shelf in several scripts.
  private static func filled(_ world: World) async throws -> World {
    var random = SeededGenerator(seed: 110)
    let lines: [(title: String, artist: String, album: String, albumArtist: String?, genre: String?)] = [
      ("Halo", "Beyoncé", "I Am… Sasha Fierce", nil, "R&B"), ("月亮代表我的心", "邓丽君", "淡淡幽情", nil, "华语流行"),
      ("さくら", "宇多田ヒカル", "初恋", nil, "J-Pop"), ("Thunderstruck", "AC/DC", "The Razors Edge", nil, "Hard Rock"),
      ("Don’t Stop Me Now", "Queen", "Jazz", nil, "Rock"), ("Under Pressure", "Queen & David Bowie", "Hot Space", "Queen", "Rock"),
      ("Čudno jutro", "Oliver", "Naïve", nil, nil), ("งานวิจัย", "Not", "Or", nil, nil),
    ]
    try await world.library.saveTracks(
      lines.map { line in
        var track = Sample.track(line.title, artist: line.artist, album: line.album, &random)
        (track.albumArtist, track.genre) = (line.albumArtist, line.genre)
        return track
      })
    return world
  }

  @Test(
    "what people type is found",
    arguments: [
      ("beyonce", ["Halo"]), ("BEYONCÉ halo", ["Halo"]), ("hal bey", ["Halo"]), ("sasha", ["Halo"]), ("代表", ["月亮代表我的心"]),
      ("我的心", ["月亮代表我的心"]), ("心", ["月亮代表我的心"]), ("丽君 月亮", ["月亮代表我的心"]), ("流行", ["月亮代表我的心"]), ("くら", ["さくら"]),
      ("ヒカ", ["さくら"]), ("初恋", ["さくら"]), ("j-pop", ["さくら"]), ("ac/dc", ["Thunderstruck"]), ("thund", ["Thunderstruck"]),
      ("hard", ["Thunderstruck"]), ("don't", ["Don’t Stop Me Now"]), ("queen", ["Don’t Stop Me Now", "Under Pressure"]),
      ("queen rock pressure", ["Under Pressure"]), ("bowie", ["Under Pressure"]), ("cudno naive", ["Čudno jutro"]), ("วิจัย", ["งานวิจัย"]),
      ("not", ["งานวิจัย"]), ("or not", ["งานวิจัย"]), ("unknown", []),
    ])
  func found(text: String, expected: [String]) async throws {
    let library = try await Self.shelf.value.library
    #expect(try await library.search(text).map(\.title) == expected)
    #expect(try await Set(library.search(text, ranked: true).map(\.title)) == Set(expected))
  }

  @Test(
    "operators, quotes and columns are words without a meaning of their own",
    arguments: [
      ("\"", []), ("*", []), ("halo NOT queen", []), ("title:halo", []), ("(", []), ("halo)", ["Halo"]), ("^halo", ["Halo"]),
      ("NEAR(halo queen)", []), ("-", []), ("' OR 1=1 --", []), ("{title} : x", []), ("\0", []), ("ha\0be", ["Halo"]), ("halo AND", []),
    ] as [(String, [String])])
  func inert(text: String, expected: [String]) async throws {
    #expect(try await Self.shelf.value.library.search(text).map(\.title) == expected)
  }

  @Test("a text without a word finds nothing", arguments: ["", " ", "…", "*", "🎵"])
  func nothing(text: String) async throws {
    let library = try await Self.shelf.value.library
    #expect(try await library.search(text) == [])
    let page = try await library.search(text, after: nil, limit: 5)
    #expect(page.items == [] && page.next == nil)
  }

  @Test("what is found follows every change of a track")
  func changes() async throws {
    let world = try await Self.filled(World.temporary())
    var track = try #require(try await world.library.search("halo").first)
    track.title = "第1章 序曲"
    track.genre = "Pop"
    try await world.library.saveTracks([track])
    #expect(try await world.library.search("halo") == [])
    #expect(try await world.library.search("序曲 pop") == [track])
    try await world.library.recordPlay(of: track.id)
    #expect(try await world.library.search("beyonce").map(\.playCount) == [1])
    try await world.library.deleteTracks([track.id])
    #expect(try await world.library.search("beyonce") == [])
    try await world.store.vacuum()
    #expect(try await world.library.search("代表").count == 1)
    #expect(try world.isHealthy())
  }

  @Test("ranked results come best first, and a limit counts")
  func ranked() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 111)
    let long = "sea and ships and winds and harbours and islands and many other things"
    let tracks = [long, "sea", "the sea at night"].map { Sample.track($0, &random) }
    try await world.library.saveTracks(tracks)
    #expect(try await world.library.search("sea", ranked: true).map(\.title) == ["sea", "the sea at night", long])
    #expect(try await world.library.search("sea", ranked: true, limit: 1).map(\.title) == ["sea"])
    #expect(try await world.library.search("sea", limit: 2).count == 2)
    #expect(try await world.library.search("sea", limit: -5).count == 1)
    #expect(try await world.library.search("sea") == tracks)
  }
}
