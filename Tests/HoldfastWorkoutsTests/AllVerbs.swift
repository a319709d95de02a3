import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts

/// Every verb of the log once, on the same small log, for the checks that must leave none out.
typealias VerbCase = LibraryVerb<WorkoutLog, Known>
typealias Live = LibraryUpdates<WorkoutLog, Known>

/// What the log holds before a verb.
struct Known: Sendable {
  /// Newest first: one with "Bench Press" and "Row" in a superset, two sets each, and one with "Bench Press" and "Squat".
  var workouts: [Workout]
  /// With "Bench Press" and "Row", two planned sets each.
  var template: WorkoutTemplate
  /// In progress, started from the template; the first set is logged.
  var current: Workout
  /// "Sled".
  var custom: CustomExercise
  var newest: Workout { workouts[0] }
  var exercise: Exercise { workouts[0].exercises[0] }
  var set: ExerciseSet { exercise.sets[0] }
}

extension VerbCase {
  static func prepare(_ world: World) async throws -> Known {
    var random = SeededGenerator(seed: 70)
    let dates = [1_700_086_400, 1_700_000_000].map { Date(timeIntervalSince1970: $0) }
    let workouts = zip(dates, [["Bench Press", "Row"], ["Bench Press", "Squat"]]).map { date, names in
      Workout(
        id: random.id(), name: names[1], startedAt: date, endedAt: date.addingTimeInterval(3600), durationSeconds: 3600,
        exercises: names.map { name in
          Exercise(
            id: random.id(), name: name, bodyPart: BodyPart(.chest), superset: names[1] == "Row" ? 1 : nil, weightUnit: .kilograms,
            sets: (0..<2).map { Sample.set(80, 5 + $0, &random) })
        })
    }
    try await world.log.save(workouts)
    let template = try await world.log.saveTemplate(from: workouts[0].id, named: "Plan")
    let custom = CustomExercise(id: random.id(), name: "Sled")
    try await world.log.save(custom)
    let begun = try await world.log.startWorkout(from: template.id)
    world.clock.advance()
    try await world.log.logSet(begun.workout.exercises[0].sets[0].id)
    let current = try await world.log.currentWorkout()?.workout ?? begun.workout
    world.clock.advance()
    return Known(workouts: workouts, template: template, current: current, custom: custom)
  }

  static var everything: Set<String> { ["workouts", "exercises", "exercise_sets", "active_workout", "custom_exercises"] }
  private static var nested: Set<String> { ["workouts", "exercises", "exercise_sets"] }
  private static var inProgress: Set<String> { nested.union(["active_workout"]) }

  static var writes: [VerbCase] { saves + templates + edits + progress }

  private static var saves: [VerbCase] {
    [
      VerbCase(name: "save a new workout", changes: nested) { log, _ in
        var random = SeededGenerator(seed: 71)
        try await log.save(Sample.full(&random))
      },
      VerbCase(name: "save what is there") { log, known in try await log.save(known.workouts) },
      VerbCase(name: "save another name", changes: ["workouts"]) { log, known in
        var workout = known.newest
        workout.name = "Name"
        try await log.save(workout)
      },
      VerbCase(name: "save fewer exercises in another order", changes: ["exercises", "exercise_sets"]) { log, known in
        var workout = known.newest
        workout.exercises = [Exercise(id: UUID(), name: "New"), workout.exercises[1]]
        try await log.save(workout)
      },
      VerbCase(name: "save another set", changes: ["exercise_sets"]) { log, known in
        var workout = known.newest
        workout.exercises[0].sets[0].actual.reps = 99
        workout.exercises[0].sets.removeLast()
        try await log.save(workout)
      },
      VerbCase(name: "delete a workout", changes: nested) { log, known in try await log.deleteWorkout(known.newest.id) },
      VerbCase(name: "delete no workout") { log, known in try await log.deleteWorkout(known.template.id) },
      VerbCase(name: "add sample workouts", changes: everything) { log, known in
        for id in known.workouts.map(\.id) + [known.current.id] { try await log.deleteWorkout(id) }
        try await log.deleteTemplate(known.template.id)
        try await log.deleteCustomExercise(known.custom.id)
        try await log.addSampleWorkouts(inFile: true)
      },
      VerbCase(name: "save a custom exercise", changes: ["custom_exercises"]) { log, _ in
        try await log.save(CustomExercise(id: UUID(), name: "New"))
      },
      VerbCase(name: "save a custom exercise that is there") { log, known in try await log.save(known.custom) },
      VerbCase(name: "rename a custom exercise", changes: ["custom_exercises"]) { log, known in
        try await log.renameCustomExercise(known.custom.id, to: "Prowler", inHistory: false)
      },
      VerbCase(name: "rename a custom exercise in history", changes: ["active_workout", "custom_exercises", "exercises"]) { log, known in
        try await log.save(CustomExercise(id: known.custom.id, name: "row"))
        try await log.renameCustomExercise(known.custom.id, to: "Barbell row", inHistory: true)
      },
      VerbCase(name: "rename no custom exercise") { log, _ in
        try await log.renameCustomExercise(UUID(), to: "Row", inHistory: true)
      },
      VerbCase(name: "delete a custom exercise", changes: ["custom_exercises"]) { log, known in
        try await log.deleteCustomExercise(known.custom.id)
      },
      VerbCase(name: "delete no custom exercise") { log, _ in try await log.deleteCustomExercise(UUID()) },
    ]
  }

  private static var templates: [VerbCase] {
    [
      VerbCase(name: "save a new template", changes: nested) { log, _ in
        var random = SeededGenerator(seed: 72)
        try await log.save(WorkoutTemplate(id: random.id(), name: "New", exercises: [Sample.fullExercise(&random)]))
      },
      VerbCase(name: "save a template that is there") { log, known in try await log.save(known.template) },
      VerbCase(name: "save a template from a workout", changes: nested) { log, known in
        try await log.saveTemplate(from: known.newest.id, named: "New")
      },
      VerbCase(name: "delete a template", changes: nested) { log, known in try await log.deleteTemplate(known.template.id) },
      VerbCase(name: "delete no template") { log, known in try await log.deleteTemplate(known.newest.id) },
    ]
  }

  private static var edits: [VerbCase] {
    [
      VerbCase(name: "rename a workout", changes: ["workouts"]) { log, known in try await log.renameWorkout(known.newest.id, to: "Name") },
      VerbCase(name: "write a note", changes: ["workouts"]) { log, known in try await log.writeNote("Note", of: known.newest.id) },
      VerbCase(name: "write the note that is there") { log, known in try await log.writeNote(nil, of: known.newest.id) },
      VerbCase(name: "add an exercise", changes: ["exercises", "exercise_sets"]) { log, known in
        var random = SeededGenerator(seed: 73)
        try await log.addExercise(Sample.fullExercise(&random), to: known.newest.id, before: known.exercise.id)
      },
      VerbCase(name: "update an exercise", changes: ["exercises"]) { log, known in
        var exercise = known.exercise
        exercise.notes = ["New"]
        try await log.updateExercise(exercise)
      },
      VerbCase(name: "remove an exercise", changes: ["exercises", "exercise_sets"]) { log, known in
        try await log.removeExercise(known.exercise.id)
      },
      VerbCase(name: "move an exercise", changes: ["exercises"]) { log, known in try await log.moveExercise(known.exercise.id, before: nil)
      },
      VerbCase(name: "add a set", changes: ["exercise_sets"]) { log, known in
        try await log.addSet(ExerciseSet(id: UUID()), to: known.exercise.id, before: known.set.id)
      },
      VerbCase(name: "update a set", changes: ["exercise_sets"]) { log, known in
        var set = known.set
        set.note = "New"
        try await log.updateSet(set)
      },
      VerbCase(name: "update a set as it is") { log, known in try await log.updateSet(known.set) },
      VerbCase(name: "remove a set", changes: ["exercise_sets"]) { log, known in try await log.removeSet(known.set.id) },
      VerbCase(name: "remove no set") { log, _ in try await log.removeSet(UUID()) },
      VerbCase(name: "move a set", changes: ["exercise_sets"]) { log, known in try await log.moveSet(known.set.id, before: nil) },
      VerbCase(name: "move a set to where it is") { log, known in
        try await log.moveSet(known.set.id, before: known.exercise.sets[1].id)
      },
      VerbCase(name: "reopen a set", changes: ["exercise_sets"]) { log, known in try await log.reopenSet(known.set.id) },
      VerbCase(name: "make a superset", changes: ["exercises"]) { log, known in
        try await log.makeSuperset(known.workouts[1].exercises.map(\.id))
      },
      VerbCase(name: "clear a superset", changes: ["exercises"]) { log, known in try await log.clearSuperset(of: known.exercise.id) },
      VerbCase(name: "clear no superset") { log, known in
        try await log.clearSuperset(of: known.workouts[1].exercises[0].id)
      },
    ]
  }

  private static var progress: [VerbCase] {
    [
      VerbCase(name: "start an empty workout", changes: inProgress) { log, _ in
        try await log.discardWorkout()
        try await log.startWorkout(named: "New")
      },
      VerbCase(name: "start from a template", changes: inProgress) { log, known in
        try await log.discardWorkout()
        try await log.startWorkout(from: known.template.id)
      },
      VerbCase(name: "repeat a workout", changes: inProgress) { log, known in
        try await log.discardWorkout()
        try await log.startWorkout(repeating: known.newest.id)
      },
      VerbCase(name: "log a set", changes: ["exercise_sets", "active_workout"]) { log, known in
        try await log.logSet(known.current.exercises[0].sets[1].id)
      },
      VerbCase(name: "log a new set", changes: ["exercise_sets", "active_workout"]) { log, known in
        try await log.logSet(in: known.current.exercises[0].id, .init(weight: 60, reps: 8))
      },
      VerbCase(name: "change the workout in progress", changes: ["workouts", "active_workout"]) { log, known in
        try await log.renameWorkout(known.current.id, to: "Name")
      },
      VerbCase(name: "touch", changes: ["active_workout"]) { log, _ in try await log.touchWorkout() },
      VerbCase(name: "pause and resume", changes: ["active_workout"]) { log, _ in
        try await log.pauseWorkout()
        try await log.resumeWorkout()
      },
      VerbCase(name: "finish", changes: ["workouts", "active_workout"]) { log, _ in try await log.finishWorkout() },
      VerbCase(name: "finish without empty sets", changes: ["workouts", "exercise_sets", "active_workout"]) { log, _ in
        try await log.finishWorkout(droppingEmptySets: true)
      },
      VerbCase(name: "discard", changes: inProgress) { log, _ in try await log.discardWorkout() },
    ]
  }

  static var updates: [Live] { liveLists + liveStatistics }

  private static var liveLists: [Live] {
    [
      Live(name: "all workouts", { log, _ in log.workoutUpdates() }, reading: { log, _ in try await log.workouts() }),
      Live(
        name: "workouts", { log, _ in log.workoutUpdates(limit: 1) },
        reading: { log, _ in try await log.workouts(after: nil, limit: 1).items }),
      Live(
        name: "a workout", { log, known in log.workoutUpdates(known.newest.id) },
        reading: { log, known in try await log.workout(known.newest.id) }),
      Live(name: "a search", { log, _ in log.searchUpdates("row") }, reading: { log, _ in try await log.search("row").items }),
      Live(name: "the history", { log, _ in log.historyUpdates(of: "row") }, reading: { log, _ in try await log.history(of: "row").items }),
      Live(
        name: "the workout in progress", { log, _ in log.currentWorkoutUpdates() }, reading: { log, _ in try await log.currentWorkout() }),
      Live(name: "all templates", { log, _ in log.templateUpdates() }, reading: { log, _ in try await log.templates() }),
      Live(
        name: "templates", { log, _ in log.templateUpdates(limit: 1) },
        reading: { log, _ in try await log.templates(after: nil, limit: 1).items }
      ),
      Live(
        name: "a template", { log, known in log.templateUpdates(known.template.id) },
        reading: { log, known in try await log.template(known.template.id) }),
      Live(name: "custom exercises", { log, _ in log.customExerciseUpdates() }, reading: { log, _ in try await log.customExercises() }),
      Live(name: "names", { log, _ in log.exerciseNameUpdates() }, reading: { log, _ in try await log.exerciseNames().items }),
      Live(
        name: "matching names", { log, _ in log.exerciseNameUpdates(matching: "sled") },
        reading: { log, _ in try await log.exerciseNames(matching: "sled").items }),
    ]
  }

  private static var liveStatistics: [Live] {
    [
      Live(name: "records", { log, _ in log.recordUpdates() }, reading: { log, _ in try await log.records() }),
      Live(
        name: "records of an exercise", { log, _ in log.recordUpdates(of: "row") }, reading: { log, _ in try await log.records(of: "row") }),
      Live(name: "progress", { log, _ in log.progressUpdates(of: "row") }, reading: { log, _ in try await log.progress(of: "row").items }),
      Live(name: "volume by workout", { log, _ in log.volumeByWorkoutUpdates() }, reading: { log, _ in try await log.volumeByWorkout() }),
      Live(
        name: "volume by exercise", { log, _ in log.volumeByExerciseUpdates() }, reading: { log, _ in try await log.volumeByExercise() }),
      Live(
        name: "volume by body part", { log, _ in log.volumeByBodyPartUpdates() }, reading: { log, _ in try await log.volumeByBodyPart() }),
      Live(
        name: "volume by week", { log, _ in log.volumeByWeekUpdates(limit: 10) },
        reading: { log, _ in try await log.volumeByWeek(limit: 10) }),
      Live(name: "totals", { log, _ in log.totalsUpdates() }, reading: { log, _ in try await log.totals() }),
    ]
  }

  static var reads: [VerbCase] { loads + statistics }

  private static var loads: [VerbCase] {
    [
      VerbCase(name: "load all workouts") { log, _ in _ = try await log.workouts() },
      VerbCase(name: "list workouts") { log, _ in
        _ = try await log.workouts(after: log.workouts(after: nil, limit: 1).next, limit: 1)
      },
      VerbCase(name: "load a workout") { log, known in _ = try await log.workout(known.newest.id) },
      VerbCase(name: "load all templates") { log, _ in _ = try await log.templates() },
      VerbCase(name: "list templates") { log, _ in
        _ = try await log.templates(after: log.templates(after: nil, limit: 1).next, limit: 1)
      },
      VerbCase(name: "load a template") { log, known in _ = try await log.template(known.template.id) },
      VerbCase(name: "load the workout in progress") { log, _ in _ = try await log.currentWorkout() },
      VerbCase(name: "load all custom exercises") { log, _ in _ = try await log.customExercises() },
      VerbCase(name: "list custom exercises") { log, _ in
        _ = try await log.customExercises(after: log.customExercises(after: nil, limit: 1).next, limit: 1)
      },
      VerbCase(name: "load a custom exercise") { log, known in _ = try await log.customExercise(known.custom.id) },
      VerbCase(name: "list names of exercises") { log, _ in
        _ = try await log.exerciseNames(matching: "s", after: log.exerciseNames(matching: "s", limit: 1).next)
      },
      VerbCase(name: "search") { log, _ in
        _ = try await log.search("bench press", after: log.search("bench press", limit: 1).next, limit: 1)
      },
      VerbCase(name: "list the history of an exercise") { log, _ in
        _ = try await log.history(of: "bench press", after: log.history(of: "bench press", limit: 1).next, limit: 1)
      },
    ]
  }
  private static var statistics: [VerbCase] {
    [
      VerbCase(name: "records") { log, _ in _ = try await log.records() },
      VerbCase(name: "records of an exercise") { log, _ in _ = try await log.records(of: "Row") },
      VerbCase(name: "progress of an exercise") { log, _ in
        _ = try await log.progress(of: "Row")
        _ = try await log.progress(of: "bench press", after: log.progress(of: "bench press", limit: 1).next, limit: 1)
      },
      VerbCase(name: "totals") { log, _ in _ = try await log.totals() },
      VerbCase(name: "volume by workout") { log, _ in _ = try await log.volumeByWorkout() },
      VerbCase(name: "volume by exercise") { log, _ in _ = try await log.volumeByExercise() },
      VerbCase(name: "volume by body part") { log, known in
        _ = try await log.volumeByBodyPart(during: .distantPast..<known.newest.startedAt)
      },
      VerbCase(name: "volume by week") { log, _ in _ = try await log.volumeByWeek(limit: 5) },
    ]
  }
}
