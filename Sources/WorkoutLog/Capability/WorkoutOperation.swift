public import Foundation
import Holdfast

/// What the app's core can ask of the log. `Codable` in JSON as serde has enums: the name alone, or an object with the name as its
/// only key; `Documentation/WorkoutCapability.md` has each.
public enum WorkoutOperation: Sendable, Hashable, Codable {
  /// Stores a workout in the place of the one with its id; a new one counts as finished. Answered by `workoutSaved`.
  case saveWorkout(CoreWorkout)
  /// All finished workouts, newest first. Answered by `workoutsLoaded`.
  case loadAllWorkouts
  /// One workout, finished or in progress. Answered by `workoutLoaded`.
  case loadWorkoutById(UUID)
  /// Deletes one with everything in it. Answered by `workoutDeleted`.
  case deleteWorkout(UUID)

  // The workout in progress. All but the last two are answered by `currentWorkoutLoaded`, as it stands then.

  /// The workout in progress, if there is one.
  case loadCurrentWorkout
  /// Starts an empty workout with this name.
  case startWorkout(String)
  /// Starts what a template plans.
  case startFromTemplate(UUID)
  /// Starts what was done in a finished workout.
  case repeatWorkout(UUID)
  /// Adds an exercise at the end.
  case addExercise(Exercise)
  /// Puts one of its exercises before another; nil: at the end.
  case moveExercise(UUID, before: UUID?)
  /// Completes a set now, with what was done; nil: as it was entered, or else planned.
  case logSet(UUID, ExerciseSet.Actual?)
  /// Its clock stands still until it is resumed, or changed.
  case pauseWorkout
  /// Its clock goes on.
  case resumeWorkout
  /// Answered by `workoutLoaded`: from now on it is one of the finished ones.
  case finishWorkout
  /// Deletes it. Answered by `currentWorkoutLoaded` with nil.
  case discardWorkout

  /// All templates by name. Answered by `templatesLoaded`, as are the next two.
  case loadTemplates
  /// Makes a template of a workout.
  case saveTemplate(from: UUID, named: String)
  /// Deletes one.
  case deleteTemplate(UUID)
  /// The newest finished workouts in which every word is found. Answered by `workoutsLoaded`.
  case searchWorkouts(String, limit: Int)
  /// The newest times of an exercise. Answered by `historyLoaded`.
  case loadHistory(ofExercise: String, limit: Int)

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where; `.misuse` for an operation that there is not.
  public init(from decoder: any Decoder) throws { self = try JSONTree(from: decoder).read { try WorkoutOperation(&$0) } }
  public func encode(to encoder: any Encoder) throws { try JSONTree { write(into: &$0) }.encode(to: encoder) }

  /// - Throws: as `init(from:)`.
  init(json request: Data) throws {
    var scanner = JSONScanner(JSONDocument(request))
    do {
      self = try WorkoutOperation(&scanner)
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
  }

  private init(_ scanner: inout JSONScanner) throws {
    self = try scanner.variant(of: "operation") { name, value in
      switch name {
      case "saveWorkout": return .saveWorkout(try CoreWorkout(&value))
      case "loadAllWorkouts": return try value.nothing(.loadAllWorkouts)
      case "loadWorkoutById": return .loadWorkoutById(try value.id())
      case "deleteWorkout": return .deleteWorkout(try value.id())
      case "loadTemplates": return try value.nothing(.loadTemplates)
      case "saveTemplate":
        let (id, name) = try value.pair("workout_id", { try $0.id() }, "name", { try $0.string() })
        return .saveTemplate(from: id, named: name)
      case "deleteTemplate": return .deleteTemplate(try value.id())
      case "searchWorkouts":
        let (text, limit) = try value.pair("text", { try $0.string() }, "limit", { try $0.int() })
        return .searchWorkouts(text, limit: limit)
      case "loadHistory":
        let (name, limit) = try value.pair("exercise", { try $0.string() }, "limit", { try $0.int() })
        return .loadHistory(ofExercise: name, limit: limit)
      default: return try Self.current(name, &value)
      }
    }
  }

  /// Those of the workout in progress.
  private static func current(_ name: String, _ value: inout JSONScanner) throws -> WorkoutOperation? {
    switch name {
    case "loadCurrentWorkout": return try value.nothing(.loadCurrentWorkout)
    case "startWorkout": return .startWorkout(try value.string())
    case "startFromTemplate": return .startFromTemplate(try value.id())
    case "repeatWorkout": return .repeatWorkout(try value.id())
    case "addExercise":
      var unsaid: [UUID: CoreWorkout.Unsaid] = [:]
      return .addExercise(try CoreWorkout.exercise(&value, &unsaid))
    case "moveExercise":
      let (id, before) = try value.pair("exercise_id", { try $0.id() }, "before", { try $0.null() ? nil : $0.id() })
      return .moveExercise(id, before: before)
    case "logSet":
      let (id, actual) = try value.pair("set_id", { try $0.id() }, "actual", { try $0.null() ? nil : CoreWorkout.actual(&$0).values })
      return .logSet(id, actual)
    case "pauseWorkout": return try value.nothing(.pauseWorkout)
    case "resumeWorkout": return try value.nothing(.resumeWorkout)
    case "finishWorkout": return try value.nothing(.finishWorkout)
    case "discardWorkout": return try value.nothing(.discardWorkout)
    default: return nil
    }
  }

  static let names = [
    "saveWorkout", "loadAllWorkouts", "loadWorkoutById", "deleteWorkout", "loadCurrentWorkout", "startWorkout", "startFromTemplate",
    "repeatWorkout", "addExercise", "moveExercise", "logSet", "pauseWorkout", "resumeWorkout", "finishWorkout", "discardWorkout",
    "loadTemplates", "saveTemplate", "deleteTemplate", "searchWorkouts", "loadHistory",
  ]

  func write(into text: inout JSONText) {
    switch self {
    case .saveWorkout(let workout): text.variant("saveWorkout") { workout.write(into: &$0) }
    case .loadAllWorkouts: text.value("loadAllWorkouts")
    case .loadWorkoutById(let id): text.variant("loadWorkoutById") { $0.value(id) }
    case .deleteWorkout(let id): text.variant("deleteWorkout") { $0.value(id) }
    case .loadCurrentWorkout: text.value("loadCurrentWorkout")
    case .startWorkout(let name): text.variant("startWorkout") { $0.value(name) }
    case .startFromTemplate(let id): text.variant("startFromTemplate") { $0.value(id) }
    case .repeatWorkout(let id): text.variant("repeatWorkout") { $0.value(id) }
    case .addExercise(let exercise): text.variant("addExercise") { CoreJSON.write(exercise, of: nil, into: &$0) }
    case .moveExercise(let id, let before):
      text.variant("moveExercise") { text in
        text.object { text in
          text.member("exercise_id", id)
          text.member("before", before.map(IDCodec.lowercase))
        }
      }
    case .logSet(let id, let actual):
      text.variant("logSet") { text in
        text.object { text in
          text.member("set_id", id)
          text.key("actual")
          if let actual { CoreJSON.write(actual, into: &text) } else { text.null() }
        }
      }
    case .pauseWorkout: text.value("pauseWorkout")
    case .resumeWorkout: text.value("resumeWorkout")
    case .finishWorkout: text.value("finishWorkout")
    case .discardWorkout: text.value("discardWorkout")
    case .loadTemplates: text.value("loadTemplates")
    case .saveTemplate(let id, let name):
      text.variant("saveTemplate") { text in
        text.object { text in
          text.member("workout_id", id)
          text.member("name", name)
        }
      }
    case .deleteTemplate(let id): text.variant("deleteTemplate") { $0.value(id) }
    case .searchWorkouts(let words, let limit): Self.write("searchWorkouts", "text", words, limit, into: &text)
    case .loadHistory(let name, let limit): Self.write("loadHistory", "exercise", name, limit, into: &text)
    }
  }

  private static func write(_ name: StaticString, _ key: StaticString, _ wanted: String, _ limit: Int, into text: inout JSONText) {
    text.variant(name) { text in
      text.object { text in
        text.member(key, wanted)
        text.member("limit", limit)
      }
    }
  }
}
