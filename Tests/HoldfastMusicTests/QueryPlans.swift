import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Query plans") struct QueryPlans {
  /// What may walk through a whole table, by verb. Everything else must find its rows by an index, or stop at its page's limit.
  static let declared: [String: Set<String>] = [
    "load all tracks": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    "load all playlists": [
      "SCAN collections USING INDEX collections_in_order", "SCAN collection_tracks USING COVERING INDEX collection_tracks_in_order",
    ],
    "save what is there": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    "save fewer tracks": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    // The rows of the playlists without their entries: there are few.
    "save a new playlist": playlists, "save the playlists that are there": playlists, "save another name": playlists,
    "save another order": playlists, "save fewer playlists": playlists, "save a folder as a playlist": playlists,
    "remove unused artwork": ["SCAN artwork"], "count": counted,
    "statistics": counted.union(["SCAN tracks", "SCAN tracks USING COVERING INDEX tracks_by_added_at"]),
  ]

  private static let playlists: Set<String> = ["SCAN collections USING INDEX collections_in_order"]
  private static let counted: Set<String> = [
    "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1", "SCAN tracks USING COVERING INDEX tracks_by_album", "SCAN of_album",
    "SCAN tracks USING COVERING INDEX tracks_by_artist", "SCAN of_artist", "SCAN collections",
  ]

  /// What may be sorted, which no page can wait for: the albums of one artist.
  static let sorted: [String: Set<String>] = [
    "list artists": ["USE TEMP B-TREE FOR count(DISTINCT)"],
    // The whole library is counted, and the ten greatest of what was counted are taken.
    "statistics": ["USE TEMP B-TREE FOR GROUP BY", "USE TEMP B-TREE FOR ORDER BY"],
  ]

  @Test("every statement of every verb finds its rows by an index, except where a whole table is asked for, and sorts nothing")
  func plans() throws {
    var scans: [String: Set<String>] = [:]
    var sorts: [String: Set<String>] = [:]
    var statements = 0
    for verb in VerbCase.reads + VerbCase.writes {
      let world = try World.inMemory()
      let known = try VerbCase.prepare(world)
      _ = world.statements.take()
      try verb.run(world.library, known)
      let texts = world.statements.take()
      #expect(!texts.isEmpty, "\(verb.name) runs no statement")
      statements += texts.count
      for text in texts {
        let steps = try world.store.read { try $0.queryPlan(text) }
        let sorting = steps.filter { $0.hasPrefix("USE TEMP B-TREE") }
        sorts[verb.name, default: []].formUnion(sorting)
        // A page that goes on after a key must not begin at the beginning.
        let isFirstPage = text.contains(" LIMIT ") && !text.contains(") > (") && !text.contains(") < (")
        if !isFirstPage || sorting.contains(where: { $0.hasSuffix("BY") }) { scans[verb.name, default: []].formUnion(steps.filter(isScan)) }
      }
    }
    #expect(scans.filter { !$0.value.isEmpty } == Self.declared)
    #expect(sorts.filter { !$0.value.isEmpty } == Self.sorted)
    #expect(statements > 100)
  }

  @Test("every verb is among those that are tested in both forms, and every kind of updates is followed")
  func completeness() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    func text(_ file: String) throws -> String { try String(contentsOf: here.appendingPathComponent(file), encoding: .utf8) }
    let verbs = here.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/HoldfastMusic/Verbs")
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: verbs, includingPropertiesForKeys: nil) {
      let found = try String(contentsOf: file, encoding: .utf8).matches(of: #/  public func (\w+)\(/#)
      names.formUnion(found.map { String($0.1) })
    }
    #expect(names.count > 30)
    let (blocking, async, observed) = (try text("AllVerbs.swift"), try text("BothForms.swift"), try text("Observation.swift"))
    for name in names.sorted() {
      if name.hasSuffix("Updates") {
        #expect(observed.contains("library.\(name)("), "\(name) is not followed")
      } else {
        #expect(blocking.contains("library.\(name)("), "\(name) is no verb case")
        #expect(async.contains("await library.\(name)("), "\(name) is not called from a task")
      }
    }
  }

  /// A virtual table is asked by its own index; constants and common table expressions are not tables.
  private func isScan(_ detail: String) -> Bool {
    detail.hasPrefix("SCAN ") && !detail.contains("VIRTUAL TABLE") && !detail.contains("CONSTANT ROW") && detail != "SCAN above"
  }
}
