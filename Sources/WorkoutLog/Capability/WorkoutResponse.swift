public import Foundation
import Holdfast

/// What the log answers to the app's core. `Codable` in JSON as `WorkoutOperation` is.
public enum WorkoutResponse: Sendable, Hashable, Codable {
  /// The workout with this id is stored.
  case workoutSaved(UUID)
  /// In the order that the operation promises.
  case workoutsLoaded([Workout])
  /// Nil: there is none.
  case workoutLoaded(Workout?)
  /// There is no workout with this id; `existed` says whether there was one before.
  case workoutDeleted(UUID, existed: Bool)
  /// The workout in progress as it stands now; nil: there is none.
  case currentWorkoutLoaded(WorkoutInProgress?)
  /// By name.
  case templatesLoaded([WorkoutTemplate])
  /// Newest first.
  case historyLoaded([PerformedExercise])
  /// Nothing was changed.
  case error(Failure)

  /// What went wrong.
  public struct Failure: Error, Sendable, Hashable {
    /// The raw value of a `StoreError.Code`, to switch on.
    public var code: String
    /// What happened, in one sentence.
    public var message: String
    /// What to do; nil where there is nothing.
    public var suggestion: String?

    /// Says what and what to do.
    public init(code: String, message: String, suggestion: String?) {
      self.code = code
      self.message = message
      self.suggestion = suggestion
    }
  }

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where.
  public init(from decoder: any Decoder) throws { self = try JSONTree(from: decoder).read { try WorkoutResponse(&$0) } }
  public func encode(to encoder: any Encoder) throws { try JSONTree { write(into: &$0) }.encode(to: encoder) }

  /// As bytes for the core.
  var json: Data {
    var text = JSONText()
    write(into: &text)
    return Data(text.bytes)
  }

  private init(_ scanner: inout JSONScanner) throws {
    self = try scanner.variant(of: "response") { name, value in
      switch name {
      case "workoutSaved": return .workoutSaved(try value.id())
      case "workoutsLoaded":
        return .workoutsLoaded(try value.list { try CoreWorkout(&$0).workout })
      case "workoutLoaded": return .workoutLoaded(try value.null() ? nil : CoreWorkout(&value).workout)
      case "workoutDeleted":
        var (id, existed) = (UUID.zero, false)
        try value.members(["id", "existed"], required: 2) { fields, number, value in
          if number == 0 { id = try fields.id("id", &value)?.value ?? .zero } else { existed = try fields.bool("existed", &value) }
        }
        return .workoutDeleted(id, existed: existed)
      case "currentWorkoutLoaded": return .currentWorkoutLoaded(try value.null() ? nil : WorkoutInProgress(core: &value))
      case "templatesLoaded": return .templatesLoaded(try value.list { try WorkoutTemplate(core: &$0) })
      case "historyLoaded": return .historyLoaded(try value.list { try PerformedExercise(core: &$0) })
      case "error":
        var failure = Failure(code: "", message: "", suggestion: nil)
        try value.members(["code", "message", "suggestion"], required: 3) { fields, number, value in
          switch number {
          case 0: failure.code = try fields.text("code", &value)
          case 1: failure.message = try fields.text("message", &value)
          default: failure.suggestion = try fields.textOrNil("suggestion", &value)
          }
        }
        return .error(failure)
      default: return nil
      }
    }
  }

  static let names = [
    "workoutSaved", "workoutsLoaded", "workoutLoaded", "workoutDeleted", "currentWorkoutLoaded", "templatesLoaded", "historyLoaded",
    "error",
  ]

  func write(into text: inout JSONText) {
    switch self {
    case .workoutSaved(let id): text.variant("workoutSaved") { $0.value(id) }
    case .workoutsLoaded(let workouts):
      text.variant("workoutsLoaded") { $0.array(workouts) { text, workout in CoreJSON.write(workout, into: &text) } }
    case .workoutLoaded(let workout):
      text.variant("workoutLoaded") { text in
        if let workout { CoreJSON.write(workout, into: &text) } else { text.null() }
      }
    case .workoutDeleted(let id, let existed):
      text.variant("workoutDeleted") { text in
        text.object { text in
          text.member("id", id)
          text.member("existed", existed)
        }
      }
    case .currentWorkoutLoaded(let current):
      text.variant("currentWorkoutLoaded") { text in
        if let current { CoreJSON.write(current, into: &text) } else { text.null() }
      }
    case .templatesLoaded(let templates):
      text.variant("templatesLoaded") { $0.array(templates) { text, template in CoreJSON.write(template, into: &text) } }
    case .historyLoaded(let history):
      text.variant("historyLoaded") { $0.array(history) { text, performed in CoreJSON.write(performed, into: &text) } }
    case .error(let failure):
      text.variant("error") { text in
        text.object { text in
          text.member("code", failure.code)
          text.member("message", failure.message)
          text.member("suggestion", failure.suggestion)
        }
      }
    }
  }
}
