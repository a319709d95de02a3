import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Tags") struct Tags {
  @Test("tags keep the order in which they were given, each once")
  func order() async throws {
    let collection = Sample.collection("Book")
    let world = try await World.holding(collection)
    var answers: [Bool] = []
    for tag in ["sci-fi", "中文", "a", "sci-fi"] { answers.append(try await world.library.addTag(tag, to: collection.id)) }
    #expect(answers == [true, true, true, false])
    #expect(try await world.library.collection(collection.id)?.tags == ["sci-fi", "中文", "a"])
    #expect(try await world.library.removeTag("中文", from: collection.id))
    #expect(try await world.library.removeTag("中文", from: collection.id) == false)
    try await world.library.addTag("中文", to: collection.id)
    #expect(try await world.library.collection(collection.id)?.tags == ["sci-fi", "a", "中文"])
  }

  @Test("two spellings of one accent are one tag")
  func spelling() async throws {
    let collection = Sample.collection("Book")
    let world = try await World.holding(collection)
    try await world.library.addTag("caf\u{E9}", to: collection.id)
    #expect(try await world.library.addTag("cafe\u{301}", to: collection.id) == false)
    #expect(try await world.library.removeTag("cafe\u{301}", from: collection.id))
    #expect(try await world.library.tags() == [])
  }

  @Test("saving a collection whose tag is spelled otherwise keeps one tag, and a twin that is there goes")
  func savedSpelling() async throws {
    var collection = Sample.collection("Book")
    collection.tags = ["b", "caf\u{E9}"]
    let world = try await World.holding(collection)
    collection.tags = ["cafe\u{301}", "b"]
    try await world.library.save(collection)
    func stored() throws -> [[Unicode.Scalar]] {
      try world.store.read { reader in
        try reader.values("SELECT tag FROM tags ORDER BY position") { row in Array(try row.text().unicodeScalars) }
      }
    }
    #expect(try stored() == [Array("caf\u{E9}".unicodeScalars), Array("b".unicodeScalars)])
    try await world.store.write { [id = collection.id] tx in
      _ = try tx.execute("INSERT INTO tags (collection_id, tag, position) VALUES (\(id), \("cafe\u{301}"), 99999)")
    }
    try await world.library.save(collection)
    #expect(try stored().count == 2)
  }

  @Test("a tag that is there already, or was not, changes nothing")
  func unchanged() async throws {
    let collection = Sample.collection("Book")
    let world = try await World.holding(collection)
    try await world.library.addTag("one", to: collection.id)
    #expect(try world.store.rowsChanged { _ = try AudiobookLibrary.addTag("one", to: collection.id, in: $0) } == 0)
    #expect(try world.store.rowsChanged { _ = try AudiobookLibrary.removeTag("two", from: collection.id, in: $0) } == 0)
    #expect(await asyncCode { try await world.library.addTag("one", to: UUID()) } == .notFound)
  }

  @Test("tags are counted, and lead to their collections, newest first")
  func listing() async throws {
    let world = try World.temporary()
    var books = (1...3).map { Sample.collection("Book \($0)", tracks: ["One"], created: world.clock.advance(), seed: $0) }
    books[0].tags = ["b", "a"]
    books[2].tags = ["b"]
    for book in books { try await world.library.save(book) }
    #expect(try await world.library.tags().map { "\($0.tag) \($0.collections)" } == ["a 1", "b 2"])
    #expect(try await world.library.collections(taggedWith: "b") == [books[2], books[0]])
    #expect(try await world.library.collections(taggedWith: "c") == [])
  }

  @Test("a tag can be added when the positions have run out")
  func noRoom() async throws {
    var collection = Sample.collection("Book")
    collection.tags = ["a", "b"]
    let world = try await World.holding(collection)
    try await world.store.write { tx in _ = try tx.execute("UPDATE tags SET position = \(Int64.max) WHERE tag = 'b'") }
    try await world.library.addTag("c", to: collection.id)
    #expect(try await world.library.collection(collection.id)?.tags == ["a", "b", "c"])
    #expect(try world.isHealthy())
  }
}
