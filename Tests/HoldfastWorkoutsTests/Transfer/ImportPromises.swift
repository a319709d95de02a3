import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("What every import of the apps' workouts promises") struct ImportPromises {
  private static let workouts = ImportKind("workouts", title: "name")
  private static let exercises = ImportKind("exercises", title: "name")

  /// The id of an exercise's only set.
  private static func setID(of exercise: ImportSample) -> UUID { NewID.derived(from: "set of \(exercise.id)") }

  @Test("the core's history in JSON keeps what every import promises", arguments: ImportCheck.allCases)
  func json(_ check: ImportCheck) throws {
    // An exercise stands in its workout, so there is none without one.
    let conformance = ImportConformance<WorkoutLog>(
      "history.json", records: Self.workouts, children: Self.exercises, without: [.orphans]
    ) { samples, file in
      let workouts = samples.filter { $0.parent == nil }.map { workout in
        let exercises = samples.filter { $0.parent == workout.id }.map { Self.exercise($0, in: workout.id) }
        let changes = ["id": "\"\(workout.id)\"", "name": "\"\(workout.title)\""]
        return AppWorkouts.core.workout(
          1, exercises, changes.merging(workout.isDamaged ? ["start_timestamp": "\"yesterday\""] : [:]) { $1 })
      }
      try Data("[\(workouts.joined(separator: ", "))]".utf8).write(to: file)
    }
    try conformance.run(check)
  }

  private static func exercise(_ sample: ImportSample, in workout: UUID) -> String {
    let id = sample.isDamaged ? "?" : "\(sample.id)"
    let set = AppWorkouts.core.set(
      1, of: 1, in: 1, at: 0, ["id": "\"\(setID(of: sample))\"", "exercise_id": "\"\(sample.id)\"", "workout_id": "\"\(workout)\""])
    return AppWorkouts.core.exercise(
      1, in: 1, [set], ["id": "\"\(id)\"", "name": "\"\(sample.title)\"", "workout_id": "\"\(workout)\""])
  }

  @Test("each of the apps' databases keeps what every import promises", arguments: ImportCheck.allCases, [true, false])
  func database(_ check: ImportCheck, isFirst: Bool) throws {
    // The later app's tables take no id twice. A database of either app is cancelled, and found to be cut off, in the same places.
    let conformance = ImportConformance<WorkoutLog>(
      "db.sqlite", records: Self.workouts, children: Self.exercises,
      without: isFirst ? [] : ProofRun.isLong ? [.twice, .twiceDifferently] : [.twice, .twiceDifferently, .cancelled, .cutOff]
    ) { samples, file in
      let rows = samples.flatMap { Self.rows(of: $0, isLater: !isFirst) }
      let statements = ["PRAGMA foreign_keys = OFF", isFirst ? AppDatabase.loose : AppDatabase.shipped, "BEGIN"] + rows + ["COMMIT"]
      try RawDatabase.with(file, creating: true) { try $0.execute(statements.joined(separator: ";\n")) }
    }
    try conformance.run(check)
  }

  /// A workout, or an exercise with its set.
  private static func rows(of sample: ImportSample, isLater: Bool) -> [String] {
    let id = "'\(sample.id)'"
    let names = ["id": id, "name": "'\(sample.title)'"]
    guard let parent = sample.parent.map({ "'\($0)'" }) else {
      let changes = names.merging(sample.isDamaged ? ["startTimestamp": "'soon'"] : [:]) { $1 }
      return [isLater ? AppDatabase.laterWorkout(1, changes) : AppDatabase.workout(1, changes)]
    }
    let damage = sample.isDamaged ? ["id": "'?'"] : [:]
    return [
      AppDatabase.exercise(1, in: 1, names.merging(["workoutId": parent].merging(damage) { $1 }) { $1 }),
      AppDatabase.set(1, of: 1, in: 1, at: 0, ["id": "'\(setID(of: sample))'", "exerciseId": id, "workoutId": parent]),
    ]
  }
}
