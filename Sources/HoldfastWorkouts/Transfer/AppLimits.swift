import Foundation
import Holdfast
import HoldfastTransfer

/// Finds values of a workout that the app's core cannot read from its own JSON: unknown words, and numbers beyond 32 bits. The
/// core then silently skips the whole workout.
struct AppLimits {
  private static let exerciseTypes: Set<ExerciseType> = [.dumbbell, .kettlebell, .barbell, .hexbar, .bodyweight, .machine, .unknown]
  private static let setTypes: Set<SetType> = [.warmUp, .working, .dropSet, .amrap, .failure]
  private static let units: Set<WeightUnit> = [.kilograms, .pounds, .bodyweight]
  private static let bodyParts: Set<BodyPart.Main> = [
    .chest, .legs, .arms, .back, .calves, .shoulders, .core, .cardio, .fullBody, .other,
  ]

  private let workout: Workout
  private var found: [ExportReport.LeftOut] = []

  /// One entry for each value, in the order of the workout.
  static func exceeded(by workout: Workout) -> [ExportReport.LeftOut] {
    var limits = AppLimits(workout: workout)
    limits.check("workouts", workout.id, [("duration", workout.durationSeconds)])
    for exercise in workout.exercises { limits.check(exercise) }
    return limits.found
  }

  private mutating func check(_ exercise: Exercise) {
    let kind = "exercises"
    check(kind, exercise.id, "type", exercise.type, among: Self.exerciseTypes)
    check(kind, exercise.id, "weight_unit", exercise.weightUnit, among: Self.units)
    check(kind, exercise.id, "body_part", exercise.bodyPart?.main, among: Self.bodyParts)
    check(
      kind, exercise.id,
      [
        ("superset_id", exercise.superset), ("duration", exercise.durationSeconds), ("default_warm_up_time", exercise.warmUpRestSeconds),
        ("default_rest_time", exercise.restSeconds),
      ])
    for set in exercise.sets { check(set) }
  }

  private mutating func check(_ set: ExerciseSet) {
    let kind = "exercise_sets"
    check(kind, set.id, "type", set.type, among: Self.setTypes)
    check(kind, set.id, "weight_unit", set.weightUnit, among: Self.units)
    let (plan, done) = (set.suggested, set.actual)
    check(
      kind, set.id,
      [
        ("suggest.reps", plan.reps), ("suggest.rep_range", plan.repRange), ("suggest.duration", plan.durationSeconds),
        ("suggest.rest_time", plan.restSeconds), ("actual.reps", done.reps), ("actual.duration", done.durationSeconds),
        ("actual.actual_rest_time", done.restSeconds),
      ])
  }

  private mutating func check<Word: RawRepresentable<String> & Hashable>(
    _ kind: String, _ id: UUID, _ field: String, _ word: Word?, among known: Set<Word>
  ) {
    guard let word, !known.contains(word) else { return }
    add(kind, id, field, "the app does not know \"\(word.rawValue.prefix(60))\"")
  }

  private mutating func check(_ kind: String, _ id: UUID, _ numbers: [(field: String, value: Int?)]) {
    for (field, value) in numbers {
      if let value, Int32(exactly: value) == nil {
        add(kind, id, field, "\(value) is \(value < 0 ? "less" : "more") than the app can count")
      }
    }
  }

  private mutating func add(_ kind: String, _ id: UUID, _ field: String, _ reason: String) {
    let whole = "the app ignores the whole workout \(IDCodec.lowercase(workout.id))"
    found.append(.init(kind: kind, id: IDCodec.lowercase(id), field: field, reason: "\(reason): \(whole)"))
  }
}
