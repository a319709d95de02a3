import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import Examples

/// `Examples/BirdLog.swift`, the library with which the guide begins, does what it says.
@Suite("The guide's first library")
struct BirdLogTests {
  private func sighting(_ species: String, _ number: Int) -> Sighting {
    Sighting(id: .numbered(number), species: species, seenAt: Date(timeIntervalSince1970: Double(number)))
  }

  private func names(_ log: BirdLog) async throws -> [String] { try await log.updates().first { _ in true }?.map(\.species) ?? [] }

  @Test("birds are kept, found by their words, ordered by name without accents, and the newest is known")
  func verbs() async throws {
    let log = try BirdLog.inMemory()
    #expect(try await log.newest() == nil)
    for (number, species) in ["Nandu", "Émeu", "emu"].enumerated() { try await log.save(sighting(species, number)) }
    #expect(try await names(log) == ["Émeu", "emu", "Nandu"])
    #expect(try await log.newest()?.species == "emu")
    #expect(try await log.search("nan").map(\.species) == ["Nandu"])
    #expect(await #expect(throws: StoreError.self) { try await log.save(sighting("", 9)) }?.code == .constraint)
  }

  @Test("a record without a condition is the first of its table, and nil where the table is empty")
  func firstOfAll() async throws {
    let log = try BirdLog.inMemory()
    #expect(try await log.store.read { try $0.first(Sighting.self) } == nil)
    try await log.save(sighting("Nandu", 1))
    #expect(try await log.store.read { try $0.first(Sighting.self) }?.species == "Nandu")
  }

  @Test("JSON of a service is kept as it came, and decoded when it is asked for")
  func weather() async throws {
    let log = try BirdLog.inMemory()
    var windy = sighting("Nandu", 1)
    windy.weather = StoredJSON(text: #"{ "wind" : "7" }"#)
    try await log.save(windy)
    let stored = try #require(try await log.newest())
    #expect(stored.weather.text == #"{ "wind" : "7" }"#)
    #expect(try stored.weather.decoded() == ["wind": "7"])
  }

  @Test("the second version fills its column in Swift, and loses no sighting")
  func migration() async throws {
    let folder = try TemporaryFolder()
    let old = try folder.store([BirdLog.schema.upTo(1)])
    try await old.write { tx in
      for (number, species) in ["Nandu", "Émeu"].enumerated() {
        try tx.execute("INSERT INTO sightings (id, species, seen_at) VALUES (\(UUID.numbered(number)), \(species), \(number))")
      }
    }
    try old.close()
    let log = BirdLog(try folder.store([BirdLog.schema]))
    #expect(try await names(log) == ["Émeu", "Nandu"])
    #expect(try await log.store.read { try $0.all(Sighting.self, "ORDER BY id") }.map(\.sortName) == ["nandu", "emeu"])
  }
}
