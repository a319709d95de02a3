import Foundation
import Holdfast
import HoldfastWorkouts

extension ShownLine {
  static let workoutColumns: [TextTable.Column] = [
    .text("ID"), .text("STARTED"), .flexible("WORKOUT"), .number("LENGTH"), .number("EXERCISES"), .number("SETS"),
  ]
  static let exerciseColumns: [TextTable.Column] = [
    .text("ID"), .flexible("EXERCISE"), .text("TYPE"), .text("BODY PART"), .number("WORKOUTS"), .text("LAST"),
  ]
  static let templateColumns: [TextTable.Column] = [.text("ID"), .flexible("TEMPLATE"), .number("EXERCISES"), .number("SETS")]

  init(_ workout: Workout) {
    self.init(
      cells: [
        IDCodec.lowercase(workout.id), DisplayText.time(workout.startedAt), workout.name,
        DisplayText.length(workout.durationSeconds.map(Double.init)), String(workout.exercises.count), String(Self.sets(workout.exercises)),
      ],
      json: .object([
        "id": .id(workout.id), "name": .string(workout.name), "note": .text(workout.note), "started_at": .time(workout.startedAt),
        "ended_at": .time(workout.endedAt), "duration_seconds": Self.number(workout.durationSeconds),
        "exercises": .number(workout.exercises.count), "sets": .number(Self.sets(workout.exercises)),
      ]))
  }

  init(_ exercise: ExerciseName) {
    let id = WorkoutItem.exercise(exercise.name).id
    self.init(
      cells: [
        IDCodec.lowercase(id), exercise.name, exercise.type == .unknown ? "" : exercise.type.rawValue,
        exercise.bodyPart?.main.rawValue ?? "", exercise.uses > 0 ? String(exercise.uses) : "", DisplayText.time(exercise.lastUsedAt),
      ],
      json: .object([
        "id": .id(id), "name": .string(exercise.name), "type": .string(exercise.type.rawValue),
        "body_part": .text(exercise.bodyPart?.main.rawValue), "uses": .number(exercise.uses), "last_used_at": .time(exercise.lastUsedAt),
        "is_custom": .bool(exercise.customExerciseID != nil),
      ]))
  }

  init(_ template: WorkoutTemplate) {
    self.init(
      cells: [
        IDCodec.lowercase(template.id), template.name, String(template.exercises.count), String(Self.sets(template.exercises)),
      ],
      json: .object([
        "id": .id(template.id), "name": .string(template.name), "note": .text(template.note),
        "exercises": .number(template.exercises.count), "sets": .number(Self.sets(template.exercises)),
      ]))
  }

  private static func sets(_ exercises: [Exercise]) -> Int { exercises.reduce(0) { $0 + $1.sets.count } }

  static func number(_ number: Int?) -> JSONValue { number.map(JSONValue.number) ?? .null }
}

/// What a set says, in words: `82.5 kg × 5 @8.5`.
struct SetWords {
  let unit: WeightUnit
  let distanceUnit: DistanceUnit

  init(_ set: ExerciseSet, of exercise: Exercise) {
    unit = set.weightUnit ?? exercise.weightUnit ?? .pounds
    distanceUnit = set.distanceUnit ?? .meters
  }

  func done(_ set: ExerciseSet) -> String {
    let actual = set.actual
    let words = words(actual.weight, actual.reps.map(String.init), actual.durationSeconds, actual.distance, actual.rpe)
    return set.isCompleted ? (words.isEmpty ? "done" : words) : (words.isEmpty ? "" : "(\(words))")
  }

  func planned(_ set: ExerciseSet) -> String {
    let plan = set.suggested
    let reps = plan.reps.map { reps in plan.repRange.map { "\(reps)–\($0)" } ?? String(reps) } ?? plan.repRange.map(String.init)
    return words(plan.weight, reps, plan.durationSeconds, nil, plan.rpe)
  }

  private func words(_ weight: Double?, _ reps: String?, _ seconds: Int?, _ distance: Double?, _ rpe: Double?) -> String {
    let load = weight.map { unit == .bodyweight ? "+\(Self.number($0))" : "\(Self.number($0)) \(unit.rawValue)" }
    var words = [load, reps].compactMap { $0 }.joined(separator: " × ")
    if load == nil, let reps { words = "× \(reps)" }
    if let distance { words += " \(Self.number(distance)) \(distanceUnit.rawValue)" }
    if let seconds { words += " \(DisplayText.length(Double(seconds)))" }
    if let rpe { words += " @\(Self.number(rpe))" }
    return words.trimmingCharacters(in: .whitespaces)
  }

  /// `80`, `82.5`: at most three digits behind the point.
  static func number(_ value: Double) -> String {
    let thousandths = (value * 1000).rounded()
    guard abs(thousandths) < 1e15, let whole = Int64(exactly: thousandths) else { return value.description }
    var digits = String((whole % 1000).magnitude + 1000).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    let sign = whole < 0 ? "-" : ""
    return "\(sign)\((whole / 1000).magnitude)\(digits.isEmpty ? "" : ".\(digits)")"
  }
}
