import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Observation", .timeLimit(.minutes(10))) struct Observation {
  @Test("each kind of updates of workouts begins with what is there and goes on with what a verb makes of it")
  func workouts() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log
    try await UpdatesCheck.follow(log.workoutUpdates()) {
      try log.workouts()
    } after: {
      try log.renameWorkout(known.newest.id, to: "1")
    }
    try await UpdatesCheck.follow(log.workoutUpdates(limit: 1)) {
      try log.workouts(after: nil, limit: 1).items
    } after: {
      try log.renameWorkout(known.newest.id, to: "2")
    }
    try await UpdatesCheck.follow(log.workoutUpdates(known.newest.id)) {
      try log.workout(known.newest.id)
    } after: {
      try log.removeSet(known.set.id)
    }
    try await UpdatesCheck.follow(log.searchUpdates("squat")) {
      try log.search("squat").items
    } after: {
      try log.writeNote("New", of: known.workouts[1].id)
    }
    try await UpdatesCheck.follow(log.historyUpdates(of: "squat")) {
      try log.history(of: "squat").items
    } after: {
      try log.deleteWorkout(known.workouts[1].id)
    }
    try await UpdatesCheck.follow(log.currentWorkoutUpdates()) {
      try log.currentWorkout()
    } after: {
      try log.touchWorkout()
    }
    try await UpdatesCheck.follow(log.currentWorkoutUpdates()) {
      try log.currentWorkout()
    } after: {
      try log.discardWorkout()
    }
  }

  @Test("each kind of updates of templates and exercises begins with what is there and goes on with what a verb makes of it")
  func templatesAndExercises() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log
    let id = known.template.id
    try await UpdatesCheck.follow(log.templateUpdates()) {
      try log.templates()
    } after: {
      try log.renameWorkout(id, to: "Name")
    }
    try await UpdatesCheck.follow(log.templateUpdates(limit: 1)) {
      try log.templates(after: nil, limit: 1).items
    } after: {
      try log.writeNote("New", of: id)
    }
    try await UpdatesCheck.follow(log.templateUpdates(id)) {
      try log.template(id)
    } after: {
      try log.deleteTemplate(id)
    }
    try await UpdatesCheck.follow(log.customExerciseUpdates()) {
      try log.customExercises()
    } after: {
      try log.renameCustomExercise(known.custom.id, to: "Prowler", inHistory: false)
    }
    try await UpdatesCheck.follow(log.exerciseNameUpdates(matching: "prowl")) {
      try log.exerciseNames(matching: "prowl").items
    } after: {
      try log.deleteCustomExercise(known.custom.id)
    }
    try await UpdatesCheck.follow(log.exerciseNameUpdates()) {
      try log.exerciseNames().items
    } after: {
      try log.finishWorkout()
    }
  }

  @Test("each kind of updates of statistics begins with what is there and goes on with what a verb makes of it")
  func statistics() async throws {
    let world = try World.temporary()
    let known = try VerbCase.prepare(world)
    let log = world.log
    var set = known.set
    func change() throws {
      set.actual.weight = (set.actual.weight ?? 0) + 10
      try log.updateSet(set)
    }
    try await UpdatesCheck.follow(log.recordUpdates()) {
      try log.records()
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.recordUpdates(of: "bench press")) {
      try log.records(of: "bench press")
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.progressUpdates(of: "bench press")) {
      try log.progress(of: "bench press").items
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.volumeByWorkoutUpdates()) {
      try log.volumeByWorkout()
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.volumeByExerciseUpdates()) {
      try log.volumeByExercise()
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.volumeByBodyPartUpdates()) {
      try log.volumeByBodyPart()
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.volumeByWeekUpdates(limit: 10)) {
      try log.volumeByWeek(limit: 10)
    } after: {
      try change()
    }
    try await UpdatesCheck.follow(log.totalsUpdates()) {
      try log.totals()
    } after: {
      try change()
    }
  }
}
