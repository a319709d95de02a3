import Foundation
import Holdfast

// snippet: bird-log
/// One bird that somebody saw: a row of `sightings`.
struct Sighting: StoredRecord, Codable, Hashable, Identifiable {
  static let table = "sightings"
  var id: UUID
  var species: String
  var sortName = ""  // sort_name: Émeu stands beside emu
  var seenAt: Date  // seen_at, INTEGER milliseconds
  /// What a weather service answered: JSON text, kept as it came, decoded by `weather.decoded()` only.
  var weather = StoredJSON<[String: String]>.empty
}

/// The birds that somebody has seen.
struct BirdLog: Library {
  let store: Store
  init(_ store: Store) { self.store = store }

  static let schema = StoreSchema(
    "birds",
    migrations: [
      Migration(
        "birds/001-sightings",
        sql: """
          CREATE TABLE sightings (
            rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, species TEXT NOT NULL CHECK (species <> ''),
            seen_at INTEGER NOT NULL, weather TEXT NOT NULL DEFAULT '{}'
          ) STRICT;
          CREATE INDEX sightings_by_time ON sightings (seen_at, id);
          """),
      // The second version. Swift fills the new column. The closure reads columns, because `Sighting` may change later.
      Migration("birds/002-sort-names", version: "1") { tx in
        try tx.execute("ALTER TABLE sightings ADD COLUMN sort_name TEXT NOT NULL DEFAULT ''")
        let birds = try tx.values("SELECT id, species FROM sightings") { row in (id: try row.id(), species: try row.text()) }
        for bird in birds {
          try tx.execute("UPDATE sightings SET sort_name = \(SortText.folded(bird.species)) WHERE id = \(bird.id)")
        }
      },
    ],
    records: [Sighting.self], declarations: [.fullText("sightings_search", of: "sightings", ["species"])])

  /// - Throws: `.constraint` for an empty species.
  func save(_ sighting: Sighting) async throws {
    var sighting = sighting
    sighting.sortName = SortText.folded(sighting.species)
    try await store.write { [sighting] tx in try tx.upsert(sighting) }
  }

  /// The newest sighting; nil when there is none.
  func newest() async throws -> Sighting? { try await store.read { try $0.first(Sighting.self, "ORDER BY seen_at DESC, id DESC") } }

  func search(_ text: String) async throws -> [Sighting] {
    try await store.read { try $0.search(Sighting.self, in: "sightings_search", for: text) }
  }

  /// All sightings by name, now and after each change.
  func updates() -> Updates<[Sighting]> { store.updates { try $0.all(Sighting.self, "ORDER BY sort_name, species, seen_at, id") } }
}
// end

func watchingBirds(in folder: URL) async throws {
  // snippet: bird-log-use
  let log = try BirdLog.open(at: folder.appendingPathComponent("birds.sqlite"))
  try await log.save(Sighting(id: NewID.v7(), species: "Émeu", seenAt: .now))
  for try await sightings in log.updates() { print(sightings.map(\.species)) }
  // end
}
