import Foundation
import Holdfast
import HoldfastWorkouts
import Testing

/// A small log with fixed ids and times: two workouts of one name, a third with supersets and every kind of set, one in progress, a
/// template.
enum WorkoutSample {
  static func id(_ number: Int) -> UUID { NewID.derived(from: "workout sample \(number)") }

  static let workouts = [
    Workout(
      id: id(1), name: "Push", note: "First week", startedAt: time(0), endedAt: time(3600), durationSeconds: 3540,
      exercises: [
        Exercise(
          id: id(11), name: "Bench Press", type: .barbell, bodyPart: BodyPart(.chest), weightUnit: .kilograms, notes: ["Seat 4"],
          restSeconds: 120, sets: [set(111, 40, 10, type: .warmUp), set(112, 80, 5, rpe: 8), set(113, 82.5, 3)])
      ]),
    Workout(
      id: id(2), name: "Legs", startedAt: time(86_400), durationSeconds: 4200,
      exercises: [
        Exercise(
          id: id(21), name: "Kniebeuge", type: .barbell, bodyPart: BodyPart(.legs), superset: 1, weightUnit: .kilograms, restSeconds: 180,
          sets: [
            ExerciseSet(
              id: id(211), suggested: .init(weight: 100, reps: 5, repRange: 8, rpe: 7.5, restSeconds: 180),
              actual: .init(weight: 100, reps: 6, rpe: 8.5, restSeconds: 175), isCompleted: true, completedAt: time(87_000), note: "deep"),
            ExerciseSet(id: id(212), type: .amrap, suggested: .init(reps: 12), actual: .init(weight: 60)),
          ]),
        Exercise(
          id: id(22), name: "Plank", type: .bodyweight, superset: 1, weightUnit: .bodyweight, pinnedNotes: ["三体"],
          sets: [
            ExerciseSet(id: id(221), actual: .init(durationSeconds: 75), isCompleted: true),
            ExerciseSet(id: id(222), suggested: .init(durationSeconds: 60)),
          ]),
        Exercise(
          id: id(23), name: "Run",
          sets: [
            ExerciseSet(id: id(231), distanceUnit: .kilometers, actual: .init(durationSeconds: 1500, distance: 5), isCompleted: true)
          ]),
        Exercise(id: id(24), name: "Calf Raise"),
      ]),
    Workout(
      id: id(3), name: "Push", startedAt: time(8 * 86_400), endedAt: time(8 * 86_400 + 3000), durationSeconds: 2900,
      exercises: [
        Exercise(
          id: id(31), name: "bench press", type: .barbell, bodyPart: BodyPart(.chest), weightUnit: .pounds, sets: [set(311, 187.5, 4)])
      ]),
  ]

  static let template = WorkoutTemplate(
    id: id(4), name: "Full body", note: "Twice a week",
    exercises: [
      Exercise(
        id: id(41), name: "Kniebeuge", weightUnit: .kilograms, sets: [ExerciseSet(id: id(411), suggested: .init(weight: 90, reps: 8))])
    ])

  private static func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_759_773_600 + seconds) }

  private static func set(_ number: Int, _ weight: Double, _ reps: Int, type: SetType = .working, rpe: Double? = nil) -> ExerciseSet {
    ExerciseSet(id: id(number), type: type, actual: .init(weight: weight, reps: reps, rpe: rpe), isCompleted: true)
  }
}

extension Workbench {
  /// A store with the sample in it.
  func workouts() async throws -> String { try await put(Self.workoutSample.value, "workouts.sqlite") }

  private static let workoutSample: Task<PreparedFiles, any Error> = Task {
    let bench = try Workbench()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    options.newID = .counting()
    let log = try WorkoutLog.open(at: bench.url("workouts.sqlite"), options: options)
    try await log.save(WorkoutSample.workouts)
    try await log.save(WorkoutSample.template)
    try await log.startWorkout(named: "Evening")
    try log.store.close()
    return try bench.prepared()
  }

  static func example(_ name: String) -> URL {
    tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/\(name)")
  }
}
