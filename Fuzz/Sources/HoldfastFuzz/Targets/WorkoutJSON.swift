import Foundation
import Holdfast

/// The app's own JSON in both shapes: the workout in progress, a copy of one, a history.
struct WorkoutJSON: WorkoutTarget {
  let name = "workout-json"
  let file = "current-workout.json"
  var saysWhere: Bool { true }

  private static let keys = [
    "id", "name", "note", "start_timestamp", "startTimestamp", "end_timestamp", "endTimestamp", "exercises", "sets", "superset_id",
    "workout_id", "workoutId", "pinned_notes", "notes", "body_part", "suggest", "actual", "weight", "reps", "is_completed", "isCompleted",
    "exercise_id", "set_index", "completed_at", "distance", "unknown", "",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    .document(&random, keys: Self.keys) { random in
      var nodes = WorkoutNodes(random: random)
      defer { random = nodes.random }
      return nodes.document()
    } counts: { root in
      guard let workouts = root as? [Any] ?? (root as? [String: Any]).map({ [$0] }) else { return nil }
      let exercises = Self.elements("exercises", of: workouts)
      return ["workouts": workouts.count, "exercises": exercises.count, "exercise_sets": Self.elements("sets", of: exercises).count]
    }
  }

  static func elements(_ key: String, of list: [Any]) -> [Any] { list.flatMap { (($0 as? [String: Any])?[key] as? [Any]) ?? [] } }
}

/// Small valid documents.
private struct WorkoutNodes {
  var random: SeededRandom
  /// Whether keys are in camelCase, as in the first app's JSON.
  private var isFirst = false

  init(random: SeededRandom) { self.random = random }

  mutating func document() -> Node {
    isFirst = random.chance(1, of: 2)
    guard random.chance(2, of: 3) else { return workout() }
    return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in workout() })
  }

  private mutating func workout() -> Node {
    let id = random.worldID()
    let exercises = (0..<Int.random(in: 0...3, using: &random)).map { _ in exercise(in: id) }
    return object([
      ("id", .string(id)), ("name", name()), ("note", random.chance(1, of: 3) ? name() : .raw("null")), ("duration", number("3600")),
      ("start_timestamp", date()), ("end_timestamp", random.chance(1, of: 3) ? .raw("null") : date()), ("exercises", .array(exercises)),
    ])
  }

  private mutating func exercise(in workout: String) -> Node {
    let id = random.worldID()
    let sets = (0..<Int.random(in: 0...3, using: &random)).map { set(of: id, in: workout, at: $0) }
    let part = Node.object([
      ("main", .string(random.pick(["chest", "neck"], otherwise: ""))), ("detailed", .array([name()])), ("scientific", .raw("null")),
    ])
    return object([
      ("id", .string(id)), ("superset_id", number("0")), ("workout_id", .string(workout)), ("name", name()),
      ("pinned_notes", .array([])), ("notes", .array([name(), name()])), ("duration", number("60")),
      ("type", .string(random.pick(WorkoutTexts.types, otherwise: ""))), ("weight_unit", .string("kg")),
      ("default_warm_up_time", number("30")), ("default_rest_time", number("90")), ("sets", .array(sets)),
      ("body_part", random.chance(1, of: 2) ? part : .raw("null")),
    ])
  }

  private mutating func set(of exercise: String, in workout: String, at index: Int) -> Node {
    let suggest = [
      ("weight", number("40.5")), ("reps", number("8")), ("rep_range", number("12")), ("duration", number("30")), ("rpe", number("7.5")),
      ("rest_time", number("60")),
    ]
    let actual = [
      ("weight", number("-0.0")), ("reps", number("5.0")), ("duration", number("31")), ("rpe", number("8")),
      ("actual_rest_time", number("65")),
    ]
    var members: [(String, Node)] = [
      ("id", .string(random.worldID())), ("type", .string(random.pick(WorkoutTexts.setTypes, otherwise: ""))),
      ("weight_unit", random.chance(1, of: 2) ? .string("lb") : .raw("null")), ("suggest", object(suggest)), ("actual", object(actual)),
      ("is_completed", .raw(random.chance(1, of: 2) ? "true" : "false")), ("exercise_id", .string(exercise)),
      ("workout_id", .string(workout)),
      ("set_index", .raw("\(index)")),
    ]
    if random.chance(1, of: 6) { members.append(("completed_at", date())) }
    if random.chance(1, of: 6) { members.append(("note", name())) }
    return object(members)
  }

  private mutating func object(_ members: [(String, Node)]) -> Node {
    // The first app's encoder leaves out what has no value.
    let there = isFirst ? members.filter { if case .raw("null") = $0.1 { false } else { true } } : members
    return .object(there.map { (key($0.0), $0.1) })
  }

  private func key(_ name: String) -> String {
    guard isFirst else { return name }
    return name.split(separator: "_").enumerated().map { $0.offset == 0 ? String($0.element) : $0.element.capitalized }.joined()
  }

  private mutating func name() -> Node { .string(random.pick(WorkoutTexts.names, otherwise: "")) }

  private mutating func number(_ text: String) -> Node { .raw(random.pick(["null", text, text, "0"], otherwise: "0")) }

  private mutating func date() -> Node {
    isFirst
      ? .raw(random.pick(["784035682", "784035682.1234567", "-63114076800", "0", "1e9", "784035682.0005"], otherwise: "0"))
      : .string(
        random.pick(
          [
            "2025-12-25T10:15:30.123456789Z", "2025-12-25T10:15:30Z", "1969-12-31T23:59:59.999500000Z", "2025-12-25T10:15:30.5+01:00",
            "0001-01-01T00:00:00Z",
          ], otherwise: ""))
  }
}
