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
    case "saveWorkout": .saveWorkout(try CoreWorkout(&value))
    case "loadAllWorkouts": try value.arguments { .loadAllWorkouts(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadWorkoutById": .loadWorkoutById(try value.id())
    case "deleteWorkout": .deleteWorkout(try value.id())
    case "searchWorkouts":
      try value.arguments { .searchWorkouts(try $0.text("text"), after: try $0.pageKey(), limit: try $0.limit() ?? 50) }
    case "loadCurrentWorkout": try value.nothing(.loadCurrentWorkout)
    case "startWorkout": try value.arguments { .startWorkout(named: try $0.text("name"), idleLimitSeconds: try $0.idleLimit()) }
    case "startFromTemplate":
      try value.arguments { .startFromTemplate(try $0.id("template_id"), idleLimitSeconds: try $0.idleLimit()) }
    case "repeatWorkout": try value.arguments { .repeatWorkout(try $0.id("workout_id"), idleLimitSeconds: try $0.idleLimit()) }
    case "logSet":
      try value.arguments { .logSet(try $0.id("set_id"), try $0.needed("actual") { try $0.null() ? nil : CoreActual(&$0) }) }
    case "logNewSet":
      try value.arguments { given in
        .logNewSet(
          in: try given.id("exercise_id"), try given.needed("actual") { try CoreActual(&$0).actual },
          type: try given.text(orNil: "type").map(SetType.init(rawValue:)) ?? .working,
          weightUnit: try given.text(orNil: "weight_unit").map(WeightUnit.init(rawValue:)),
          distanceUnit: try given.text(orNil: "distance_unit").map(DistanceUnit.init(rawValue:)))
      }
    case "touchWorkout": try value.nothing(.touchWorkout)
    case "pauseWorkout": try value.nothing(.pauseWorkout)
    case "resumeWorkout": try value.nothing(.resumeWorkout)
    case "finishWorkout":
      try value.arguments { .finishWorkout(droppingEmptySets: try $0.given("dropping_empty_sets") { try $0.bool() } ?? false) }
    case "discardWorkout": try value.nothing(.discardWorkout)
    default: nil
    }
  }

  private static func edits(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "renameWorkout": try value.arguments { .renameWorkout(try $0.id("workout_id"), to: try $0.text("name")) }
    case "writeNote":
      try value.arguments { .writeNote(try $0.needed("note") { try $0.null() ? nil : $0.string() }, of: try $0.id("workout_id")) }
    case "addExercise":
      try value.arguments { given in
        .addExercise(
          try given.needed("exercise") { try CoreWorkout.exercise(&$0) }, to: try given.id(orNil: "workout_id"),
          before: try given.id(orNil: "before"))
      }
    case "updateExercise": .updateExercise(try CoreWorkout.exercise(&value))
    case "removeExercise": .removeExercise(try value.id())
    case "moveExercise":
      try value.arguments { .moveExercise(try $0.id("exercise_id"), before: try $0.needed("before") { try $0.null() ? nil : $0.id() }) }
    case "addSet":
      try value.arguments { given in
        .addSet(
          try given.needed("set") { try CoreSet(&$0).set }, to: try given.id("exercise_id"), before: try given.id(orNil: "before"))
      }
    case "updateSet": .updateSet(try CoreSet(&value))
    case "removeSet": .removeSet(try value.id())
    case "moveSet":
      try value.arguments { .moveSet(try $0.id("set_id"), before: try $0.needed("before") { try $0.null() ? nil : $0.id() }) }
    case "reopenSet": .reopenSet(try value.id())
    case "makeSuperset": .makeSuperset(try value.list { try $0.id() })
    case "clearSuperset": .clearSuperset(of: try value.id())
    default: nil
    }
  }

  /// Of templates and exercises.
  private static func choices(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "loadTemplates": try value.arguments { .loadTemplates(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadTemplateById": .loadTemplateById(try value.id())
    case "saveTemplate": .saveTemplate(try CoreTemplate(&value))
    case "makeTemplate": try value.arguments { .makeTemplate(from: try $0.id("workout_id"), named: try $0.text("name")) }
    case "deleteTemplate": .deleteTemplate(try value.id())
    case "loadCustomExercises": try value.arguments { .loadCustomExercises(after: try $0.pageKey(), limit: try $0.limit()) }
    case "loadCustomExerciseById": .loadCustomExerciseById(try value.id())
    case "saveCustomExercise": .saveCustomExercise(try CustomExercise(core: &value))
    case "renameCustomExercise":
      try value.arguments { given in
        .renameCustomExercise(
          try given.id("exercise_id"), to: try given.text("name"), inHistory: try given.needed("in_history") { try $0.bool() })
      }
    case "deleteCustomExercise": .deleteCustomExercise(try value.id())
    case "loadExerciseNames":
      try value.arguments { given in
        .loadExerciseNames(
          matching: try given.text(orNil: "text") ?? "", after: try given.pageKey(), limit: try given.limit() ?? 100)
      }
    default: nil
    }
  }

  private static func statistics(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "loadHistory":
      try value.arguments { .loadHistory(ofExercise: try $0.text("exercise"), after: try $0.pageKey(), limit: try $0.limit() ?? 50) }
    case "loadRecords":
      try value.arguments { .loadRecords(ofExercise: try $0.text(orNil: "exercise"), unit: try $0.unit(), formula: try $0.formula()) }
    case "loadProgress":
      try value.arguments { given in
        .loadProgress(
          ofExercise: try given.text("exercise"), after: try given.pageKey(), limit: try given.limit(),
          unit: try given.unit(), formula: try given.formula())
      }
    case "loadVolumeByWorkout": try value.arguments { .loadVolumeByWorkout(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByExercise": try value.arguments { .loadVolumeByExercise(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByBodyPart": try value.arguments { .loadVolumeByBodyPart(during: try $0.period(), unit: try $0.unit()) }
    case "loadVolumeByWeek":
      try value.arguments { given in
        .loadVolumeByWeek(limit: try given.needed("limit") { try $0.int() }, unit: try given.unit(), timeZone: try given.timeZone())
      }
    case "loadTotals":
      try value.arguments { .loadTotals(asOf: try $0.date(orNil: "as_of"), unit: try $0.unit(), timeZone: try $0.timeZone()) }
    default: nil
    }
  }
}
