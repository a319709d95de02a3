import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Query plans") struct QueryPlans {
  /// What may walk through a whole table, by verb. Everything else must find its rows by an index.
  static let declared: [String: Set<String>] = [
    "load all": [
      "SCAN collections USING INDEX collections_by_created_at", "SCAN tracks USING INDEX tracks_in_order", "SCAN playback_states",
      "SCAN favorites", "SCAN tags USING INDEX sqlite_autoindex_tags_1",
    ],
    // Stops at the page's limit.
    "load a page": ["SCAN collections USING INDEX collections_by_created_at"],
    "load all states": ["SCAN playback_states"],
    "resume": ["SCAN c"],
    "list tags": ["SCAN tags USING COVERING INDEX tags_by_tag"],
    "count": [
      "SCAN collections USING COVERING INDEX sqlite_autoindex_collections_1", "SCAN t USING INDEX tracks_in_order", "SCAN per_collection",
      "SCAN favorites USING COVERING INDEX favorites_by_collection",
    ],
    "most heard": ["SCAN s USING INDEX playback_states_by_collection"],
  ]

  @Test("every statement of every verb finds its rows by an index, except where a whole table is asked for")
  func plans() throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    var found: [String: Set<String>] = [:]
    var statements = 0
    for verb in VerbCase.reads + VerbCase.writes {
      _ = world.statements.take()
      try verb.run(world.library, known)
      let texts = world.statements.take()
      #expect(!texts.isEmpty, "\(verb.name) runs no statement")
      let scans = try world.store.read { reader in try texts.flatMap(reader.queryPlan) }.filter(isScan)
      statements += texts.count
      if !scans.isEmpty { found[verb.name] = Set(scans) }
      try reset(world, known)
    }
    #expect(found == Self.declared)
    #expect(statements > 100)
  }

  /// A virtual table is asked by its own index; constants and common table expressions are not tables.
  private func isScan(_ detail: String) -> Bool {
    detail.hasPrefix("SCAN ") && !detail.contains("VIRTUAL TABLE") && !detail.contains("CONSTANT ROW")
  }

  /// Puts the small library back to what every verb expects.
  private func reset(_ world: World, _ known: VerbCase.Known) throws {
    for collection in try world.library.collections() { try world.library.deleteCollection(collection.id) }
    try world.library.save(known.book)
    try world.library.save(known.other)
  }
}
