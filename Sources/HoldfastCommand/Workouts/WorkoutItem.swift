import Foundation
import Holdfast
import HoldfastWorkouts

/// Something of a workout log that can be shown. Exercises are what workouts say and have no ids of their own: they get one that is made
/// of their name, case and accents apart.
enum WorkoutItem: Equatable {
  case workout(UUID)
  case exercise(String)
  case template(UUID)

  static let kinds = ["workout", "exercise", "template"]

  var kind: String {
    switch self {
    case .workout: "workout"
    case .exercise: "exercise"
    case .template: "template"
    }
  }

  var id: UUID {
    switch self {
    case .exercise(let name): NewID.derived(from: JSONValue.array([.string("exercise"), .string(SortText.folded(name))]).canonicalText())
    case .workout(let id), .template(let id): id
    }
  }
}

/// Workouts, exercises and templates, by what a person calls them.
struct WorkoutLookup {
  let text: String
  let reader: Reader

  init(text: String, in reader: Reader) {
    self.text = text
    self.reader = reader
  }

  /// - Throws: `.notFound`; `ambiguous` with what it could mean.
  func item() throws -> WorkoutItem { try Lookup.one(text, of: WorkoutItem.kinds, named: named, beginning: beginning) }

  /// In any case, with or without accents.
  private func named() throws -> [Lookup.Found<WorkoutItem>] {
    let wanted = SortText.folded(text)
    var similar: [(name: String, found: Lookup.Found<WorkoutItem>)] = []
    try reader.rows("SELECT id, name, state, started_at FROM workouts ORDER BY started_at DESC, id DESC", of: "workouts") { row in
      let (id, name, state, start) = (try row.id(), try row.text(), try row.text(), try row.date())
      guard SortText.folded(name) == wanted else { return }
      similar.append((name, workout(id, name, state, start)))
    }
    for name in try names(where: "name_key = \(wanted)") {
      // However a person writes it, it is this one.
      similar.append((SortText.folded(name) == wanted ? text : name, found(.exercise(name), name)))
    }
    return Lookup.closest(text, similar)
  }

  private func beginning(_ prefix: String) throws -> [Lookup.Found<WorkoutItem>] {
    let end = Lookup.end(of: prefix)
    var beginning = try reader.values(
      "SELECT id, name, state, started_at FROM workouts WHERE id >= \(prefix) AND id < \(end) LIMIT 6"
    ) { row in
      workout(try row.id(), try row.text(), try row.text(), try row.date())
    }
    for name in try names(where: "name_key IS NOT NULL") {
      let item = WorkoutItem.exercise(name)
      if IDCodec.lowercase(item.id).hasPrefix(prefix) { beginning.append(found(item, name)) }
    }
    return beginning
  }

  /// One name for each exercise, of workouts, of templates or added.
  private func names(where condition: BoundSQL) throws -> [String] {
    try reader.values(
      """
      SELECT min(name) FROM (
        SELECT name, name_key FROM exercises WHERE \(sql: condition) UNION ALL SELECT name, name_key FROM custom_exercises WHERE \(sql: condition))
      GROUP BY name_key
      """
    ) { row in try row.text() }
  }

  private func workout(_ id: UUID, _ name: String, _ state: String, _ start: Date) -> Lookup.Found<WorkoutItem> {
    state == "template" ? found(.template(id), name) : found(.workout(id), "\(name), \(DisplayText.time(start))")
  }

  private func found(_ item: WorkoutItem, _ name: String) -> Lookup.Found<WorkoutItem> {
    Lookup.Found(place: item, label: "\(item.kind) \(IDCodec.lowercase(item.id)) (\(DisplayText.cut(name, to: 40)))")
  }
}
