import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts

/// A training from its first set to the end.
func training(in folder: URL) async throws -> WorkoutLog {
  // snippet: workout-open
  let log = try WorkoutLog.open(at: folder.appendingPathComponent("workouts.sqlite"))
  // end

  // snippet: workout-train
  let workout = try await log.startWorkout(named: "Push")
  let newID = NewID.v7
  let bench = Exercise(
    id: newID(), name: "Bench Press", type: .barbell, bodyPart: BodyPart(.chest), weightUnit: .kilograms, restSeconds: 120,
    sets: [ExerciseSet(id: newID(), suggested: .init(weight: 80, reps: 5))])
  try await log.addExercise(bench, to: workout.id)
  // The planned set as it was planned, then one more.
  try await log.logSet(bench.sets[0].id)
  try await log.logSet(in: bench.id, .init(weight: 82.5, reps: 4, rpe: 9))
  let finished = try await log.finishWorkout()
  // end

  // snippet: workout-templates
  let template = try await log.saveTemplate(from: finished.id, named: "Push day")
  try await log.startWorkout(from: template.id)
  // The app was killed, and starts again: the workout is where it was.
  if let current = try await log.currentWorkout() {
    print(current.workout.name, current.trained(at: Date()))
  }
  try await log.discardWorkout()
  // end
  return log
}

/// What it all adds up to.
func lookingBack(_ log: WorkoutLog) async throws {
  // snippet: workout-statistics
  if let records = try await log.records(of: "Bench Press", unit: .kilograms), let best = records.oneRepMax {
    print("estimated one-rep max \(best.value) kg, on \(best.startedAt)")
  }
  for week in try await log.volumeByWeek(limit: 12, unit: .kilograms) {
    print(week.startsAt, week.work.volume)
  }
  let chart = try await log.progress(of: "Bench Press", limit: 30, unit: .kilograms).items
  // end
  print(chart.count)

  // snippet: workout-history
  let page = try await log.workouts(limit: 20)
  for workout in page.items { print(workout.startedAt, workout.name, workout.exercises.count) }
  let found = try await log.search("bench")
  let times = try await log.history(of: "bench press", limit: 10)
  // end
  print(found.items.count, times.items.count)
}

/// The workout in progress on a screen.
func watchingWorkout(_ log: WorkoutLog) async throws {
  // snippet: workout-updates
  for try await current in log.currentWorkoutUpdates() {
    print(current.map { "\($0.workout.name): \($0.workout.exercises.count) exercises" } ?? "nothing is in progress")
  }
  // end
}

/// The file of another app, and a file for another app.
func movingWorkouts(_ log: WorkoutLog, from source: URL, into store: URL, to target: URL) throws -> ImportReport {
  // snippet: workout-import
  var hints = SourceHints()
  // This file does not say what its weights are counted in, nor where its clock stood.
  hints.weightUnit = "kg"
  hints.timeZone = TimeZone(identifier: "Europe/Berlin")
  let report = try WorkoutLog.importLibrary(from: source, into: store, hints: hints)
  // end

  // snippet: workout-export
  try log.exportCSV(.strong, to: target, unit: .kilograms)
  // end
  return report
}

/// A core in another language asks, and the log answers: `resolve` brings the answer to the core.
func answering(_ log: WorkoutLog, _ request: Data, resolve: @escaping @Sendable (Data) -> Void) {
  // snippet: workout-capability
  let capability = WorkoutCapability(log)
  capability.handle(request) { response in resolve(response) }
  // end
}
