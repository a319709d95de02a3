import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Query plans") struct QueryPlans {
  /// What may walk through a whole table, by verb. Everything else must find its rows by an index, or stop at its page's limit.
  static let declared: [String: Set<String>] = [
    // Everything is asked for, each table as it is stored.
    "load all workouts": ["SCAN exercises", "SCAN exercise_sets"],
    "load all custom exercises": ["SCAN custom_exercises USING INDEX sqlite_autoindex_custom_exercises_2"],
    // From one name to the next; each step is a search. `used` has a row for each name of the page.
    "list names of exercises": ["SCAN names", "SCAN used"],
    // Whether there is one: the first row is enough.
    "add sample workouts": [
      "SCAN workouts USING COVERING INDEX sqlite_autoindex_workouts_1",
      "SCAN custom_exercises USING COVERING INDEX sqlite_autoindex_custom_exercises_2",
    ],
  ]

  /// What may be sorted, which no page can wait for.
  static let sorted: [String: Set<String>] = [
    // There are few.
    "list names of exercises": ["USE TEMP B-TREE FOR ORDER BY"],
    // All sets of one exercise are asked for: its index finds them without a look into every workout.
    "records of an exercise": ["USE TEMP B-TREE FOR ORDER BY"], "progress of an exercise": ["USE TEMP B-TREE FOR ORDER BY"],
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
      try verb.run(world.log, known)
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
    #expect(statements > 150)
  }

  @Test("every verb is among those that are tested in both forms, and every kind of updates is followed")
  func completeness() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    func text(_ file: String) throws -> String { try String(contentsOf: here.appendingPathComponent(file), encoding: .utf8) }
    let names = try VerbCase.names()
    #expect(names.count > 55)
    let (blocking, async, observed) = (try text("AllVerbs.swift"), try text("BothForms.swift"), try text("Observation.swift"))
    for name in names.sorted() {
      if name.hasSuffix("Updates") {
        #expect(observed.contains("log.\(name)("), "\(name) is not followed")
      } else {
        #expect(blocking.contains("log.\(name)("), "\(name) is no verb case")
        #expect(async.contains("await log.\(name)("), "\(name) is not called from a task")
      }
    }
  }

  /// A virtual table is asked by its own index; constants are not tables.
  private func isScan(_ detail: String) -> Bool {
    detail.hasPrefix("SCAN ") && !detail.contains("VIRTUAL TABLE") && !detail.contains("CONSTANT ROW")
  }
}
