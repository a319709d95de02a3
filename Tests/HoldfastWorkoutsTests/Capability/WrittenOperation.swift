import Foundation
import Holdfast

@testable import HoldfastWorkouts

/// Requests as a core written with serde sends them.
extension WorkoutOperation: CoreWritten {
  func write(into text: inout JSONText) {
    switch self {
    case .saveWorkout(let workout): text.variant("saveWorkout", workout)
    case .loadAllWorkouts(let key, let limit): text.variant("loadAllWorkouts", ("after", key), ("limit", limit))
    case .loadWorkoutById(let id): text.variant("loadWorkoutById", id)
    case .deleteWorkout(let id): text.variant("deleteWorkout", id)
    case .searchWorkouts(let words, let key, let limit):
      text.variant("searchWorkouts", ("text", words), ("after", key), ("limit", limit))
    case .loadCurrentWorkout: text.quoted("loadCurrentWorkout")
    case .startWorkout(let name, let limit): text.variant("startWorkout", ("name", name), ("idle_limit", limit))
    case .startFromTemplate(let id, let limit): text.variant("startFromTemplate", ("template_id", id), ("idle_limit", limit))
    case .repeatWorkout(let id, let limit): text.variant("repeatWorkout", ("workout_id", id), ("idle_limit", limit))
    case .logSet(let id, let actual):
      text.variant("logSet", ("set_id", id), ("actual", actual))
    case .logNewSet(let id, let actual, let type, let weightUnit, let distanceUnit):
      text.variant(
        "logNewSet", ("exercise_id", id), ("actual", CoreActual(actual)), ("type", type.rawValue),
        ("weight_unit", weightUnit?.rawValue), ("distance_unit", distanceUnit?.rawValue))
    case .touchWorkout: text.quoted("touchWorkout")
    case .pauseWorkout: text.quoted("pauseWorkout")
    case .resumeWorkout: text.quoted("resumeWorkout")
    case .finishWorkout(let dropping): text.variant("finishWorkout", ("dropping_empty_sets", dropping))
    case .discardWorkout: text.quoted("discardWorkout")
    case .renameWorkout(let id, let name): text.variant("renameWorkout", ("workout_id", id), ("name", name))
    case .writeNote(let note, let id): text.variant("writeNote", ("workout_id", id), ("note", note))
    case .addExercise(let exercise, let id, let before):
      text.variant(
        "addExercise", ("exercise", CoreExercise(exercise, of: id)), ("workout_id", id), ("before", before))
    case .updateExercise(let exercise): text.variant("updateExercise", CoreExercise(exercise))
    case .removeExercise(let id): text.variant("removeExercise", id)
    case .moveExercise(let id, let before): text.variant("moveExercise", ("exercise_id", id), ("before", before))
    case .addSet(let set, let id, let before):
      text.variant("addSet", ("set", CoreSet(set)), ("exercise_id", id), ("before", before))
    case .updateSet(let set): text.variant("updateSet", set)
    case .removeSet(let id): text.variant("removeSet", id)
    case .moveSet(let id, let before): text.variant("moveSet", ("set_id", id), ("before", before))
    case .reopenSet(let id): text.variant("reopenSet", id)
    case .makeSuperset(let ids): text.variant("makeSuperset", ids)
    case .clearSuperset(let id): text.variant("clearSuperset", id)
    case .loadTemplates(let key, let limit): text.variant("loadTemplates", ("after", key), ("limit", limit))
    case .loadTemplateById(let id): text.variant("loadTemplateById", id)
    case .saveTemplate(let template): text.variant("saveTemplate", template)
    case .makeTemplate(let id, let name): text.variant("makeTemplate", ("workout_id", id), ("name", name))
    case .deleteTemplate(let id): text.variant("deleteTemplate", id)
    case .loadCustomExercises(let key, let limit): text.variant("loadCustomExercises", ("after", key), ("limit", limit))
    case .loadCustomExerciseById(let id): text.variant("loadCustomExerciseById", id)
    case .saveCustomExercise(let exercise): text.variant("saveCustomExercise", exercise)
    case .renameCustomExercise(let id, let name, let inHistory):
      text.variant(
        "renameCustomExercise", ("exercise_id", id), ("name", name), ("in_history", inHistory))
    case .deleteCustomExercise(let id): text.variant("deleteCustomExercise", id)
    case .loadExerciseNames(let words, let key, let limit):
      text.variant("loadExerciseNames", ("text", words), ("after", key), ("limit", limit))
    case .loadHistory(let name, let key, let limit):
      text.variant("loadHistory", ("exercise", name), ("after", key), ("limit", limit))
    case .loadRecords(let name, let unit, let formula):
      text.variant("loadRecords", ("exercise", name), ("unit", unit.rawValue), ("formula", formula.rawValue))
    case .loadProgress(let name, let key, let limit, let unit, let formula):
      text.variant(
        "loadProgress", ("exercise", name), ("after", key), ("limit", limit), ("unit", unit.rawValue),
        ("formula", formula.rawValue))
    case .loadVolumeByWorkout(let period, let unit): Self.write("loadVolumeByWorkout", period, unit, into: &text)
    case .loadVolumeByExercise(let period, let unit): Self.write("loadVolumeByExercise", period, unit, into: &text)
    case .loadVolumeByBodyPart(let period, let unit): Self.write("loadVolumeByBodyPart", period, unit, into: &text)
    case .loadVolumeByWeek(let limit, let unit, let zone):
      text.variant("loadVolumeByWeek", ("limit", limit), ("unit", unit.rawValue), ("time_zone", zone?.identifier))
    case .loadTotals(let now, let unit, let zone):
      text.variant("loadTotals", ("as_of", now), ("unit", unit.rawValue), ("time_zone", zone?.identifier))
    }
  }

  /// An end that is as far away as dates go is none.
  private static func write(_ name: String, _ period: Range<Date>?, _ unit: WeightUnit, into text: inout JSONText) {
    let (from, to) = (period?.lowerBound, period?.upperBound)
    text.variant(
      name, ("from", from == .distantPast ? nil : from), ("to", to == .behindAll ? nil : to), ("unit", unit.rawValue))
  }
}
