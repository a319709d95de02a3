import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Search") struct Searching {
  /// For tests that change nothing.
  private static let shelf: Task<World, any Error> = Task { try await filled(World.inMemory()) }

  /// A shelf in several scripts.
  private static func filled(_ world: World) async throws -> World {
    let books = [
      ("三体", "刘慈欣", ["001 序章.mp3", "第1章 科学边界"]), ("吾輩は猫である", "夏目漱石", ["誤字を修正しました"]),
      ("Les Misérables", "Victor Hugo", ["Préface", "L’auteur à ses lecteurs"]), ("Čarobnjak iz Oza", nil, ["Ciklon"]),
      ("The Long Way", "AC/DC", ["Chapter 1", "Chapter 2", "Chapter 10"]), ("งานวิจัย", nil, ["บทนำ"]),
    ]
    for (number, (title, author, tracks)) in books.enumerated() {
      try await world.library.save(Sample.collection(title, author: author, tracks: tracks, seed: UInt64(number + 1)))
    }
    return world
  }

  private func names(_ hits: [SearchHit]) -> [String] {
    hits.map {
      switch $0 {
      case .collection(_, let title, _): title
      case .track(_, let name, _, let title): "\(title) / \(name)"
      }
    }
  }

  @Test(
    "what people type is found",
    arguments: [
      ("三体", ["三体"]), ("体", ["三体"]), ("刘慈", ["三体"]), ("序章", ["三体 / 001 序章.mp3"]), ("科学", ["三体 / 第1章 科学边界"]),
      ("修正", ["吾輩は猫である / 誤字を修正しました"]), ("は猫", ["吾輩は猫である"]), ("猫 夏目", ["吾輩は猫である"]),
      ("miserables", ["Les Misérables"]), ("MISÉRABLES", ["Les Misérables"]), ("hug", ["Les Misérables"]),
      ("preface", ["Les Misérables / Préface"]), ("carobnjak", ["Čarobnjak iz Oza"]), ("ac/dc", ["The Long Way"]),
      ("chapter 10", ["The Long Way / Chapter 10"]), ("วิจัย", ["งานวิจัย"]), ("long the", ["The Long Way"]),
    ])
  func found(text: String, expected: [String]) async throws {
    let library = try await Self.shelf.value.library
    #expect(names(try await library.search(text)) == expected)
    #expect(names(try await library.search(text, ranked: true)) == expected)
  }

  @Test(
    "operators, quotes and columns are words without a meaning of their own",
    arguments: [
      "\"", "*", "NOT", "long NOT way", "title:long", "(", "long)", "^long", "NEAR(long way)", "-", "' OR 1=1 --", "{title} : x", "\0",
      "a\0b",
    ])
  func inert(text: String) async throws {
    for hit in names(try await Self.shelf.value.library.search(text)) { #expect(hit.isEmpty == false) }
  }

  @Test("a text without a word finds nothing", arguments: ["", " ", "…", "*", "📚"])
  func nothing(text: String) async throws {
    #expect(try await Self.shelf.value.library.search(text) == [])
  }

  @Test("renamed and removed things are found by their new names only")
  func kept() async throws {
    let world = try await Self.filled(World.temporary())
    let hit = try #require(try await world.library.search("猫").first)
    guard case .collection(let id, _, _) = hit else { throw StoreError(.misuse, "expected a collection, found \(hit)") }
    try await world.library.renameCollection(id, to: "犬")
    #expect(names(try await world.library.search("猫")) == [])
    #expect(names(try await world.library.search("犬")) == ["犬"])
    var book = try #require(try await world.library.collection(id))
    book.author = "Plain"
    book.tracks = []
    try await world.library.save(book)
    #expect(names(try await world.library.search("夏目")) == [])
    #expect(names(try await world.library.search("plain")) == ["犬"])
    #expect(names(try await world.library.search("修正")) == [])
    #expect(try world.isHealthy())
  }

  @Test("ranked results come best first, and a limit counts for collections and for tracks")
  func ranked() async throws {
    let world = try World.temporary()
    let long = "sea and ships and winds and harbours and islands and many other things"
    for (number, title) in [long, "sea", "the sea at night"].enumerated() {
      try await world.library.save(Sample.collection(title, tracks: [title], seed: UInt64(number + 1)))
    }
    let hits = names(try await world.library.search("sea", ranked: true))
    #expect(hits.prefix(3) == ["sea", "the sea at night", long])
    #expect(names(try await world.library.search("sea", ranked: true, limit: 1)) == ["sea", "sea / sea"])
    #expect(try await world.library.search("sea", limit: 2).count == 4)
    #expect(try await world.library.search("sea", limit: -5).count == 2)
  }

  @Test("VACUUM leaves search right")
  func vacuum() async throws {
    let world = try await Self.filled(World.temporary())
    for hit in try await world.library.search("the long") {
      if case .collection(let id, _, _) = hit { try await world.library.deleteCollection(id) }
    }
    try await world.store.vacuum()
    #expect(names(try await world.library.search("三体")) == ["三体"])
    #expect(names(try await world.library.search("修正")) == ["吾輩は猫である / 誤字を修正しました"])
    #expect(try world.isHealthy())
  }
}
