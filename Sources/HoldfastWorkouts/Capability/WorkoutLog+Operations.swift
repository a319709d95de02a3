import Foundation
import Holdfast

extension WorkoutLog {
  /// Performs an operation: one verb, and one transaction.
  func perform(_ operation: WorkoutOperation) throws -> WorkoutResponse {
    switch operation {
    case .saveWorkout(let sent):
      try store.write(as: "save(_:)") { tx in try Self.save(sent.completed(in: tx), in: tx) }
      return .workoutSaved(sent.workout.id)
    case .loadAllWorkouts(nil, nil): return .workoutsLoaded(try store.read(as: "workouts()") { try Self.workouts(in: $0) })
    case .loadAllWorkouts(let key, let limit):
      let page = try store.read(as: "workouts(after:limit:)") { try Self.workouts(after: key, limit: limit ?? .max, in: $0) }
      return .workoutsLoaded(page.items, next: page.next)
    case .loadWorkoutById(let id): return .workoutLoaded(try store.read(as: "workout(_:)") { try Self.workout(id, in: $0) })
    case .deleteWorkout(let id):
      return .workoutDeleted(id, existed: try store.write(as: "deleteWorkout(_:)") { try Self.deleteWorkout(id, in: $0) })
    case .searchWorkouts(let text, let key, let limit):
      let page = try store.read(as: "search(_:after:limit:)") { try Self.search(text, after: key, limit: limit, in: $0) }
      return .workoutsLoaded(page.items, next: page.next)

    case .loadCurrentWorkout: return .currentWorkoutLoaded(try store.read(as: "currentWorkout()") { try Self.currentWorkout(in: $0) })
    case .startWorkout(let name, let limit):
      return .currentWorkoutLoaded(
        try store.write(as: "startWorkout(named:idleLimitSeconds:)") { try Self.startWorkout(named: name, idleLimitSeconds: limit, in: $0) }
      )
    case .startFromTemplate(let id, let limit):
      return .currentWorkoutLoaded(
        try store.write(as: "startWorkout(from:idleLimitSeconds:)") { try Self.startWorkout(from: id, idleLimitSeconds: limit, in: $0) })
    case .repeatWorkout(let id, let limit):
      return .currentWorkoutLoaded(
        try store.write(as: "startWorkout(repeating:idleLimitSeconds:)") {
          try Self.startWorkout(repeating: id, idleLimitSeconds: limit, in: $0)
        })
    case .logSet(let id, let sent):
      return try current("logSet(_:_:)") { tx in try Self.logSet(id, sent?.completed(id, in: tx), in: tx) }
    case .logNewSet(let id, let actual, let type, let weightUnit, let distanceUnit):
      return try current("logSet(in:_:type:weightUnit:distanceUnit:)") { tx in
        _ = try Self.logSet(in: id, actual, type: type, weightUnit: weightUnit, distanceUnit: distanceUnit, in: tx)
      }
    case .touchWorkout: return try current("touchWorkout()", Self.touchWorkout(in:))
    case .pauseWorkout: return try current("pauseWorkout()", Self.pauseWorkout(in:))
    case .resumeWorkout: return try current("resumeWorkout()", Self.resumeWorkout(in:))
    case .finishWorkout(let dropping):
      return .workoutLoaded(
        try store.write(as: "finishWorkout(droppingEmptySets:)") { try Self.finishWorkout(droppingEmptySets: dropping, in: $0) })
    case .discardWorkout: return try current("discardWorkout()") { _ = try Self.discardWorkout(in: $0) }

    case .renameWorkout(let id, let name):
      return try edit("renameWorkout(_:to:)", id) { try Self.renameWorkout(id, to: name, in: $0) }
    case .writeNote(let note, let id): return try edit("writeNote(_:of:)", id) { try Self.writeNote(note, of: id, in: $0) }
    case .addExercise(let exercise, let workoutID, let other):
      return try edit("addExercise(_:to:before:)") { tx in
        guard let id = try workoutID ?? Self.active(in: tx)?.workoutID else { throw Self.nothingInProgress }
        try Self.addExercise(exercise, to: id, before: other, in: tx)
        return id
      }
    case .updateExercise(let exercise):
      return try editExercise("updateExercise(_:)", exercise.id) { try Self.updateExercise(exercise, in: $0) }
    case .removeExercise(let id): return try editExercise("removeExercise(_:)", id) { _ = try Self.removeExercise(id, in: $0) }
    case .moveExercise(let id, let other):
      return try editExercise("moveExercise(_:before:)", id) { try Self.moveExercise(id, before: other, in: $0) }
    case .addSet(let set, let id, let other):
      return try editExercise("addSet(_:to:before:)", id) { try Self.addSet(set, to: id, before: other, in: $0) }
    case .updateSet(let sent):
      return try editSet("updateSet(_:)", sent.set.id) { tx in try Self.updateSet(sent.completed(in: tx), in: tx) }
    case .removeSet(let id): return try editSet("removeSet(_:)", id) { _ = try Self.removeSet(id, in: $0) }
    case .moveSet(let id, let other): return try editSet("moveSet(_:before:)", id) { try Self.moveSet(id, before: other, in: $0) }
    case .reopenSet(let id): return try editSet("reopenSet(_:)", id) { _ = try Self.reopenSet(id, in: $0) }
    case .makeSuperset(let ids):
      return try edit("makeSuperset(_:)") { tx in
        _ = try Self.makeSuperset(ids, in: tx)
        // `ids` is not empty: `makeSuperset` would have thrown.
        return try ids.first.map { try Self.exerciseRow($0, in: tx).workoutID } ?? .zero
      }
    case .clearSuperset(let id): return try editExercise("clearSuperset(of:)", id) { _ = try Self.clearSuperset(of: id, in: $0) }

    case .loadTemplates(let key, let limit):
      let page = try store.read(as: "templates(after:limit:)") { try Self.templates(after: key, limit: limit ?? .max, in: $0) }
      return .templatesLoaded(page.items, next: page.next)
    case .loadTemplateById(let id): return .templateLoaded(try store.read(as: "template(_:)") { try Self.template(id, in: $0) })
    case .saveTemplate(let sent):
      return try edit("save(_:)", sent.template.id) { tx in try Self.save(sent.completed(in: tx), in: tx) }
    case .makeTemplate(let id, let name):
      return .templateLoaded(try store.write(as: "saveTemplate(from:named:)") { try Self.saveTemplate(from: id, named: name, in: $0) })
    case .deleteTemplate(let id):
      return .templateDeleted(id, existed: try store.write(as: "deleteTemplate(_:)") { try Self.deleteTemplate(id, in: $0) })

    case .loadCustomExercises(let key, let limit):
      let page = try store.read(as: "customExercises(after:limit:)") { try Self.customExercises(after: key, limit: limit ?? .max, in: $0) }
      return .customExercisesLoaded(page.items, next: page.next)
    case .loadCustomExerciseById(let id):
      return .customExerciseLoaded(try store.read(as: "customExercise(_:)") { try Self.customExercise(id, in: $0) })
    case .saveCustomExercise(let exercise):
      try store.write(as: "save(_:)") { try Self.save(exercise, in: $0) }
      return .customExerciseLoaded(exercise)
    case .renameCustomExercise(let id, let name, let inHistory):
      return try store.write(as: "renameCustomExercise(_:to:inHistory:)") { tx in
        _ = try Self.renameCustomExercise(id, to: name, inHistory: inHistory, in: tx)
        return .customExerciseLoaded(try Self.customExercise(id, in: tx))
      }
    case .deleteCustomExercise(let id):
      return .customExerciseDeleted(
        id, existed: try store.write(as: "deleteCustomExercise(_:)") { try Self.deleteCustomExercise(id, in: $0) })
    case .loadExerciseNames(let text, let key, let limit):
      let page = try store.read(as: "exerciseNames(matching:after:limit:)") {
        try Self.exerciseNames(matching: text, after: key, limit: limit, in: $0)
      }
      return .exerciseNamesLoaded(page.items, next: page.next)

    case .loadHistory(let name, let key, let limit):
      let page = try store.read(as: "history(of:after:limit:)") { try Self.history(of: name, after: key, limit: limit, in: $0) }
      return .historyLoaded(page.items, next: page.next)
    case .loadRecords(nil, let unit, let formula):
      return .recordsLoaded(try store.read(as: "records(unit:formula:)") { try Self.records(unit: unit, formula: formula, in: $0) })
    case .loadRecords(let name?, let unit, let formula):
      return .recordsLoaded(
        try store.read(as: "records(of:unit:formula:)") { try Self.records(of: name, unit: unit, formula: formula, in: $0) }.map { [$0] }
          ?? [])
    case .loadProgress(let name, let key, let limit, let unit, let formula):
      let page = try store.read(as: "progress(of:after:limit:unit:formula:)") {
        try Self.progress(of: name, after: key, limit: limit ?? .max, unit: unit, formula: formula, in: $0)
      }
      return .progressLoaded(page.items, next: page.next)
    case .loadVolumeByWorkout(let period, let unit):
      return .volumeByWorkoutLoaded(
        try store.read(as: "volumeByWorkout(during:unit:)") { try Self.volumeByWorkout(during: period, unit: unit, in: $0) })
    case .loadVolumeByExercise(let period, let unit):
      return .volumeByExerciseLoaded(
        try store.read(as: "volumeByExercise(during:unit:)") { try Self.volumeByExercise(during: period, unit: unit, in: $0) })
    case .loadVolumeByBodyPart(let period, let unit):
      return .volumeByBodyPartLoaded(
        try store.read(as: "volumeByBodyPart(during:unit:)") { try Self.volumeByBodyPart(during: period, unit: unit, in: $0) })
    case .loadVolumeByWeek(let limit, let unit, let zone):
      return .volumeByWeekLoaded(
        try store.read(as: "volumeByWeek(limit:unit:timeZone:)") {
          try Self.volumeByWeek(limit: limit, unit: unit, timeZone: zone ?? .current, in: $0)
        })
    case .loadTotals(let now, let unit, let zone):
      return .totalsLoaded(
        try store.read(as: "totals(asOf:unit:timeZone:)") {
          try Self.totals(asOf: now ?? Date(), unit: unit, timeZone: zone ?? .current, in: $0)
        })
    }
  }

  // These take the name of the verb that they do the work of, for the store's metrics.

  private func current(_ verb: StaticString, _ body: (Writer) throws -> Void) throws -> WorkoutResponse {
    try store.write(as: verb) { tx in
      try body(tx)
      return .currentWorkoutLoaded(try Self.currentWorkout(in: tx))
    }
  }

  /// Answers with the changed workout or template, whose id `body` returns.
  private func edit(_ verb: StaticString, _ body: (Writer) throws -> UUID) throws -> WorkoutResponse {
    try store.write(as: verb) { tx in
      let id = try body(tx)
      switch try Self.workoutRow(id, in: tx).state {
      case .active: return .currentWorkoutLoaded(try Self.currentWorkout(in: tx))
      case .finished: return .workoutLoaded(try Self.workout(id, in: tx))
      case .template: return .templateLoaded(try Self.template(id, in: tx))
      }
    }
  }

  private func edit(_ verb: StaticString, _ id: UUID, _ body: (Writer) throws -> Void) throws -> WorkoutResponse {
    try edit(verb) { tx in
      try body(tx)
      return id
    }
  }

  /// - Throws: `.notFound` when there is no such exercise; what `body` throws.
  private func editExercise(_ verb: StaticString, _ id: UUID, _ body: (Writer) throws -> Void) throws -> WorkoutResponse {
    try edit(verb) { tx in
      let workoutID = try Self.exerciseRow(id, in: tx).workoutID
      try body(tx)
      return workoutID
    }
  }

  /// - Throws: `.notFound` when there is no such set; what `body` throws.
  private func editSet(_ verb: StaticString, _ id: UUID, _ body: (Writer) throws -> Void) throws -> WorkoutResponse {
    try edit(verb) { tx in
      let workoutID = try Self.exerciseRow(Self.setRow(id, in: tx).exerciseID, in: tx).workoutID
      try body(tx)
      return workoutID
    }
  }
}
