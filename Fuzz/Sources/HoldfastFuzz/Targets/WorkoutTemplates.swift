import Foundation
import Holdfast

/// The first app's `workout_template.json`.
struct WorkoutTemplates: WorkoutTarget {
  let name = "workout-templates"
  let file = "workout_template.json"
  var saysWhere: Bool { true }

  private static let keys = [
    "title", "date", "exercises", "sets", "id", "name", "unit", "weight", "reps", "rpe", "type", "rest_seconds", "warm_up_rest_seconds",
    "default_rest_seconds", "superset", "unknown", "",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    .document(&random, keys: Self.keys) { random in
      random.chance(2, of: 3)
        ? Self.template(&random) : .array((0..<Int.random(in: 1...3, using: &random)).map { _ in Self.template(&random) })
    } counts: { root in
      guard let templates = root as? [Any] ?? (root as? [String: Any]).map({ [$0] }) else { return nil }
      // A group that is not a list counts as one unreadable record.
      let exercises = WorkoutJSON.elements("exercises", of: templates).flatMap { $0 as? [Any] ?? [$0] }
      let groups = WorkoutJSON.elements("exercises", of: templates).filter { !($0 is [Any]) }
      let sets = WorkoutJSON.elements("sets", of: exercises).count - WorkoutJSON.elements("sets", of: groups).count
      return ["workouts": templates.count, "exercises": exercises.count, "exercise_sets": sets]
    }
  }

  private static func template(_ random: inout SeededRandom) -> Node {
    let groups = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Node.array((0..<Int.random(in: 0...2, using: &random)).map { _ in exercise(&random) })
    }
    return .object([
      ("title", name(&random)),
      ("date", .string(random.pick(["2025-04-08T11:00:00", "2025-03-30T02:30:00", "1500-03-01T00:00:00"], otherwise: ""))),
      ("exercises", .array(groups)),
    ])
  }

  private static func exercise(_ random: inout SeededRandom) -> Node {
    let sets = (0..<Int.random(in: 0...3, using: &random)).map { _ in
      Node.object([
        ("weight", value("45.5", &random)), ("unit", value("\"lb\"", &random)), ("reps", value("12", &random)),
        ("rpe", value("9", &random)),
        ("type", .string(random.pick(["Working", "Warm-up", "warmUp", "Cluster"], otherwise: ""))), ("rest_seconds", value("60", &random)),
        ("warm_up_rest_seconds", value("30", &random)),
      ])
    }
    return .object([
      ("id", .string(random.worldID())), ("name", name(&random)), ("sets", .array(sets)), ("unit", value("\"lbs\"", &random)),
      ("default_rest_seconds", value("90", &random)), ("default_warm_up_rest_seconds", value("30", &random)),
    ])
  }

  private static func name(_ random: inout SeededRandom) -> Node { .string(random.pick(WorkoutTexts.names, otherwise: "")) }

  private static func value(_ text: String, _ random: inout SeededRandom) -> Node {
    .raw(random.pick(["null", text], otherwise: "null"))
  }
}
