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
    self = try scanner.variant(of: "operation", Self.names) { name, value in
      switch name {
      case "saveWorkout": .saveWorkout(try CoreWorkout(&value))
      case "loadAllWorkouts": try value.nothing(.loadAllWorkouts)
      case "loadWorkoutById": .loadWorkoutById(try value.id())
      case "deleteWorkout": .deleteWorkout(try value.id())
      default: nil
      }
    }
  }

  static let names = ["saveWorkout", "loadAllWorkouts", "loadWorkoutById", "deleteWorkout"]

  func write(into text: inout JSONText) {
    switch self {
    case .saveWorkout(let workout): text.variant("saveWorkout") { workout.write(into: &$0) }
    case .loadAllWorkouts: text.value("loadAllWorkouts")
    case .loadWorkoutById(let id): text.variant("loadWorkoutById") { $0.value(id) }
    case .deleteWorkout(let id): text.variant("deleteWorkout") { $0.value(id) }
    }
  }
}
