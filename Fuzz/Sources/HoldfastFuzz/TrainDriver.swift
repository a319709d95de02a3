import Foundation
import Holdfast
import HoldfastWorkouts

/// The child process of the kill test of the workout in progress: runs verbs in a loop, until it is killed.
enum TrainDriver {
  /// Prints `done n` after verb n has returned.
  static func run(_ store: String, seed: UInt64) -> Int32 {
    do {
      let training = Training()
      let log = try WorkoutLog.open(at: URL(fileURLWithPath: store), options: training.options)
      var number = 0
      while true {
        number += 1
        try training.step(number, of: seed, in: log)
        say("done \(number)")
      }
    } catch {
      say("failed \(error)")
      return 1
    }
  }

  /// Starts one workout. Prints `started` and its id, or the error's code and message.
  static func start(_ store: String) -> Int32 {
    do {
      let log = try WorkoutLog.open(at: URL(fileURLWithPath: store))
      say("started \(IDCodec.lowercase(try log.store.write { try WorkoutLog.startWorkout(named: "Of a process of its own", in: $0) }.id))")
      return 0
    } catch let error as StoreError {
      say("\(error.code.rawValue) \(error.message)")
      return 1
    } catch {
      say("failed \(error)")
      return 1
    }
  }
}

/// Runs one verb after the other. The choice of the verb, its ids and its time depend on the seed, its number and the content of the log.
/// So a second log, in which the same verbs ran, shows the expected content of the first.
final class Training: @unchecked Sendable {
  // Guarded by `lock`.
  private var ids = SeededRandom(seed: 0, number: 0)
  private var now = Date(timeIntervalSince1970: 0)
  private let lock = NSLock()

  /// Store options with the ids and the clock of this training.
  var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { [self] in lock.withLock { now } }
    options.newID = NewID { [self] in lock.withLock { Self.id(&ids) } }
    return options
  }

  func step(_ number: Int, of seed: UInt64, in log: WorkoutLog) throws {
    lock.withLock {
      ids = SeededRandom(seed: seed, number: number)
      now = Date(timeIntervalSince1970: 1_700_000_000 + Double(seed % 1_000_000) + Double(number * 7))
    }
    // A separate generator, so that the order of new ids does not matter.
    var random = SeededRandom(seed: ~seed, number: number)
    guard let workout = try log.store.read({ try WorkoutLog.currentWorkout(in: $0) })?.workout else { return try begin(log, &random) }
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<3:
      try log.store.write {
        try WorkoutLog.addExercise(
          exercise(&random), to: workout.id, before: random.chance(1, of: 2) ? workout.exercises.first?.id : nil, in: $0)
      }
    case 3..<12: try logSet(of: workout, log, &random)
    case 12..<15: try change(workout, log, &random)
    case 15..<18: try reorder(workout, log, &random)
    case 18: try log.store.write { try WorkoutLog.pauseWorkout(in: $0) }
    case 19: try log.store.write { try WorkoutLog.resumeWorkout(in: $0) }
    case 20: try log.store.write { try WorkoutLog.touchWorkout(in: $0) }
    case 21: try log.store.write { try WorkoutLog.renameWorkout(workout.id, to: "Workout \(number)", in: $0) }
    case 22: _ = try log.store.write { try WorkoutLog.finishWorkout(droppingEmptySets: random.chance(1, of: 2), in: $0) }
    default:
      if random.chance(1, of: 3) {
        _ = try log.store.write { try WorkoutLog.discardWorkout(in: $0) }
      } else {
        _ = try log.store.write { try WorkoutLog.finishWorkout(in: $0) }
      }
    }
  }

  private func begin(_ log: WorkoutLog, _ random: inout SeededRandom) throws {
    let finished = try log.store.read { try WorkoutLog.workouts(in: $0) }
    // One verb in each step: after a kill between two verbs the log would match no step.
    if finished.count > 12, let oldest = finished.last {
      _ = try log.store.write { try WorkoutLog.deleteWorkout(oldest.id, in: $0) }
    } else if let last = finished.first, random.chance(1, of: 2) {
      _ = try log.store.write { try WorkoutLog.startWorkout(repeating: last.id, in: $0) }
    } else {
      _ = try log.store.write { try WorkoutLog.startWorkout(named: "New", idleLimitSeconds: random.pick([5, 60], otherwise: 900), in: $0) }
    }
  }

  private func logSet(of workout: Workout, _ log: WorkoutLog, _ random: inout SeededRandom) throws {
    let actual = ExerciseSet.Actual(
      weight: Double(Int.random(in: 0..<400, using: &random)) / 2, reps: Int.random(in: 1..<12, using: &random))
    let planned = workout.exercises.flatMap(\.sets).first { !$0.isCompleted }
    if let planned, random.chance(1, of: 2) {
      try log.store.write { try WorkoutLog.logSet(planned.id, random.chance(1, of: 2) ? actual : nil, in: $0) }
    } else if let exercise = workout.exercises.randomElement(using: &random) {
      _ = try log.store.write { try WorkoutLog.logSet(in: exercise.id, actual, in: $0) }
    }
  }

  private func change(_ workout: Workout, _ log: WorkoutLog, _ random: inout SeededRandom) throws {
    guard var exercise = workout.exercises.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: _ = try log.store.write { try WorkoutLog.removeExercise(exercise.id, in: $0) }
    case 1: if let set = exercise.sets.first { _ = try log.store.write { try WorkoutLog.removeSet(set.id, in: $0) } }
    case 2: if let set = exercise.sets.last { _ = try log.store.write { try WorkoutLog.reopenSet(set.id, in: $0) } }
    case 3:
      try log.store.write { try WorkoutLog.addSet(ExerciseSet(id: Self.id(&random), suggested: .init(reps: 8)), to: exercise.id, in: $0) }
    case 4: if workout.exercises.count > 1 { _ = try log.store.write { try WorkoutLog.makeSuperset(workout.exercises.map(\.id), in: $0) } }
    default:
      exercise.notes.append("a note")
      try log.store.write { try WorkoutLog.updateExercise(exercise, in: $0) }
    }
  }

  private func reorder(_ workout: Workout, _ log: WorkoutLog, _ random: inout SeededRandom) throws {
    guard let exercise = workout.exercises.randomElement(using: &random) else { return }
    if let set = exercise.sets.last, random.chance(1, of: 2) {
      try log.store.write { try WorkoutLog.moveSet(set.id, before: exercise.sets.first?.id, in: $0) }
    } else {
      try log.store.write { try WorkoutLog.moveExercise(exercise.id, before: workout.exercises.first?.id, in: $0) }
    }
  }

  private func exercise(_ random: inout SeededRandom) -> Exercise {
    Exercise(
      id: Self.id(&random), name: random.pick(["Bench Press", "Row", "Squat"], otherwise: "Row"),
      sets: (0..<Int.random(in: 0..<3, using: &random)).map { _ in
        ExerciseSet(id: Self.id(&random), suggested: .init(weight: 60, reps: 8))
      })
  }

  private static func id(_ random: inout SeededRandom) -> UUID { NewID.derived(from: "\(random.next()) \(random.next())") }
}
