import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Paging") struct Paging {
  private let list = PagedList<AudiobookLibrary>("collections") { try await $0.collections(after: $1, limit: $2) }

  @Test("pages of every size put together are the whole list, and a limit below one counts as one")
  func allPages() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 30)
    for number in 0..<12 {
      var collection = Sample.collection(&random, tracks: 0...3)
      // Three at a time are made in the same millisecond.
      collection.createdAt = Date(timeIntervalSince1970: Double(number / 3))
      try await world.library.save(collection)
    }
    try await list.checkSizes(in: world.library, atLeast: 12)
    let first = try await world.library.collections(after: nil, limit: 5)
    let rest = try await world.library.collections(after: first.next, limit: 7)
    #expect(try await first.items + rest.items == world.library.collections())
  }

  @Test("a row that was there all the time comes exactly once, whatever is added and removed between pages", arguments: [1, 2, 5])
  func changesBetweenPages(limit: Int) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 31)
    var kept: [UUID] = []
    var removable: [UUID] = []
    for number in 0..<20 {
      var collection = Sample.collection(&random, tracks: 0...1)
      collection.createdAt = Date(timeIntervalSince1970: Double(number / 4))
      try await world.library.save(collection)
      if number % 5 == 0 { removable.append(collection.id) } else { kept.append(collection.id) }
    }
    let found = try await list.items(of: world.library, limit: limit) {
      var added = Sample.collection(&random, tracks: 0...1)
      added.createdAt = Date(timeIntervalSince1970: Double(Int.random(in: 0..<6, using: &random)))
      try await world.library.save(added)
      if let id = removable.popLast() { try await world.library.deleteCollection(id) }
    }
    #expect(Set(found).count == found.count, "none twice")
    #expect(Set(kept.map { "\($0)" }).isSubset(of: found), "none left out")
  }

  @Test("a page of an empty library is the last")
  func empty() async throws {
    let page = try await World.temporary().library.collections(after: nil, limit: 10)
    #expect(page.items == [] && page.next == nil)
  }
}
