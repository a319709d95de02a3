import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Paging") struct Paging {
  @Test("pages of every size put together are the whole list", arguments: [1, 2, 3, 7, 12, 100])
  func allPages(limit: Int) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 30)
    for number in 0..<12 {
      var collection = Sample.collection(&random, tracks: 0...3)
      // Three at a time are made in the same millisecond.
      collection.createdAt = Date(timeIntervalSince1970: Double(number / 3))
      try await world.library.save(collection)
    }
    #expect(try await pages(world, limit) == world.library.collections())
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
    let found = try await pages(world, limit) {
      var added = Sample.collection(&random, tracks: 0...1)
      added.createdAt = Date(timeIntervalSince1970: Double(Int.random(in: 0..<6, using: &random)))
      try await world.library.save(added)
      if let id = removable.popLast() { try await world.library.deleteCollection(id) }
    }.map(\.id)
    #expect(Set(found).count == found.count, "none twice")
    #expect(Set(kept).isSubset(of: found), "none left out")
  }

  @Test("a limit below one counts as one, and a page of an empty library is the last")
  func limits() async throws {
    let world = try World.temporary()
    let empty = try await world.library.collections(after: nil, limit: 10)
    #expect(empty.items == [] && empty.next == nil)
    for seed in 1...2 { try await world.library.save(Sample.collection("Book", seed: UInt64(seed))) }
    #expect(try await world.library.collections(after: nil, limit: 0).items.count == 1)
    #expect(try await world.library.collections(after: nil, limit: .min).items.count == 1)
  }

  private func pages(_ world: World, _ limit: Int, between: () async throws -> Void = {}) async throws -> [AudiobookCollection] {
    var found: [AudiobookCollection] = []
    var key: PageKey?
    repeat {
      let page = try await world.library.collections(after: key, limit: limit)
      found += page.items
      key = page.next
      if key != nil { try await between() }
    } while key != nil && found.count < 1000
    return found
  }
}
