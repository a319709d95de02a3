import CLimit
import Foundation

/// Plain C on a file of the workout log.
final class CWorkouts: CConnection {
  init(path: String) throws { try super.init(path, cworkouts_open) }

  func settle() throws { try check(cconnection_checkpoint(pointer)) }

  func load() throws -> Found {
    let box = CWorkoutLog()
    try check(cworkouts_load(pointer, &box.log))
    var (exercises, sets, textBytes, weights) = (0, 0, 0, 0.0)
    let workouts = UnsafeBufferPointer(start: box.log.workouts, count: box.log.count)
    for workout in workouts {
      exercises += workout.exercise_count
      for exercise in UnsafeBufferPointer(start: workout.exercises, count: workout.exercise_count) {
        sets += exercise.set_count
        textBytes += Int(exercise.name.count)
        for set in UnsafeBufferPointer(start: exercise.sets, count: exercise.set_count) { weights += set.actual_weight.value }
      }
    }
    return Found([workouts.count, exercises, sets, textBytes].map(Double.init) + [weights], kept: [box])
  }

  func records() throws -> Found {
    var list = cworkouts_record_list()
    try check(cworkouts_find_records(pointer, &list))
    defer { cworkouts_records_free(&list) }
    var numbers = [0.0, 0, 0, 0, 0, 0, 0]
    for exercise in UnsafeBufferPointer(start: list.exercises, count: list.count) {
      let found = [
        1, exercise.heaviest, exercise.set_volume, exercise.workout_volume, exercise.one_rep_max, exercise.longest, exercise.farthest,
      ]
      numbers = zip(numbers, found).map { $0 + $1 }
    }
    return Found(numbers)
  }

  func weeks() throws -> Found {
    var list = cworkouts_week_list()
    try check(cworkouts_find_weeks(pointer, &list))
    defer { free(list.weeks) }
    var numbers = [0.0, 0, 0, 0, 0]
    for week in UnsafeBufferPointer(start: list.weeks, count: list.count) {
      numbers = zip(numbers, [1, Double(week.workouts), Double(week.sets), Double(week.reps), week.volume]).map { $0 + $1 }
    }
    return Found(numbers)
  }

  func progress(of key: String) throws -> Found {
    var list = cworkouts_point_list()
    try check(cworkouts_find_progress(pointer, key, &list))
    defer { free(list.points) }
    var numbers = [0.0, 0, 0, 0, 0]
    for point in UnsafeBufferPointer(start: list.points, count: list.count) {
      numbers = zip(numbers, [1, Double(point.reps), point.volume, point.top_weight, point.one_rep_max]).map { $0 + $1 }
    }
    return Found(numbers)
  }

  func logSet(_ set: UUID, weight: Double, reps: Int, at milliseconds: Int64) throws {
    var id = climit_id(set)
    try check(cworkouts_log_set(pointer, &id, weight, Int64(reps), milliseconds))
  }
}

private final class CWorkoutLog {
  var log = cworkouts_log()
  deinit { cworkouts_free(&log) }
}
