import Foundation
import Holdfast
import HoldfastWorkouts

extension WorkoutCommands {
  static func json(_ exercise: Exercise) -> JSONValue {
    .object([
      "id": .id(exercise.id), "name": .string(exercise.name), "type": .string(exercise.type.rawValue),
      "body_part": .text(exercise.bodyPart?.main.rawValue), "superset": ShownLine.number(exercise.superset),
      "weight_unit": .text(exercise.weightUnit?.rawValue), "pinned_notes": .texts(exercise.pinnedNotes), "notes": .texts(exercise.notes),
      "duration_seconds": ShownLine.number(exercise.durationSeconds), "warm_up_rest_seconds": ShownLine.number(exercise.warmUpRestSeconds),
      "rest_seconds": ShownLine.number(exercise.restSeconds), "sets": .array(exercise.sets.map { json($0, of: exercise) }),
    ])
  }

  private static func json(_ set: ExerciseSet, of exercise: Exercise) -> JSONValue {
    let (plan, actual) = (set.suggested, set.actual)
    return .object([
      "id": .id(set.id), "type": .string(set.type.rawValue), "is_completed": .bool(set.isCompleted), "completed_at": .time(set.completedAt),
      "note": .text(set.note), "weight_unit": .string((set.weightUnit ?? exercise.weightUnit ?? .pounds).rawValue),
      "distance_unit": .string((set.distanceUnit ?? .meters).rawValue),
      "suggested": .object([
        "weight": .number(plan.weight), "reps": ShownLine.number(plan.reps), "rep_range": ShownLine.number(plan.repRange),
        "duration_seconds": ShownLine.number(plan.durationSeconds), "rpe": .number(plan.rpe),
        "rest_seconds": ShownLine.number(plan.restSeconds),
      ]),
      "actual": .object([
        "weight": .number(actual.weight), "reps": ShownLine.number(actual.reps), "distance": .number(actual.distance),
        "duration_seconds": ShownLine.number(actual.durationSeconds), "rpe": .number(actual.rpe),
        "rest_seconds": ShownLine.number(actual.restSeconds),
      ]),
    ])
  }

  static func json(_ records: ExerciseRecords) -> JSONValue {
    .object([
      "name": .string(records.name), "unit": .string(records.unit.rawValue), "formula": .string(records.formula.rawValue),
      "heaviest": json(records.heaviest), "set_volume": json(records.setVolume), "workout_volume": json(records.workoutVolume),
      "one_rep_max": json(records.oneRepMax), "longest_duration": json(records.longestDuration),
      "longest_distance": json(records.longestDistance), "by_reps": .array(records.byReps.map { json($0) }),
    ])
  }

  private static func json(_ record: PersonalRecord?) -> JSONValue {
    guard let record else { return .null }
    return .object([
      "value": .double(record.value), "weight": .number(record.weight?.value), "weight_unit": .text(record.weight?.unit.rawValue),
      "reps": .number(record.reps), "date": .time(record.startedAt), "workout_id": .id(record.workoutID), "set_id": .id(record.setID),
    ])
  }

  /// `100 kg × 5`, as it was entered.
  static func words(_ record: PersonalRecord, _ unit: WeightUnit) -> String {
    let weight = record.weight ?? Weight(record.value, unit)
    return "\(SetWords.number(weight.value)) \(weight.unit.rawValue)" + (record.reps > 0 ? " × \(record.reps)" : "")
  }
}
