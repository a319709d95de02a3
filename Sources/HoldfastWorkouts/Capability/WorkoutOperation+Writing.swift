import Foundation
import Holdfast

extension WorkoutOperation {
  func write(into text: inout JSONText) {
    switch self {
    case .saveWorkout(let workout): text.variant("saveWorkout") { workout.write(into: &$0) }
    case .loadAllWorkouts(let key, let limit): text.variant("loadAllWorkouts", .init("after", key), .init("limit", limit))
    case .loadWorkoutById(let id): text.variant("loadWorkoutById") { $0.value(id) }
    case .deleteWorkout(let id): text.variant("deleteWorkout") { $0.value(id) }
    case .searchWorkouts(let words, let key, let limit):
      text.variant("searchWorkouts", .init("text", words), .init("after", key), .init("limit", limit))
    case .loadCurrentWorkout: text.value("loadCurrentWorkout")
    case .startWorkout(let name, let limit): text.variant("startWorkout", .init("name", name), .init("idle_limit", limit))
    case .startFromTemplate(let id, let limit): text.variant("startFromTemplate", .init("template_id", id), .init("idle_limit", limit))
    case .repeatWorkout(let id, let limit): text.variant("repeatWorkout", .init("workout_id", id), .init("idle_limit", limit))
    case .logSet(let id, let actual):
      text.variant("logSet", .init("set_id", id), .init("actual") { if let actual { actual.write(into: &$0) } else { $0.null() } })
    case .logNewSet(let id, let actual, let type, let weightUnit, let distanceUnit):
      text.variant(
        "logNewSet", .init("exercise_id", id), .init("actual") { CoreJSON.write(actual, into: &$0) }, .init("type", type.rawValue),
        .init("weight_unit", weightUnit?.rawValue), .init("distance_unit", distanceUnit?.rawValue))
    case .touchWorkout: text.value("touchWorkout")
    case .pauseWorkout: text.value("pauseWorkout")
    case .resumeWorkout: text.value("resumeWorkout")
    case .finishWorkout(let dropping): text.variant("finishWorkout", .init("dropping_empty_sets") { $0.value(dropping) })
    case .discardWorkout: text.value("discardWorkout")
    case .renameWorkout(let id, let name): text.variant("renameWorkout", .init("workout_id", id), .init("name", name))
    case .writeNote(let note, let id): text.variant("writeNote", .init("workout_id", id), .init("note", note))
    case .addExercise(let exercise, let id, let before):
      text.variant(
        "addExercise", .init("exercise") { CoreJSON.write(exercise, of: id, into: &$0) }, .init("workout_id", id), .init("before", before))
    case .updateExercise(let exercise): text.variant("updateExercise") { CoreJSON.write(exercise, of: nil, into: &$0) }
    case .removeExercise(let id): text.variant("removeExercise") { $0.value(id) }
    case .moveExercise(let id, let before): text.variant("moveExercise", .init("exercise_id", id), .init("before", before))
    case .addSet(let set, let id, let before):
      text.variant("addSet", .init("set") { CoreSet(set).write(into: &$0) }, .init("exercise_id", id), .init("before", before))
    case .updateSet(let set): text.variant("updateSet") { set.write(into: &$0) }
    case .removeSet(let id): text.variant("removeSet") { $0.value(id) }
    case .moveSet(let id, let before): text.variant("moveSet", .init("set_id", id), .init("before", before))
    case .reopenSet(let id): text.variant("reopenSet") { $0.value(id) }
    case .makeSuperset(let ids): text.variant("makeSuperset") { $0.array(ids) { $0.value($1) } }
    case .clearSuperset(let id): text.variant("clearSuperset") { $0.value(id) }
    case .loadTemplates(let key, let limit): text.variant("loadTemplates", .init("after", key), .init("limit", limit))
    case .loadTemplateById(let id): text.variant("loadTemplateById") { $0.value(id) }
    case .saveTemplate(let template): text.variant("saveTemplate") { template.write(into: &$0) }
    case .makeTemplate(let id, let name): text.variant("makeTemplate", .init("workout_id", id), .init("name", name))
    case .deleteTemplate(let id): text.variant("deleteTemplate") { $0.value(id) }
    case .loadCustomExercises(let key, let limit): text.variant("loadCustomExercises", .init("after", key), .init("limit", limit))
    case .loadCustomExerciseById(let id): text.variant("loadCustomExerciseById") { $0.value(id) }
    case .saveCustomExercise(let exercise): text.variant("saveCustomExercise") { CoreJSON.write(exercise, into: &$0) }
    case .renameCustomExercise(let id, let name, let inHistory):
      text.variant(
        "renameCustomExercise", .init("exercise_id", id), .init("name", name), .init("in_history") { $0.value(inHistory) })
    case .deleteCustomExercise(let id): text.variant("deleteCustomExercise") { $0.value(id) }
    case .loadExerciseNames(let words, let key, let limit):
      text.variant("loadExerciseNames", .init("text", words), .init("after", key), .init("limit", limit))
    case .loadHistory(let name, let key, let limit):
      text.variant("loadHistory", .init("exercise", name), .init("after", key), .init("limit", limit))
    case .loadRecords(let name, let unit, let formula):
      text.variant("loadRecords", .init("exercise", name), .init("unit", unit.rawValue), .init("formula", formula.rawValue))
    case .loadProgress(let name, let key, let limit, let unit, let formula):
      text.variant(
        "loadProgress", .init("exercise", name), .init("after", key), .init("limit", limit), .init("unit", unit.rawValue),
        .init("formula", formula.rawValue))
    case .loadVolumeByWorkout(let period, let unit): Self.write("loadVolumeByWorkout", period, unit, into: &text)
    case .loadVolumeByExercise(let period, let unit): Self.write("loadVolumeByExercise", period, unit, into: &text)
    case .loadVolumeByBodyPart(let period, let unit): Self.write("loadVolumeByBodyPart", period, unit, into: &text)
    case .loadVolumeByWeek(let limit, let unit, let zone):
      text.variant("loadVolumeByWeek", .init("limit", limit), .init("unit", unit.rawValue), .init("time_zone", zone?.identifier))
    case .loadTotals(let now, let unit, let zone):
      text.variant("loadTotals", .init("as_of", now), .init("unit", unit.rawValue), .init("time_zone", zone?.identifier))
    }
  }

  /// An end that is as far away as dates go is none.
  private static func write(_ name: StaticString, _ period: Range<Date>?, _ unit: WeightUnit, into text: inout JSONText) {
    let (from, to) = (period?.lowerBound, period?.upperBound)
    text.variant(
      name, .init("from", from == .distantPast ? nil : from), .init("to", to == .behindAll ? nil : to), .init("unit", unit.rawValue))
  }
}
