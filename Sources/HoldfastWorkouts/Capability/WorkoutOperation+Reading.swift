import Foundation
import Holdfast

extension WorkoutOperation {
  init(_ scanner: inout JSONScanner) throws {
    self = try scanner.variant(of: "operation") { name, value in
      try Self.workouts(name, &value) ?? Self.edits(name, &value) ?? Self.choices(name, &value) ?? Self.statistics(name, &value)
    }
  }

  private static func workouts(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "saveWorkout": .saveWorkout(try CoreWorkout(core: &value))
    case "loadAllWorkouts": try value.arguments { .loadAllWorkouts(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadWorkoutById": .loadWorkoutById(try UUID(core: &value))
    case "deleteWorkout": .deleteWorkout(try UUID(core: &value))
    case "searchWorkouts":
      try value.arguments { .searchWorkouts(try $0.needed("text"), after: try $0.pageKey(), limit: try $0.limit() ?? 50) }
    case "loadCurrentWorkout": try value.nothing(.loadCurrentWorkout)
    case "startWorkout": try value.arguments { .startWorkout(named: try $0.needed("name"), idleLimitSeconds: try $0.idleLimit()) }
    case "startFromTemplate":
      try value.arguments { .startFromTemplate(try $0.needed("template_id"), idleLimitSeconds: try $0.idleLimit()) }
    case "repeatWorkout": try value.arguments { .repeatWorkout(try $0.needed("workout_id"), idleLimitSeconds: try $0.idleLimit()) }
    case "logSet":
      try value.arguments { .logSet(try $0.needed("set_id"), try $0.needed("actual")) }
    case "logNewSet":
      try value.arguments { given in
        .logNewSet(
          in: try given.needed("exercise_id"), try (given.needed("actual") as CoreActual).actual,
          type: try given.given("type") ?? .working,
          weightUnit: try given.given("weight_unit"),
          distanceUnit: try given.given("distance_unit"))
      }
    case "touchWorkout": try value.nothing(.touchWorkout)
    case "pauseWorkout": try value.nothing(.pauseWorkout)
    case "resumeWorkout": try value.nothing(.resumeWorkout)
    case "finishWorkout":
      try value.arguments { .finishWorkout(droppingEmptySets: try $0.given("dropping_empty_sets") ?? false) }
    case "discardWorkout": try value.nothing(.discardWorkout)
    default: nil
    }
  }

  private static func edits(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "renameWorkout": try value.arguments { .renameWorkout(try $0.needed("workout_id"), to: try $0.needed("name")) }
    case "writeNote":
      try value.arguments { .writeNote(try $0.needed("note"), of: try $0.needed("workout_id")) }
    case "addExercise":
      try value.arguments { given in
        .addExercise(
          try (given.needed("exercise") as CoreExercise).exercise, to: try given.given("workout_id"),
          before: try given.given("before"))
      }
    case "updateExercise": .updateExercise(try CoreExercise(core: &value).exercise)
    case "removeExercise": .removeExercise(try UUID(core: &value))
    case "moveExercise":
      try value.arguments { .moveExercise(try $0.needed("exercise_id"), before: try $0.needed("before")) }
    case "addSet":
      try value.arguments { given in
        .addSet(
          try (given.needed("set") as CoreSet).set, to: try given.needed("exercise_id"), before: try given.given("before"))
      }
    case "updateSet": .updateSet(try CoreSet(core: &value))
    case "removeSet": .removeSet(try UUID(core: &value))
    case "moveSet":
      try value.arguments { .moveSet(try $0.needed("set_id"), before: try $0.needed("before")) }
    case "reopenSet": .reopenSet(try UUID(core: &value))
    case "makeSuperset": .makeSuperset(try [UUID](core: &value))
    case "clearSuperset": .clearSuperset(of: try UUID(core: &value))
    default: nil
    }
  }

  /// Operations on templates and exercises.
  private static func choices(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "loadTemplates": try value.arguments { .loadTemplates(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadTemplateById": .loadTemplateById(try UUID(core: &value))
    case "saveTemplate": .saveTemplate(try CoreTemplate(core: &value))
    case "makeTemplate": try value.arguments { .makeTemplate(from: try $0.needed("workout_id"), named: try $0.needed("name")) }
    case "deleteTemplate": .deleteTemplate(try UUID(core: &value))
    case "loadCustomExercises": try value.arguments { .loadCustomExercises(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadCustomExerciseById": .loadCustomExerciseById(try UUID(core: &value))
    case "saveCustomExercise": .saveCustomExercise(try CustomExercise(core: &value))
    case "renameCustomExercise":
      try value.arguments { given in
        .renameCustomExercise(
          try given.needed("exercise_id"), to: try given.needed("name"), inHistory: try given.needed("in_history"))
      }
    case "deleteCustomExercise": .deleteCustomExercise(try UUID(core: &value))
    case "loadExerciseNames":
      try value.arguments { given in
        .loadExerciseNames(
          matching: try given.given("text") ?? "", after: try given.pageKey(), limit: try given.limit() ?? 100)
      }
    default: nil
    }
  }

  private static func statistics(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "loadHistory":
      try value.arguments { .loadHistory(ofExercise: try $0.needed("exercise"), after: try $0.pageKey(), limit: try $0.limit() ?? 50) }
    case "loadRecords":
      try value.arguments { .loadRecords(ofExercise: try $0.given("exercise"), unit: try $0.unit(), formula: try $0.formula()) }
    case "loadProgress":
      try value.arguments { given in
        .loadProgress(
          ofExercise: try given.needed("exercise"), after: try given.pageKey(), limit: try given.limit(),
          unit: try given.unit(), formula: try given.formula())
      }
    case "loadVolumeByWorkout": try value.arguments { .loadVolumeByWorkout(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByExercise": try value.arguments { .loadVolumeByExercise(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByBodyPart": try value.arguments { .loadVolumeByBodyPart(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByWeek":
      try value.arguments { given in
        .loadVolumeByWeek(limit: try given.needed("limit"), unit: try given.unit(), timeZone: try given.timeZone())
      }
    case "loadTotals":
      try value.arguments { .loadTotals(asOf: try $0.given("as_of"), unit: try $0.unit(), timeZone: try $0.timeZone()) }
    default: nil
    }
  }
}
